"""Operators on whole rows: sums, differences, rows without their copies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everview.algebra.integrity import require, require_known, require_unique
from everview.algebra.operator import (
    ONE_ROW,
    Origin,
    Origins,
    Separation,
    WithoutScalars,
    ids,
    passed,
    same,
)
from everview.algebra.rowwise import PassesOn
from everview.algebra.scalars import Column, ColumnId

if TYPE_CHECKING:
    from everview.algebra.relations import Rel


def _require_widths(what: str, inputs: tuple[Rel, ...], columns: tuple[Column, ...]) -> None:
    require_unique(what, columns)
    widths = {len(i.columns) for i in inputs} | {len(columns)}
    require(len(widths) == 1, f"{what} of inputs of different widths {sorted(widths)}")


class _ByPlace(WithoutScalars):
    """Of an operator whose inputs have as many columns as it, each under that of its place; Spark
    casts those of one place to one type.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def inputs(self) -> tuple[Rel, ...]: ...
        @property
        def columns(self) -> tuple[Column, ...]: ...

    @property
    def reads(self) -> frozenset[ColumnId]:
        return ids(c for i in self.inputs for c in i.columns)

    @property
    def separate_by(self) -> Separation:
        pairs = (zip(self.columns, i.columns, strict=True) for i in self.inputs)
        return tuple({c.id: own.id for c, own in each} for each in pairs)

    @property
    def origins(self) -> Origins:
        return {
            column.id: tuple(Origin(i, i.columns[place].id) for i in self.inputs)
            for place, column in enumerate(self.columns)
        }


@dataclass(frozen=True, slots=True)
class UnionAll(_ByPlace):
    """The rows of all inputs, column by position, under columns of its own."""

    keeps_signs = True

    inputs: tuple[Rel, ...]
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        require(len(self.inputs) > 0, "a union of nothing")
        _require_widths("union", self.inputs, self.columns)
        require(len({i.weighted for i in self.inputs}) == 1, "a union of plain and weighted")

    @property
    def weighted(self) -> bool:
        return self.inputs[0].weighted

    def over(self, inputs: tuple[Rel, ...]) -> UnionAll:
        return replace(self, inputs=inputs)


@dataclass(frozen=True, slots=True)
class _Compared(_ByPlace):
    """Of an operator that counts how often a row is on each side."""

    left: Rel
    right: Rel
    columns: tuple[Column, ...]
    all: bool
    weighted: bool = False

    def __post_init__(self) -> None:
        what = type(self).__name__.lower()
        _require_widths(what, (self.left, self.right), self.columns)
        require(not (self.weighted or self.left.weighted or self.right.weighted), f"{what}: plain")

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return (self.left, self.right)

    def over(self, inputs: tuple[Rel, ...]) -> Rel:
        left, right = inputs
        changed: Rel = replace(self, left=left, right=right)  # type: ignore[assignment]
        return changed


@dataclass(frozen=True, slots=True)
class Except(_Compared):
    """Each row as often as it is more often left than right; without `all` once, if it is not
    right at all.
    """


@dataclass(frozen=True, slots=True)
class Intersect(_Compared):
    """Each row as often as it is on both sides; without `all` once."""


@dataclass(frozen=True, slots=True)
class Distinct(WithoutScalars, PassesOn):
    """Each row of the input once; NULLs are equal."""

    told_apart_by = ONE_ROW

    input: Rel

    def __post_init__(self) -> None:
        require(not self.input.weighted, "distinct over a weighted input")

    @property
    def groups(self) -> tuple[Column, ...]:
        return self.columns

    @property
    def reads(self) -> frozenset[ColumnId]:
        return ids(self.input.columns)

    def keeping(self, columns: tuple[Column, ...]) -> Rel:
        return self


@dataclass(frozen=True, slots=True)
class Touched(WithoutScalars):
    """The distinct values of these columns that occur in changes, with whatever weight; plain."""

    told_apart_by = ONE_ROW

    changes: Rel
    columns: tuple[Column, ...]
    weighted: bool = False

    def __post_init__(self) -> None:
        require(self.changes.weighted, "what is touched by a plain relation")
        require(not self.weighted, "touched rows are plain")
        require_known("touched", [c.id for c in self.columns], self.changes.columns)
        require_unique("touched", self.columns)

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return (self.changes,)

    @property
    def groups(self) -> tuple[Column, ...]:
        return self.columns

    @property
    def reads(self) -> frozenset[ColumnId]:
        return ids(self.columns)

    @property
    def origins(self) -> Origins:
        return passed(self.columns, self.changes)

    @property
    def separate_by(self) -> Separation:
        return (same(self.columns),)

    def over(self, inputs: tuple[Rel, ...]) -> Touched:
        (changes,) = inputs
        return replace(self, changes=changes)


@dataclass(frozen=True, slots=True)
class Net(WithoutScalars, PassesOn):
    """One line per distinct row with the sum of its weights; none where the sum is zero."""

    told_apart_by = ONE_ROW
    keeps_signs = True

    input: Rel

    def __post_init__(self) -> None:
        require(self.input.weighted, "net of a plain relation")

    @property
    def reads(self) -> frozenset[ColumnId]:
        return ids(self.input.columns)


@dataclass(frozen=True, slots=True)
class Copies(WithoutScalars, PassesOn):
    """The rows of changes that are a relation by themselves: each as often as its weight says,
    which is never below zero; plain.
    """

    input: Rel

    def __post_init__(self) -> None:
        require(self.input.weighted, "copies of plain rows")

    @property
    def weighted(self) -> bool:
        return False

    @property
    def reads(self) -> frozenset[ColumnId]:
        return frozenset()
