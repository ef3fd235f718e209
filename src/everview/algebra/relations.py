"""Operators as frozen values; a wrong one cannot be built."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from everview.algebra.calls import AggregateCall, WorkDelta
from everview.algebra.scalars import Column, ColumnId, Constant, Scalar, refs


class At(Enum):
    """Which snapshot a scan reads: the one the stored view is exact at, or the one it moves to."""

    OLD = "old"
    NEW = "new"


class PlanError(Exception):
    """An operator that denotes nothing was about to be built; always a bug in a rule."""


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise PlanError(message)


def _require_known(what: str, used: Iterable[ColumnId], columns: tuple[Column, ...]) -> None:
    missing = sorted(set(used) - {c.id for c in columns})
    _require(not missing, f"{what} reads columns {missing}, its input has {list(columns)}")


def _require_unique(what: str, columns: tuple[Column, ...]) -> None:
    _require(len({c.id for c in columns}) == len(columns), f"{what} repeats a column: {columns}")


@dataclass(frozen=True, slots=True)
class Scan:
    """The rows of a table at one snapshot, these columns only."""

    table: str
    at: At
    columns: tuple[Column, ...]
    weighted: bool = False

    def __post_init__(self) -> None:
        _require(not self.weighted, "a scan is plain")
        _require_unique("scan", self.columns)


@dataclass(frozen=True, slots=True)
class Changes:
    """The weighted rows that turn the table at OLD into the table at NEW (gross: lines may
    cancel).
    """

    table: str
    columns: tuple[Column, ...]
    weighted: bool = True

    def __post_init__(self) -> None:
        _require(self.weighted, "changes are weighted")
        _require_unique("changes", self.columns)


@dataclass(frozen=True, slots=True)
class Local:
    """Rows at hand under a name: staged or fetched by an earlier step."""

    name: str
    columns: tuple[Column, ...]
    weighted: bool = False


@dataclass(frozen=True, slots=True)
class Values:
    """These rows of constants."""

    rows: tuple[tuple[Constant, ...], ...]
    columns: tuple[Column, ...]
    weighted: bool = False

    def __post_init__(self) -> None:
        _require(not self.weighted, "values are plain")
        _require({len(r) for r in self.rows} == {len(self.columns)}, f"width of {self.rows}")


class _OverInput:
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
class Filter(_OverInput):
    """The rows of the input for which the condition is true."""

    input: Rel
    condition: Scalar

    def __post_init__(self) -> None:
        _require_known("filter", refs(self.condition), self.input.columns)


@dataclass(frozen=True, slots=True)
class Project(_OverInput):
    """For each row of the input one row of these scalars; duplicates stay."""

    input: Rel
    outputs: tuple[tuple[Column, Scalar], ...]

    def __post_init__(self) -> None:
        used = {r for _, scalar in self.outputs for r in refs(scalar)}
        _require_known("projection", used, self.input.columns)
        _require_unique("projection", self.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(column for column, _ in self.outputs)


JoinKind = Literal["inner", "cross", "left", "semi", "anti"]
Side = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Join:
    """Pairs of rows that satisfy the condition; weights pass through, at most one side has
    them.

    left: also left rows without partner, padded with NULLs. semi, anti: left rows with, without
    partner; the right side is only tested, so it must be plain. `broadcast` names the side
    known to be small.
    """

    kind: JoinKind
    left: Rel
    right: Rel
    condition: Scalar | None = None
    broadcast: Side | None = None

    def __post_init__(self) -> None:
        both = self.left.columns + self.right.columns
        _require_unique("join", both)
        _require(not (self.left.weighted and self.right.weighted), "a join of two weighted sides")
        _require((self.condition is None) == (self.kind == "cross"), f"condition of {self.kind}")
        if self.condition is not None:
            _require_known("join", refs(self.condition), both)
        if self.kind in ("semi", "anti", "left"):
            _require(not self.right.weighted, f"the tested side of a {self.kind} join is weighted")

    @property
    def columns(self) -> tuple[Column, ...]:
        only_left = self.kind in ("semi", "anti")
        return self.left.columns + (() if only_left else self.right.columns)

    @property
    def weighted(self) -> bool:
        return self.left.weighted or self.right.weighted


@dataclass(frozen=True, slots=True)
class UnionAll:
    """The rows of all inputs, column by position, under columns of its own."""

    inputs: tuple[Rel, ...]
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        _require(len(self.inputs) > 0, "a union of nothing")
        _require_unique("union", self.columns)
        widths = {len(i.columns) for i in self.inputs} | {len(self.columns)}
        _require(len(widths) == 1, f"a union of inputs of different widths {sorted(widths)}")
        _require(len({i.weighted for i in self.inputs}) == 1, "a union of plain and weighted")

    @property
    def weighted(self) -> bool:
        return self.inputs[0].weighted


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One row per distinct key (NULLs are equal); without keys exactly one row, also over
    nothing.
    """

    input: Rel
    keys: tuple[Column, ...]
    calls: tuple[tuple[Column, AggregateCall], ...]

    def __post_init__(self) -> None:
        _require(not self.input.weighted, "aggregate over a weighted input")
        used = [k.id for k in self.keys] + [a for _, call in self.calls for a in call.args]
        _require_known("aggregate", used, self.input.columns)
        _require_unique("aggregate", self.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.keys + tuple(column for column, _ in self.calls)

    @property
    def weighted(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Negate(_OverInput):
    """The same rows, weights negated."""

    input: Rel

    def __post_init__(self) -> None:
        _require(self.input.weighted, "negation of a plain relation")


@dataclass(frozen=True, slots=True)
class Net(_OverInput):
    """One line per distinct row with the sum of its weights; none where the sum is zero."""

    input: Rel

    def __post_init__(self) -> None:
        _require(self.input.weighted, "net of a plain relation")


@dataclass(frozen=True, slots=True)
class ChangeTable:
    """One row per touched group: its key and what the changes say of each work area."""

    changes: Rel
    keys: tuple[Column, ...]
    areas: tuple[tuple[Column, WorkDelta], ...]

    def __post_init__(self) -> None:
        _require(self.changes.weighted, "a change table of a plain relation")
        used = [k.id for k in self.keys] + [a.arg for _, a in self.areas if a.arg is not None]
        _require_known("change table", used, self.changes.columns)
        _require_unique("change table", self.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.keys + tuple(column for column, _ in self.areas)

    @property
    def weighted(self) -> bool:
        return False


Rel = (
    Scan
    | Changes
    | Local
    | Values
    | Filter
    | Project
    | Join
    | UnionAll
    | Aggregate
    | Negate
    | Net
    | ChangeTable
)
