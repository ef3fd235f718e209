"""The statements that ask, one frozen value each: SHOW, DESCRIBE, EXPLAIN."""

from __future__ import annotations

from dataclasses import dataclass

from everview.sql.statements.parts import Kind, Name, Slice


@dataclass(frozen=True, slots=True)
class ShowTables:
    like: str | None


@dataclass(frozen=True, slots=True)
class ShowViews:
    like: str | None


@dataclass(frozen=True, slots=True)
class ShowMaterializedViews:
    like: str | None


@dataclass(frozen=True, slots=True)
class ShowCreate:
    kind: Kind
    name: Name


@dataclass(frozen=True, slots=True)
class Describe:
    """A kind of None: whatever has that name."""

    kind: Kind | None
    name: Name
    extended: bool


@dataclass(frozen=True, slots=True)
class DescribeHistory:
    """A kind of None: whatever has that name."""

    kind: Kind | None
    name: Name


@dataclass(frozen=True, slots=True)
class Explain:
    """What the next refresh of a view will do, and why; extended with the SQL of its steps;
    `strategy` is what the refresh is asked for.
    """

    name: Name
    extended: bool
    strategy: str | None = None


@dataclass(frozen=True, slots=True)
class ExplainQuery:
    """Spark's plan of a query; the mode is EXTENDED, CODEGEN, COST, FORMATTED or None."""

    query: Slice
    mode: str | None
