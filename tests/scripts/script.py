"""The text of a refresh script, and the steps it stands for.

    === a title
    TABLE sales (store BIGINT, price INT)       tables, with their first rows below
      (1, 10)
    VIEW by_store                               a definition; `VIEW name POLICY AUTO` for another policy
      SELECT store, sum(price) AS total FROM sales GROUP BY store
    DELETE sales WHERE store = 1                statements: APPEND, OVERWRITE, MERGE .. ON, DELETE ..
    UPDATE sales SET price = 0 WHERE store = 2  WHERE, UPDATE .. SET .. WHERE, COMPACT, BACK
    REFRESH by_store incremental: groups -1     how, then rows inserted (+), updated (~), deleted (-)
      (2, 0)                                    and, where given, the rows the view must then have

A line that is indented belongs to the one above; `#` begins a comment. BACK brings the rows back that the
last DELETE of the table took.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

POLICY = "INCREMENTAL STRICT"
_COUNT = re.compile(r"([+~-])(\d+)")


@dataclass(frozen=True)
class Step:
    """A line of a script with the indented lines below it."""

    verb: str
    name: str
    rest: str
    lines: tuple[str, ...]
    number: int


@dataclass(frozen=True)
class Expected:
    """What a REFRESH line says: the strategy, the rows counted, and the rows of the view if given."""

    strategy: str
    counts: dict[str, int]
    rows: tuple[str, ...] | None


@dataclass
class Script:
    title: str
    steps: list[Step] = field(default_factory=list)


def read_scripts(path: Path) -> list[Script]:
    """The scripts of a file, in order."""
    scripts: list[Script] = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = "" if line.startswith("#") else line.split(" #")[0].rstrip()
        if text.startswith("==="):
            scripts.append(Script(text.strip("= ")))
        elif text.startswith(" "):
            last = scripts[-1].steps[-1]
            scripts[-1].steps[-1] = replace(last, lines=(*last.lines, text.strip()))
        elif text:
            scripts[-1].steps.append(_step(text, number))
    return scripts


def _step(text: str, number: int) -> Step:
    verb, _, tail = text.partition(" ")
    name, _, rest = tail.partition(" ")
    return Step(verb, name, rest.strip(), (), number)


def expected(step: Step) -> Expected:
    """What the REFRESH line says of its receipt and result."""
    counts = {sign: int(n) for sign, n in _COUNT.findall(step.rest)}
    strategy = _COUNT.sub("", step.rest).strip()
    empty = step.lines == ("(nothing)",)
    return Expected(strategy, counts, () if empty else step.lines or None)


def view_policy(step: Step) -> str:
    return step.rest.removeprefix("POLICY").strip() or POLICY
