"""Operators that look at all rows of a group, a partition or a whole relation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from everview.algebra.calls import AggregateCall, SortKey, VerbatimCall, WindowCall, WorkDelta
from everview.algebra.integrity import require, require_known, require_unique
from everview.algebra.rowwise import OverInput
from everview.algebra.scalars import Column, Scalar, refs

if TYPE_CHECKING:
    from everview.algebra.relations import Rel


class _Plain:
    """Of an operator whose rows have no weights."""

    __slots__ = ()

    @property
    def weighted(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Aggregate(_Plain):
    """One row per distinct key (NULLs are equal); without keys exactly one row, also over
    nothing.
    """

    input: Rel
    keys: tuple[Column, ...]
    calls: tuple[tuple[Column, AggregateCall | VerbatimCall], ...]

    def __post_init__(self) -> None:
        require(not self.input.weighted, "aggregate over a weighted input")
        used = [k.id for k in self.keys] + [a for _, call in self.calls for a in call.args]
        require_known("aggregate", used, self.input.columns)
        require_unique("aggregate", self.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.keys + tuple(column for column, _ in self.calls)


@dataclass(frozen=True, slots=True)
class Window(OverInput):
    """Each row of the input with what the calls say of it among the rows of its partition."""

    input: Rel
    partition: tuple[Column, ...]
    calls: tuple[tuple[Column, WindowCall], ...]

    def __post_init__(self) -> None:
        require(not self.input.weighted, "window over a weighted input")
        used = {p.id for p in self.partition} | {r for _, call in self.calls for r in call.args}
        require_known("window", used, self.input.columns)
        require_unique("window", self.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.input.columns + tuple(column for column, _ in self.calls)


@dataclass(frozen=True, slots=True)
class TopK(OverInput):
    """The rows of the input in this order, without the first `offset`, at most `limit` of them."""

    input: Rel
    order: tuple[SortKey, ...]
    limit: Scalar | None
    offset: Scalar | None = None

    def __post_init__(self) -> None:
        require(not self.input.weighted, "a limit of a weighted input")
        require_known("order", [k.column for k in self.order], self.input.columns)
        read = [refs(s) for s in (self.limit, self.offset) if s is not None]
        require(not any(read), f"a limit reads columns: {self.limit}, {self.offset}")


@dataclass(frozen=True, slots=True)
class Pivot(_Plain):
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
        used = {c.id for c in (*self.keys, *self.dimensions)}
        used |= {r for m in self.measures for r in refs(m)}
        require_known("pivot", used, self.input.columns)
        require_unique("pivot", self.columns)
        require({len(v) for v in self.values} == {len(self.dimensions)}, f"pivot: {self.values}")
        made = len(self.values) * len(self.measures)
        require(made == len(self.cells), f"pivot: {made} values in {len(self.cells)} cells")

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.keys + self.cells


@dataclass(frozen=True, slots=True)
class ChangeTable(_Plain):
    """One row per touched group: its key and what the changes say of each work area."""

    changes: Rel
    keys: tuple[Column, ...]
    areas: tuple[tuple[Column, WorkDelta], ...]

    def __post_init__(self) -> None:
        require(self.changes.weighted, "a change table of a plain relation")
        used = [k.id for k in self.keys] + [a.arg for _, a in self.areas if a.arg is not None]
        require_known("change table", used, self.changes.columns)
        require_unique("change table", self.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.keys + tuple(column for column, _ in self.areas)
