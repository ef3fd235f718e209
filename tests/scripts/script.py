"""The text of a refresh script, and the steps it stands for.

    === a title
    TABLE sales (store BIGINT, price INT)       a table, with its first rows below
      (1, 10)
    VIEW by_store                               a definition; `VIEW name POLICY AUTO` if need be
      SELECT store, sum(price) AS total FROM sales GROUP BY store
    VIRTUAL large                               a virtual view, for definitions below
      SELECT store, price FROM sales WHERE price > 100
    DELETE sales WHERE store = 1                also APPEND, OVERWRITE, MERGE .. ON key, COMPACT
    UPDATE sales SET price = 0 WHERE store = 2
    REFRESH by_store incremental: groups -1     how; rows inserted (+), updated (~), deleted (-);
      (2, 0)                                    and the rows that the view must then have

A line that is indented belongs to the one above; `#` begins a comment; `(nothing)` is no rows.
BACK brings back the rows that the last DELETE of the table took. A title that begins with `open:`
is of a script that still fails.
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
    """What a REFRESH line says: the strategy, the rows counted, and the view's rows if given."""

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
