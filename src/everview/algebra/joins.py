"""The join: pairs of rows, or rows of one side tested against the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, assert_never

from everview.algebra.integrity import require, require_known, require_unique
from everview.algebra.operator import Operator, Origins, Separation, passed, same
from everview.algebra.scalars import Column, ColumnId, Scalar, refs

if TYPE_CHECKING:
    from everview.algebra.relations import Rel

JoinKind = Literal["inner", "cross", "left", "right", "full", "semi", "anti", "mark"]
Side = Literal["left", "right"]

# The kinds whose side is only tested for partners: it must be plain.
_TESTED: dict[Side, tuple[JoinKind, ...]] = {
    "right": ("left", "full", "semi", "anti", "mark"),
    "left": ("right", "full"),
}


@dataclass(frozen=True, slots=True)
class Join(Operator):
    """Pairs of rows that satisfy the condition; weights pass through, at most one side has
    them.

    left, right, full: also rows of that side (of both) without partner, padded with NULLs. semi,
    anti: left rows with, without partner. mark: every left row with a column that is true if it
    has a partner, else false. `broadcast` names the side known to be small.
    """

    keeps_signs = True

    kind: JoinKind
    left: Rel
    right: Rel
    condition: Scalar | None = None
    broadcast: Side | None = None
    mark: Column | None = None

    def __post_init__(self) -> None:
        both = self.left.columns + self.right.columns
        require_unique("join", both if self.mark is None else (*both, self.mark))
        require(not (self.left.weighted and self.right.weighted), "a join of two weighted sides")
        require((self.condition is None) == (self.kind == "cross"), f"condition of {self.kind}")
        require((self.mark is None) == (self.kind != "mark"), f"mark of {self.kind}")
        if self.condition is not None:
            require_known("join", refs(self.condition), both)
        for side, rel in (("left", self.left), ("right", self.right)):
            tested = self.kind in _TESTED[side]  # type: ignore[index]
            require(not (tested and rel.weighted), f"the {side} of a {self.kind} join is weighted")

    @property
    def columns(self) -> tuple[Column, ...]:
        match self.kind:
            case "semi" | "anti":
                return self.left.columns
            case "mark":
                assert self.mark is not None
                return (*self.left.columns, self.mark)
            case _:
                return self.left.columns + self.right.columns

    @property
    def weighted(self) -> bool:
        return self.left.weighted or self.right.weighted

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return (self.left, self.right)

    def over(self, inputs: tuple[Rel, ...]) -> Join:
        left, right = inputs
        return replace(self, left=left, right=right)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        return () if self.condition is None else (self.condition,)

    def with_scalars(self, change: Callable[[Scalar], Scalar]) -> Join:
        return self if self.condition is None else replace(self, condition=change(self.condition))

    @property
    def reads(self) -> frozenset[ColumnId]:
        return frozenset() if self.condition is None else refs(self.condition)

    @property
    def origins(self) -> Origins:
        left, right = self._unpadded()
        return {**passed(left, self.left), **passed(right, self.right)}

    @property
    def separate_by(self) -> Separation:
        left, right = self._unpadded()
        return same(left), same(right)

    def _unpadded(self) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
        """The columns of each side that come out in every row as they are."""
        match self.kind:
            case "inner" | "cross":
                return self.left.columns, self.right.columns
            case "left" | "semi" | "anti" | "mark":
                return self.left.columns, ()
            case "right":
                return (), self.right.columns
            case "full":
                return (), ()
            case _:
                assert_never(self.kind)
