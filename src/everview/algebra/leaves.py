"""Operators without input: tables, their changes, rows at hand, constants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from everview.algebra.integrity import At, require, require_known, require_unique
from everview.algebra.operator import Leaf, WithoutScalars
from everview.algebra.ranges import Range
from everview.algebra.scalars import Column, ColumnId, Scalar, refs


@dataclass(frozen=True, slots=True)
class Scan(WithoutScalars, Leaf):
    """The rows of a table at one snapshot, these columns only; of them those `within` ranges."""

    table: str
    at: At
    columns: tuple[Column, ...]
    weighted: bool = False
    within: tuple[tuple[ColumnId, Range], ...] = ()

    def __post_init__(self) -> None:
        require(not self.weighted, "a scan is plain")
        require_unique("scan", self.columns)
        require_known("scan", [c for c, _ in self.within], self.columns)

    def ranges(self) -> dict[str, Range]:
        """By name, the columns whose values are within a range."""
        names = {c.id: c.name for c in self.columns}
        return {names[column]: range_ for column, range_ in self.within}


@dataclass(frozen=True, slots=True)
class Changes(WithoutScalars, Leaf):
    """The weighted rows that turn the table at OLD into the table at NEW (gross: lines may
    cancel). `only`: the sign of all of them, where it is known.
    """

    table: str
    columns: tuple[Column, ...]
    weighted: bool = True
    only: Literal[1, -1] | None = None

    def __post_init__(self) -> None:
        require(self.weighted, "changes are weighted")
        require_unique("changes", self.columns)


@dataclass(frozen=True, slots=True)
class Local(WithoutScalars, Leaf):
    """Rows at hand under a name: staged or fetched by an earlier step."""

    name: str
    columns: tuple[Column, ...]
    weighted: bool = False


@dataclass(frozen=True, slots=True)
class Values(Leaf):
    """These rows of scalars that read no column; one row without columns is what SELECT without
    FROM reads.
    """

    rows: tuple[tuple[Scalar, ...], ...]
    columns: tuple[Column, ...]
    weighted: bool = False

    def __post_init__(self) -> None:
        require(not self.weighted, "values are plain")
        require({len(r) for r in self.rows} == {len(self.columns)}, f"width of {self.rows}")
        require(not any(map(refs, self.scalars)), f"values read columns: {self.rows}")

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        return tuple(s for row in self.rows for s in row)

    def with_scalars(self, change: Callable[[Scalar], Scalar]) -> Values:
        return replace(self, rows=tuple(tuple(map(change, row)) for row in self.rows))


@dataclass(frozen=True, slots=True)
class TableFunction(Leaf):
    """The rows that a function gives in FROM for arguments that read no column."""

    call: Scalar
    columns: tuple[Column, ...]
    weighted: bool = False

    def __post_init__(self) -> None:
        require(not self.weighted, "the rows of a function are plain")
        require(not refs(self.call), f"a table function reads columns: {self.call}")

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        return (self.call,)

    def with_scalars(self, change: Callable[[Scalar], Scalar]) -> TableFunction:
        return replace(self, call=change(self.call))
