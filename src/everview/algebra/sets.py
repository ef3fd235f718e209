"""Operators on whole rows: sums, differences, rows without their copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from everview.algebra.integrity import require, require_known, require_unique
from everview.algebra.rowwise import OverInput
from everview.algebra.scalars import Column

if TYPE_CHECKING:
    from everview.algebra.relations import Rel


def _require_widths(what: str, inputs: tuple[Rel, ...], columns: tuple[Column, ...]) -> None:
    require_unique(what, columns)
    widths = {len(i.columns) for i in inputs} | {len(columns)}
    require(len(widths) == 1, f"{what} of inputs of different widths {sorted(widths)}")


@dataclass(frozen=True, slots=True)
class UnionAll:
    """The rows of all inputs, column by position, under columns of its own."""

    inputs: tuple[Rel, ...]
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        require(len(self.inputs) > 0, "a union of nothing")
        _require_widths("union", self.inputs, self.columns)
        require(len({i.weighted for i in self.inputs}) == 1, "a union of plain and weighted")

    @property
    def weighted(self) -> bool:
        return self.inputs[0].weighted


@dataclass(frozen=True, slots=True)
class _Compared:
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


@dataclass(frozen=True, slots=True)
class Except(_Compared):
    """Each row as often as it is more often left than right; without `all` once, if it is not
    right at all.
    """


@dataclass(frozen=True, slots=True)
class Intersect(_Compared):
    """Each row as often as it is on both sides; without `all` once."""


@dataclass(frozen=True, slots=True)
class Distinct(OverInput):
    """Each row of the input once; NULLs are equal."""

    input: Rel

    def __post_init__(self) -> None:
        require(not self.input.weighted, "distinct over a weighted input")


@dataclass(frozen=True, slots=True)
class Touched:
    """The distinct values of these columns that occur in changes, with whatever weight; plain."""

    changes: Rel
    columns: tuple[Column, ...]
    weighted: bool = False

    def __post_init__(self) -> None:
        require(self.changes.weighted, "what is touched by a plain relation")
        require(not self.weighted, "touched rows are plain")
        require_known("touched", [c.id for c in self.columns], self.changes.columns)
        require_unique("touched", self.columns)


@dataclass(frozen=True, slots=True)
class Net(OverInput):
    """One line per distinct row with the sum of its weights; none where the sum is zero."""

    input: Rel

    def __post_init__(self) -> None:
        require(self.input.weighted, "net of a plain relation")


@dataclass(frozen=True, slots=True)
class Copies(OverInput):
    """The rows of changes that are a relation by themselves: each as often as its weight says,
    which is never below zero; plain.
    """

    input: Rel

    def __post_init__(self) -> None:
        require(self.input.weighted, "copies of plain rows")

    @property
    def weighted(self) -> bool:
        return False
