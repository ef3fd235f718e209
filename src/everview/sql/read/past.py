"""Earlier versions that a query names: VERSION AS OF and TIMESTAMP AS OF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import sqlglot
from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from everview.errors import SqlNotAllowed
from everview.sql.read.dialect import EverviewSpark
from everview.sql.read.parse import Parsed, replaced, table_name, table_references


@dataclass(frozen=True, slots=True)
class Past:
    """A version by its number, or the one that was there at a moment, as the text spells it."""

    kind: Literal["VERSION", "TIMESTAMP"]
    value: str


@dataclass(frozen=True, slots=True)
class Source:
    """A table of a query by its lower-case name, now or at an earlier version."""

    name: str
    past: Past | None = None


def past_sources(parsed: Parsed) -> tuple[Source, ...]:
    """What the query reads, each once; SqlNotAllowed for a version that is not written out."""
    return tuple(dict.fromkeys(_source(parsed, t) for t in table_references(parsed)))


def with_sources(parsed: Parsed, names: Mapping[Source, str]) -> str:
    """The text with each source, its version included, replaced by its placeholder."""
    tables = table_references(parsed)
    return replaced(parsed, [(t, _end(parsed, t), names[_source(parsed, t)]) for t in tables])


def _source(parsed: Parsed, table: exp.Table) -> Source:
    version = table.args.get("version")
    name = table_name(table).lower()
    if version is None:
        return Source(name)
    value = version.expression
    if isinstance(value, exp.Cast):  # TIMESTAMP '2024-01-31'
        value = value.this
    if version.args.get("kind") == "AS OF" and isinstance(value, exp.Literal):
        if version.name.upper() != "VERSION":
            return Source(name, Past("TIMESTAMP", value.name))
        if value.name.isdecimal():
            return Source(name, Past("VERSION", value.name))
    raise SqlNotAllowed(
        f"The version of `{name}` is not written out.",
        where=parsed.place(table),
        remedy="Write VERSION AS OF 3, or TIMESTAMP AS OF '2024-01-31 12:00:00'.",
    )


def _end(parsed: Parsed, table: exp.Table) -> int:
    """Where a reference ends in the text, its version included and its alias not."""
    end = int(table.this.meta["end"])
    if table.args.get("version") is None:
        return end
    tokens = sqlglot.tokenize(parsed.text, dialect=EverviewSpark)
    after = [t for t in tokens if t.start > end]
    value = next(i for i, t in enumerate(after) if t.text.upper() == "OF") + 1
    if after[value].token_type not in (TokenType.NUMBER, TokenType.STRING):
        value += 1  # TIMESTAMP '2024-01-31'
    return int(after[value].end)
