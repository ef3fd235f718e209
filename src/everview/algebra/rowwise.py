"""Operators that treat each row of their one input by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from everview.algebra.integrity import require, require_known, require_unique
from everview.algebra.scalars import Column, ColumnId, Scalar, refs

if TYPE_CHECKING:
    from everview.algebra.relations import Rel


class OverInput:
    """What an operator takes over from its one input unless it says otherwise."""

    __slots__ = ()
    input: Rel

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.input.columns

    @property
    def weighted(self) -> bool:
        return self.input.weighted


@dataclass(frozen=True, slots=True)
class Shared(OverInput):
    """The rows of the input, computed once for all readers of the name (a WITH query used
    twice).
    """

    name: str
    input: Rel


@dataclass(frozen=True, slots=True)
class Filter(OverInput):
    """The rows of the input for which the condition is true."""

    input: Rel
    condition: Scalar

    def __post_init__(self) -> None:
        require_known("filter", refs(self.condition), self.input.columns)


@dataclass(frozen=True, slots=True)
class Project(OverInput):
    """For each row of the input one row of these scalars; duplicates stay."""

    input: Rel
    outputs: tuple[tuple[Column, Scalar], ...]

    def __post_init__(self) -> None:
        used = {r for _, scalar in self.outputs for r in refs(scalar)}
        require_known("projection", used, self.input.columns)
        require_unique("projection", self.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(column for column, _ in self.outputs)


@dataclass(frozen=True, slots=True)
class Generate(OverInput):
    """Each row of the input with each row that the generator gives for it.

    outer: a row for which it gives none stays, padded with NULLs.
    """

    input: Rel
    generator: Scalar
    made: tuple[Column, ...]
    outer: bool = False

    def __post_init__(self) -> None:
        require_known("generate", refs(self.generator), self.input.columns)
        require_unique("generate", self.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.input.columns + self.made


@dataclass(frozen=True, slots=True)
class Unpivot(OverInput):
    """For each row of the input and each entry of `rows`: the kept columns, the entry's label and
    the values of its columns; without those whose values are all NULL unless `keeps_nulls`.
    """

    input: Rel
    kept: tuple[Column, ...]
    label: Column
    values: tuple[Column, ...]
    rows: tuple[tuple[str, tuple[ColumnId, ...]], ...]
    keeps_nulls: bool = False

    def __post_init__(self) -> None:
        used = [c.id for c in self.kept] + [c for _, entry in self.rows for c in entry]
        require_known("unpivot", used, self.input.columns)
        require_unique("unpivot", self.columns)
        widths = {len(entry) for _, entry in self.rows}
        require(widths == {len(self.values)}, f"unpivot of {self.rows} into {self.values}")

    @property
    def columns(self) -> tuple[Column, ...]:
        return (*self.kept, self.label, *self.values)


@dataclass(frozen=True, slots=True)
class Signed(OverInput):
    """The rows of a plain relation as changes: each with the weight 1, or -1."""

    input: Rel
    weight: Literal[1, -1]

    def __post_init__(self) -> None:
        require(not self.input.weighted, "a sign for rows that have weights")

    @property
    def weighted(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Negate(OverInput):
    """The same rows, weights negated."""

    input: Rel

    def __post_init__(self) -> None:
        require(self.input.weighted, "negation of a plain relation")
