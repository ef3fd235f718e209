"""Asks Spark for the kind of each of its functions and writes src/everview/sql/spark_functions.py.

    python -m tools.spark_functions

A kind shows where Spark takes a call: a plain function stands in WHERE, others are refused there,
each kind by an error of its own.
"""

from __future__ import annotations

import functools
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import sqlglot
from pyspark.errors import PySparkException
from sqlglot.tokenizer_core import Token, TokenType

from everview.sql.read.dialect import EverviewSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILE = Path(__file__).parents[1] / "src" / "everview" / "sql" / "spark_functions.py"


class Kind(Enum):
    """What a function makes of rows; the value names its set in the file."""

    AGGREGATE = "AGGREGATES"
    GENERATOR = "GENERATORS"
    WINDOW_ONLY = "WINDOW_ONLY"
    TABLE_ONLY = "TABLE_FUNCTIONS"
    PLAIN = "PLAIN_FUNCTIONS"


# How Spark's errors for a call in WHERE begin, by the kind that it says so of.
_REFUSALS = {
    "INVALID_WHERE_CONDITION": Kind.AGGREGATE,
    "INVALID_WITHIN_GROUP_EXPRESSION": Kind.AGGREGATE,
    "UNSUPPORTED_GENERATOR": Kind.GENERATOR,
    "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE": Kind.WINDOW_ONLY,
    "UNRESOLVED_ROUTINE": Kind.TABLE_ONLY,
}


@functools.lru_cache(maxsize=1)
def descriptions(spark: SparkSession) -> dict[str, str]:
    """What Spark's documentation says of each function and operator, by name."""
    found = {}
    for (name,) in spark.sql("SHOW SYSTEM FUNCTIONS").collect():
        described = spark.sql(f"DESCRIBE FUNCTION EXTENDED `{name}`").collect()
        found[name] = "\n".join(row[0] for row in described)
    return found


class Asked:
    """The functions of one session by name, without operators, and their kinds."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self.texts = {n: text for n, text in descriptions(spark).items() if n.isidentifier()}
        self._kinds: dict[str, Kind] = {}

    def sets(self) -> dict[str, frozenset[str]]:
        """The names of each kind under the name of its set."""
        kinds = {name: self.kind(name) for name in self.texts}
        found = {k.value: {n for n, own in kinds.items() if own is k} for k in Kind}
        found[Kind.TABLE_ONLY.value] |= {
            name for name in found[Kind.GENERATOR.value] if self._stands_in_from(name)
        }
        return {name: frozenset(names) for name, names in found.items()}

    def kind(self, name: str) -> Kind:
        if name not in self._kinds:
            self._kinds[name] = self._by_class(name)
            asked = next(filter(None, map(self._by_call, calls(name, self.texts[name]))), None)
            if asked is not None:
                self._require_class(name, asked)
                self._kinds[name] = asked
        return self._kinds[name]

    def _by_class(self, name: str) -> Kind:
        """What the package of the class says; it does not know every aggregate."""
        is_aggregate = ".expressions.aggregate." in self.texts[name].partition("Usage:")[0]
        return Kind.AGGREGATE if is_aggregate else Kind.PLAIN

    def _require_class(self, name: str, kind: Kind) -> None:
        if self._by_class(name) is Kind.AGGREGATE and kind is not Kind.AGGREGATE:
            raise AssertionError(f"{name} is an aggregate by its class, by analysis {kind.name}")

    def _by_call(self, call: Call) -> Kind | None:
        """What Spark says of the call in a WHERE; None if it refuses it for another reason."""
        if any(self.kind(name) is Kind.AGGREGATE for name in call.inside if name in self.texts):
            return Kind.PLAIN  # no aggregate holds another
        said = self._condition(f"SELECT 1 {call.source} WHERE {call.text} IS NULL")
        if said == "":
            return Kind.PLAIN
        return next((kind for word, kind in _REFUSALS.items() if said.startswith(word)), None)

    def _stands_in_from(self, name: str) -> bool:
        return self._condition(f"SELECT * FROM {name}()") != "UNRESOLVABLE_TABLE_VALUED_FUNCTION"

    def _condition(self, text: str) -> str:
        """The name of the error that Spark's analysis raises, "" if it raises none."""
        try:
            self._spark.sql(text)
        except PySparkException as error:
            return error.getCondition() or "?"
        return ""


@dataclass(frozen=True, slots=True)
class Call:
    """A call in a query: its text, the names called inside, the FROM clause of the query."""

    text: str
    inside: frozenset[str]
    source: str


def calls(name: str, description: str) -> Iterator[Call]:
    """The calls of a function in the examples of its description."""
    for text in examples(description):
        tokens = sqlglot.tokenize(text, dialect=EverviewSpark)
        called = [
            i for i, t in enumerate(tokens[:-1]) if tokens[i + 1].token_type is TokenType.L_PAREN
        ]
        for i in called:
            if tokens[i].text.lower() != name:
                continue
            end = _closing(tokens, i + 1)
            inside = frozenset(tokens[j].text.lower() for j in called if i < j < end)
            call = text[tokens[i].start : tokens[end].end + 1]
            yield Call(call, inside, _source(text, tokens, i))


_DEPTHS = {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}


def _closing(tokens: list[Token], opening: int) -> int:
    """The index of the parenthesis that closes the one at `opening`."""
    depth = 0
    for i in range(opening, len(tokens)):
        depth += _DEPTHS.get(tokens[i].token_type, 0)
        if depth == 0:
            return i
    raise ValueError("a parenthesis is not closed")


def _source(text: str, tokens: list[Token], call: int) -> str:
    """The FROM clause of the outermost query, "" if the call stands in it."""
    outer, i = list[Token](), 0
    while i < len(tokens):
        outer.append(tokens[i])
        i = _closing(tokens, i) + 1 if tokens[i].token_type is TokenType.L_PAREN else i + 1
    begins = [t.start for t in outer if t.text.upper() == "FROM"]
    if not begins or begins[0] < tokens[call].start:
        return ""
    ends = [
        t.start for t in outer if t.text.split()[0].upper() in _AFTER_FROM and t.start > begins[0]
    ]
    return text[begins[0] : min(ends, default=len(text))]


_AFTER_FROM = frozenset({"WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW"})
_EXAMPLE = re.compile(r"^ *> ((?:SELECT|WITH)\b.*?);[ \t]*$", re.DOTALL | re.MULTILINE | re.I)


def examples(description: str) -> list[str]:
    """The queries in the description of a function: from `> SELECT` to the semicolon."""
    return [found[1] for found in _EXAMPLE.finditer(description)]


def written(sets: Mapping[str, frozenset[str]]) -> str:
    """The text of the file."""
    parts = [
        '"""Spark\'s built-in functions by kind, as Spark 4.1 has them; '
        'written by `make functions`."""\n\nfrom __future__ import annotations\n'
    ]
    for name, names in sets.items():
        words = ", ".join(f'"{n}"' for n in sorted(names))
        lines = textwrap.fill(words + ",", 92, initial_indent=" " * 8, subsequent_indent=" " * 8)
        parts.append(
            f"\n{name}: frozenset[str] = frozenset(\n    {{\n{lines}\n    }}\n)  # fmt: skip\n"
        )
    return "".join(parts)


def main() -> int:
    from everview.settings import Settings
    from everview.spark.local import local_session

    spark = local_session(Settings())
    FILE.write_text(written(Asked(spark).sets()))
    spark.stop()
    return subprocess.call([sys.executable, "-m", "ruff", "format", str(FILE)])


if __name__ == "__main__":
    raise SystemExit(main())
