"""Operators that look at all rows of a group, a partition or a whole relation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from everview.algebra.calls import AggregateCall, SortKey, VerbatimCall, WindowCall, WorkDelta
from everview.algebra.integrity import require, require_known, require_unique
from everview.algebra.operator import (
    ONE_ROW,
    Origins,
    OverInput,
    Separation,
    WithoutScalars,
    WithoutWeights,
    ids,
    passed,
    same,
)
from everview.algebra.scalars import Column, ColumnId, Scalar, refs

if TYPE_CHECKING:
    from everview.algebra.relations import Rel


class _PerKey(WithoutWeights, OverInput):
    """Of an operator that makes one row of all rows with the same keys."""

    __slots__ = ()
    told_apart_by = ONE_ROW
    keys: tuple[Column, ...]

    @property
    def groups(self) -> tuple[Column, ...]:
        return self.keys

    @property
    def origins(self) -> Origins:
        return passed(self.keys, self.input)

    @property
    def separate_by(self) -> Separation:
        return (same(self.keys),)


@dataclass(frozen=True, slots=True)
class Aggregate(_PerKey):
    """One row per distinct key (NULLs are equal); without keys exactly one row, also over
    nothing.
    """

    input: Rel
    keys: tuple[Column, ...]
    calls: tuple[tuple[Column, AggregateCall | VerbatimCall], ...]

    def __post_init__(self) -> None:
        require(not self.input.weighted, "aggregate over a weighted input")
        require_known("aggregate", self.reads, self.input.columns)
        require_unique("aggregate", self.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.keys + tuple(column for column, _ in self.calls)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        return tuple(call.text for _, call in self.calls if isinstance(call, VerbatimCall))

    def with_scalars(self, change: Callable[[Scalar], Scalar]) -> Aggregate:
        calls = (
            (c, replace(f, text=change(f.text)) if isinstance(f, VerbatimCall) else f)
            for c, f in self.calls
        )
        return replace(self, calls=tuple(calls))

    @property
    def reads(self) -> frozenset[ColumnId]:
        return ids(self.keys) | {a for _, call in self.calls for a in call.args}

    def keeping(self, columns: tuple[Column, ...]) -> Rel:
        return replace(self, keys=self.keys + columns)


@dataclass(frozen=True, slots=True)
class Window(OverInput):
    """Each row of the input with what the calls say of it among the rows of its partition."""

    told_apart_by = ONE_ROW

    input: Rel
    partition: tuple[Column, ...]
    calls: tuple[tuple[Column, WindowCall], ...]

    def __post_init__(self) -> None:
        require(not self.input.weighted, "window over a weighted input")
        require_known("window", self.reads, self.input.columns)
        require_unique("window", self.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.input.columns + tuple(column for column, _ in self.calls)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        return tuple(call.function for _, call in self.calls)

    def with_scalars(self, change: Callable[[Scalar], Scalar]) -> Window:
        calls = ((c, replace(call, function=change(call.function))) for c, call in self.calls)
        return replace(self, calls=tuple(calls))

    @property
    def reads(self) -> frozenset[ColumnId]:
        return ids(self.partition) | {r for _, call in self.calls for r in call.args}

    @property
    def origins(self) -> Origins:
        return passed(self.input.columns, self.input)

    @property
    def separate_by(self) -> Separation:
        return (same(self.partition),)

    def keeping(self, columns: tuple[Column, ...]) -> Rel:
        return replace(self, partition=self.partition + columns)


@dataclass(frozen=True, slots=True)
class TopK(OverInput):
    """The rows of the input in this order, without the first `offset`, at most `limit` of them."""

    told_apart_by = ONE_ROW

    input: Rel
    order: tuple[SortKey, ...]
    limit: Scalar | None
    offset: Scalar | None = None

    def __post_init__(self) -> None:
        require(not self.input.weighted, "a limit of a weighted input")
        require_known("order", self.reads, self.input.columns)
        require(
            not any(map(refs, self.scalars)), f"a limit reads columns: {self.limit}, {self.offset}"
        )

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        return tuple(s for s in (self.limit, self.offset) if s is not None)

    def with_scalars(self, change: Callable[[Scalar], Scalar]) -> TopK:
        limit, offset = (None if s is None else change(s) for s in (self.limit, self.offset))
        return replace(self, limit=limit, offset=offset)

    @property
    def reads(self) -> frozenset[ColumnId]:
        return frozenset(key.column for key in self.order)

    @property
    def origins(self) -> Origins:
        return passed(self.input.columns, self.input)

    @property
    def separate_by(self) -> Separation:
        return ({},)


@dataclass(frozen=True, slots=True)
class Pivot(_PerKey):
    """One row per distinct key, with a cell for each entry of `values` and each measure: the
    measure over the key's rows whose dimensions have those values.
    """

    input: Rel
    keys: tuple[Column, ...]
    dimensions: tuple[Column, ...]
    values: tuple[tuple[Scalar, ...], ...]
    measures: tuple[Scalar, ...]
    cells: tuple[Column, ...]

    def __post_init__(self) -> None:
        require(not self.input.weighted, "pivot of a weighted input")
        require_known("pivot", self.reads, self.input.columns)
        require_unique("pivot", self.columns)
        require({len(v) for v in self.values} == {len(self.dimensions)}, f"pivot: {self.values}")
        made = len(self.values) * len(self.measures)
        require(made == len(self.cells), f"pivot: {made} values in {len(self.cells)} cells")

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.keys + self.cells

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        return (*(s for entry in self.values for s in entry), *self.measures)

    def with_scalars(self, change: Callable[[Scalar], Scalar]) -> Pivot:
        values = tuple(tuple(map(change, entry)) for entry in self.values)
        return replace(self, values=values, measures=tuple(map(change, self.measures)))

    @property
    def reads(self) -> frozenset[ColumnId]:
        return ids(self.keys + self.dimensions).union(*map(refs, self.scalars))

    def keeping(self, columns: tuple[Column, ...]) -> Rel:
        return replace(self, keys=self.keys + columns)


@dataclass(frozen=True, slots=True)
class ChangeTable(WithoutWeights, WithoutScalars):
    """One row per touched group: its key and what the changes say of each work area."""

    told_apart_by = ONE_ROW

    changes: Rel
    keys: tuple[Column, ...]
    areas: tuple[tuple[Column, WorkDelta], ...]

    def __post_init__(self) -> None:
        require(self.changes.weighted, "a change table of a plain relation")
        require_known("change table", self.reads, self.changes.columns)
        require_unique("change table", self.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.keys + tuple(column for column, _ in self.areas)

    @property
    def inputs(self) -> tuple[Rel, ...]:
        return (self.changes,)

    @property
    def groups(self) -> tuple[Column, ...]:
        return self.keys

    @property
    def reads(self) -> frozenset[ColumnId]:
        return ids(self.keys) | {a.arg for _, a in self.areas if a.arg is not None}

    @property
    def origins(self) -> Origins:
        return passed(self.keys, self.changes)

    @property
    def separate_by(self) -> Separation:
        return (same(self.keys),)

    def over(self, inputs: tuple[Rel, ...]) -> ChangeTable:
        (changes,) = inputs
        return replace(self, changes=changes)
