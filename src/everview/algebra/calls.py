"""What is asked of a group: aggregate functions over its rows, and deltas of its work areas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from everview.algebra.scalars import ColumnId, Scalar, refs

AggregateName = Literal["count", "sum", "avg", "min", "max", "copies_of_min", "copies_of_max"]


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """One aggregate function over columns of the input; count without arguments is count(*).

    copies_of_min, copies_of_max (work areas only): how many rows hold the group's extreme, 0 if
    it is NULL. `cast` is the Spark type the argument is cast to first, if any. distinct: over the
    distinct values (rows of values) of the arguments.
    """

    function: AggregateName
    args: tuple[ColumnId, ...]
    cast: str = ""
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class VerbatimCall:
    """One call of any aggregate function as Spark's own text over columns of the input.

    single: the value is looked at only where the group has one row.
    """

    text: Scalar
    single: bool = False

    @property
    def args(self) -> tuple[ColumnId, ...]:
        return tuple(sorted(refs(self.text)))


@dataclass(frozen=True, slots=True)
class SortKey:
    """A column to order by; NULLs first or last."""

    column: ColumnId
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class WindowCall:
    """A function over the rows of a partition in this order; `frame` is Spark's text, "" for its
    default.
    """

    function: Scalar
    order: tuple[SortKey, ...] = ()
    frame: str = ""

    @property
    def args(self) -> frozenset[ColumnId]:
        return refs(self.function) | {key.column for key in self.order}


Extreme = Literal["min", "max"]
DeltaName = Literal[
    "weight",
    "sum",
    "overflowed",
    "removed",
    "inserted",
    "inserted_copies",
    "deleted",
    "deleted_copies",
]


@dataclass(frozen=True, slots=True)
class WorkDelta:
    """What the changes say of one work area of a group; rows whose argument is NULL do not count.

    weight: sum of the weights. sum: sum of weight * argument, NULL if there is none; `type` is its
    Spark type. overflowed: 1 if that sum has more digits than its type, else 0. removed: copies
    with negative weight. inserted, deleted: the extreme argument among rows of positive, negative
    weight; inserted_copies, deleted_copies: how many copies of that extreme. `cast` is the Spark
    type the argument is cast to first, if any.
    """

    function: DeltaName
    arg: ColumnId | None = None
    extreme: Extreme | None = None
    type: str = ""
    cast: str = ""
