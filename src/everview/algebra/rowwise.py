"""Operators that treat each row of their one input by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from everview.algebra.integrity import require, require_known, require_unique
from everview.algebra.operator import (
    ONE_ROW,
    Origin,
    Origins,
    OverInput,
    Separation,
    WithoutScalars,
    ids,
    passed,
    same,
)
from everview.algebra.scalars import Column, ColumnId, Ref, Scalar, called, refs

if TYPE_CHECKING:
    from everview.algebra.relations import Rel

Outputs = tuple[tuple[Column, Scalar], ...]  # the columns of a projection, with what computes each


class PassesOn(OverInput):
    """Of an operator that passes on all columns of its input, and looks at each row, or at it and
    its copies, by itself.
    """

    __slots__ = ()

    @property
    def origins(self) -> Origins:
        return passed(self.input.columns, self.input)

    @property
    def separate_by(self) -> Separation:
        return (same(self.input.columns),)


@dataclass(frozen=True, slots=True)
class Shared(WithoutScalars, PassesOn):
    """The rows of the input, computed once for all readers of the name (a WITH query used
    twice).
    """

    told_apart_by = ONE_ROW
    keeps_signs = True

    name: str
    input: Rel

    @property
    def reads(self) -> frozenset[ColumnId]:
        return frozenset()


@dataclass(frozen=True, slots=True)
class Filter(PassesOn):
    """The rows of the input for which the condition is true."""

    told_apart_by = ONE_ROW
    keeps_signs = True

    input: Rel
    condition: Scalar

    def __post_init__(self) -> None:
        require_known("filter", refs(self.condition), self.input.columns)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        return (self.condition,)

    def with_scalars(self, change: Callable[[Scalar], Scalar]) -> Filter:
        return replace(self, condition=change(self.condition))

    @property
    def reads(self) -> frozenset[ColumnId]:
        return refs(self.condition)

    def keeping(self, columns: tuple[Column, ...]) -> Rel:
        return self


@dataclass(frozen=True, slots=True)
class Project(OverInput):
    """For each row of the input one row of these scalars; duplicates stay."""

    told_apart_by = ONE_ROW
    keeps_signs = True

    input: Rel
    outputs: Outputs

    def __post_init__(self) -> None:
        require_known("projection", self.reads, self.input.columns)
        require_unique("projection", self.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(column for column, _ in self.outputs)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        return tuple(scalar for _, scalar in self.outputs)

    def with_scalars(self, change: Callable[[Scalar], Scalar]) -> Project:
        return replace(self, outputs=tuple((c, change(s)) for c, s in self.outputs))

    @property
    def reads(self) -> frozenset[ColumnId]:
        return frozenset(r for _, scalar in self.outputs for r in refs(scalar))

    @property
    def origins(self) -> Origins:
        copies = ((c, s.id) for c, s in self.outputs if isinstance(s, Ref))
        return {c.id: (Origin(self.input, own),) for c, own in copies}

    @property
    def separate_by(self) -> Separation:
        return ({c.id: s.id for c, s in self.outputs if isinstance(s, Ref)},)

    def keeping(self, columns: tuple[Column, ...]) -> Rel:
        return replace(self, outputs=self.outputs + tuple((c, Ref(c.id)) for c in columns))


@dataclass(frozen=True, slots=True)
class Generate(PassesOn):
    """Each row of the input with each row that the generator gives for it.

    outer: a row for which it gives none stays, padded with NULLs.
    """

    keeps_signs = True

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

    @property
    def told_apart_by(self) -> frozenset[ColumnId] | None:
        """The place of an element in its array."""
        is_placed = called(self.generator) in ("posexplode", "posexplode_outer")
        return ids(self.made[:1]) if is_placed else None

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        return (self.generator,)

    def with_scalars(self, change: Callable[[Scalar], Scalar]) -> Generate:
        return replace(self, generator=change(self.generator))

    @property
    def reads(self) -> frozenset[ColumnId]:
        return refs(self.generator)

    def keeping(self, columns: tuple[Column, ...]) -> Rel:
        return self


@dataclass(frozen=True, slots=True)
class Unpivot(WithoutScalars, OverInput):
    """For each row of the input and each entry of `rows`: the kept columns, the entry's label and
    the values of its columns; without those whose values are all NULL unless `keeps_nulls`.
    """

    keeps_signs = True

    input: Rel
    kept: tuple[Column, ...]
    label: Column
    values: tuple[Column, ...]
    rows: tuple[tuple[str, tuple[ColumnId, ...]], ...]
    keeps_nulls: bool = False

    def __post_init__(self) -> None:
        require_known("unpivot", self.reads, self.input.columns)
        require_unique("unpivot", self.columns)
        widths = {len(entry) for _, entry in self.rows}
        require(widths == {len(self.values)}, f"unpivot of {self.rows} into {self.values}")

    @property
    def columns(self) -> tuple[Column, ...]:
        return (*self.kept, self.label, *self.values)

    @property
    def told_apart_by(self) -> frozenset[ColumnId] | None:
        labels = {label for label, _ in self.rows}
        if len(labels) < len(self.rows):
            return None
        return ids([self.label]) if len(labels) > 1 else ONE_ROW

    @property
    def reads(self) -> frozenset[ColumnId]:
        return ids(self.kept) | {c for _, entry in self.rows for c in entry}

    @property
    def origins(self) -> Origins:
        return passed(self.kept, self.input)

    @property
    def separate_by(self) -> Separation:
        return (same(self.kept),)

    def keeping(self, columns: tuple[Column, ...]) -> Rel:
        return replace(self, kept=self.kept + columns)


@dataclass(frozen=True, slots=True)
class Signed(WithoutScalars, PassesOn):
    """The rows of a plain relation as changes: each with the weight 1, or -1."""

    told_apart_by = ONE_ROW

    input: Rel
    weight: Literal[1, -1]

    def __post_init__(self) -> None:
        require(not self.input.weighted, "a sign for rows that have weights")

    @property
    def weighted(self) -> bool:
        return True

    @property
    def reads(self) -> frozenset[ColumnId]:
        return frozenset()


@dataclass(frozen=True, slots=True)
class Negate(WithoutScalars, PassesOn):
    """The same rows, weights negated."""

    told_apart_by = ONE_ROW

    input: Rel

    def __post_init__(self) -> None:
        require(self.input.weighted, "negation of a plain relation")

    @property
    def reads(self) -> frozenset[ColumnId]:
        return frozenset()
