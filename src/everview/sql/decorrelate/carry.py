"""Subqueries that read the row around them, as relations that carry its values in columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import assert_never

from everview.algebra.calls import AggregateCall, SortKey, VerbatimCall, WindowCall
from everview.algebra.fresh import Fresh
from everview.algebra.relations import (
    Aggregate,
    Changes,
    ChangeTable,
    Copies,
    Distinct,
    Except,
    Filter,
    Generate,
    Intersect,
    Join,
    Local,
    Negate,
    Net,
    Pivot,
    Project,
    Rel,
    Scan,
    Shared,
    Signed,
    TableFunction,
    TopK,
    Touched,
    UnionAll,
    Unpivot,
    Values,
    Window,
)
from everview.algebra.scalars import (
    And,
    Call,
    Column,
    ColumnId,
    Compare,
    Outer,
    Ref,
    Scalar,
    all_of,
    conjuncts,
    integer,
    outers,
    refs,
)
from everview.sql.decorrelate.of_nothing import of_nothing
from everview.sql.decorrelate.parameters import Carried, parameters


class CannotCarry(Exception):
    """The row around is read where no relation can carry it."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """Turns the parameters `ids` of a plan into columns; `domain` gives a new relation of all
    their values, under new columns in the order of `ids`.
    """

    ids: tuple[ColumnId, ...]
    domain: Callable[[], Rel]
    fresh: Fresh

    def carry(self, rel: Rel) -> Carried:
        """For each row d of the domain: the rows of the plan with d for its parameters, with d."""
        if not self._reads(rel):
            return self._crossed(rel)
        match rel:
            case Filter():
                return self._filter(rel)
            case Project(input_, outputs):
                below = self.carry(input_)
                own = tuple((c, below.bound(s)) for c, s in outputs)
                return replace(below, rel=Project(below.rel, own + below.passed()))
            case Generate() | Unpivot() | Pivot():
                return self._extended(rel)
            case Shared(_, input_):
                return self.carry(input_)
            case Join():
                return self._join(rel)
            case UnionAll(inputs, columns):
                return self._union(rel, inputs, columns)
            case Except(left, right, columns) | Intersect(left, right, columns):
                return self._union(rel, (left, right), columns)
            case Distinct(input_):
                below = self.carry(input_)
                return replace(below, rel=Distinct(below.rel))
            case Aggregate():
                return self._aggregate(rel)
            case Window():
                return self._window(rel)
            case TopK():
                return self._top(rel)
            case Values() | TableFunction():
                raise CannotCarry
            case Scan() | Changes() | Local():
                raise AssertionError("a table reads no row around it")
            case Signed() | Negate() | Net() | Copies() | Touched() | ChangeTable():
                raise AssertionError(f"{type(rel).__name__} in a query")
            case _:
                assert_never(rel)

    def _extended(self, rel: Generate | Unpivot | Pivot) -> Carried:
        below = self.carry(rel.input)
        held = tuple(below.held.values())
        match rel:
            case Generate(_, generator):
                made: Rel = replace(rel, input=below.rel, generator=below.bound(generator))
            case Unpivot(_, kept):
                made = replace(rel, input=below.rel, kept=(*kept, *held))
            case Pivot(_, keys):
                made = replace(rel, input=below.rel, keys=(*keys, *held))
        return replace(below, rel=made)

    def _reads(self, rel: Rel) -> bool:
        return bool(parameters(rel) & set(self.ids))

    def _values(self) -> Carried:
        domain = self.domain()
        return Carried(domain, dict(zip(self.ids, domain.columns, strict=True)))

    def _crossed(self, rel: Rel) -> Carried:
        domain = self._values()
        return replace(domain, rel=Join("cross", rel, domain.rel))

    def _filter(self, rel: Filter) -> Carried:
        found = self._by_equality(rel)
        if found is not None:
            return found
        below = self.carry(rel.input)
        return replace(below, rel=Filter(below.rel, below.bound(rel.condition)))

    def _by_equality(self, rel: Filter) -> Carried | None:
        """σ[o = x ∧ p] R: where every parameter o is equal to an x of R, x holds its value."""
        if self._reads(rel.input):
            return None
        parts = conjuncts(rel.condition)
        equal: dict[ColumnId, Scalar] = {}
        used: list[Scalar] = []
        for part in parts:
            pair = self._equality(part)
            if pair is not None and pair[0] not in equal:
                equal[pair[0]] = pair[1]
                used.append(part)
        if set(equal) != set(self.ids):
            return None
        held, more = self._held(equal, rel.input)
        whole: Rel = rel.input
        if more:
            whole = Project(whole, tuple((c, Ref(c.id)) for c in whole.columns) + more)
        carried = Carried(whole, held, frozenset(self.ids))
        rest = tuple(carried.bound(p) for p in parts if not any(p is u for u in used))
        return replace(carried, rel=Filter(whole, all_of(rest))) if rest else carried

    def _held(
        self, equal: dict[ColumnId, Scalar], input_: Rel
    ) -> tuple[dict[ColumnId, Column], tuple[tuple[Column, Scalar], ...]]:
        """For each parameter the column of its value, and those that are to be computed."""
        known = {c.id: c for c in input_.columns}
        held: dict[ColumnId, Column] = {}
        more: list[tuple[Column, Scalar]] = []
        for id_, scalar in equal.items():
            own = known.get(scalar.id) if isinstance(scalar, Ref) else None
            if own is None or own in held.values():
                own = self.fresh.column("value")
                more.append((own, scalar))
            held[id_] = own
        return held, tuple(more)

    def _equality(self, part: Scalar) -> tuple[ColumnId, Scalar] | None:
        match part:
            case Compare("=", Outer(id_), other) | Compare("=", other, Outer(id_)):
                is_free = id_ in self.ids and not outers(other) & set(self.ids)
                return (id_, other) if is_free and refs(other) else None
            case _:
                return None

    def _join(self, rel: Join) -> Carried:
        """The preserved side carries; the other one too if it reads a parameter."""
        if rel.kind == "full":
            return self._full(rel)
        first = "right" if rel.kind == "right" else "left"
        if rel.kind in ("inner", "cross") and not self._reads(rel.left):
            first = "right"
        one, other = (rel.left, rel.right) if first == "left" else (rel.right, rel.left)
        carried = self.carry(one)
        conditions = tuple(carried.bound(p) for p in conjuncts(rel.condition))
        second, strict = other, carried.strict
        if self._reads(other):
            inner = self.carry(other)
            if rel.kind in ("inner", "cross"):
                strict |= inner.strict
            else:
                inner = inner.plain()
            conditions += carried.same_as(inner)
            second = inner.rel
        sides = (carried.rel, second) if first == "left" else (second, carried.rel)
        kind = "inner" if rel.kind == "cross" and conditions else rel.kind
        condition = all_of(conditions) if conditions else None
        join = replace(rel, kind=kind, left=sides[0], right=sides[1], condition=condition)
        return Carried(join, carried.held, strict)

    def _full(self, rel: Join) -> Carried:
        left, right = self.carry(rel.left).plain(), self.carry(rel.right).plain()
        conditions = tuple(left.bound(p) for p in conjuncts(rel.condition))
        join = replace(
            rel, left=left.rel, right=right.rel, condition=And((*conditions, *left.same_as(right)))
        )
        held = {id_: self.fresh.column(c.name) for id_, c in left.held.items()}
        both = tuple(
            (c, Call("coalesce", (Ref(left.held[id_].id), Ref(right.held[id_].id))))
            for id_, c in held.items()
        )
        own = tuple((c, Ref(c.id)) for c in rel.columns)
        return Carried(Project(join, own + both), held)

    def _union(
        self,
        rel: UnionAll | Except | Intersect,
        inputs: tuple[Rel, ...],
        columns: tuple[Column, ...],
    ) -> Carried:
        """Each input carries; the values stand after its own columns."""
        below = [self.carry(i).plain() for i in inputs]
        aligned = tuple(
            Project(b.rel, tuple((c, Ref(c.id)) for c in i.columns) + b.passed())
            for i, b in zip(inputs, below, strict=True)
        )
        held = {id_: self.fresh.column(c.name) for id_, c in below[0].held.items()}
        whole = columns + tuple(held.values())
        if isinstance(rel, UnionAll):
            return Carried(UnionAll(aligned, whole), held)
        left, right = aligned
        return Carried(replace(rel, left=left, right=right, columns=whole), held)

    def _aggregate(self, rel: Aggregate) -> Carried:
        below = self.carry(rel.input)
        calls = tuple((c, self._call(call, below)) for c, call in rel.calls)
        grouped = Aggregate(below.rel, (*rel.keys, *below.held.values()), calls)
        carried = replace(below, rel=grouped)
        if rel.keys:
            return carried
        return self._also_of_nothing(rel, carried)

    def _call(
        self, call: AggregateCall | VerbatimCall, below: Carried
    ) -> AggregateCall | VerbatimCall:
        return (
            replace(call, text=below.bound(call.text)) if isinstance(call, VerbatimCall) else call
        )

    def _also_of_nothing(self, rel: Aggregate, grouped: Carried) -> Carried:
        """Without keys there is a row for every value, also where nothing was aggregated."""
        made = {c.id: self.fresh.column(c.name) for c, _ in rel.calls}
        grouped = grouped.plain()
        inner = Project(
            grouped.rel,
            tuple((made[c.id], Ref(c.id)) for c, _ in rel.calls) + grouped.passed(),
        )
        domain = self._values()
        join = Join("left", domain.rel, inner, all_of(domain.same_as(grouped)))
        values = tuple((c, of_nothing(call, Ref(made[c.id].id))) for c, call in rel.calls)
        return replace(domain, rel=Project(join, values + domain.passed()))

    def _window(self, rel: Window) -> Carried:
        below = self.carry(rel.input)
        calls = tuple(
            (c, replace(call, function=below.bound(call.function))) for c, call in rel.calls
        )
        partition = (*rel.partition, *below.held.values())
        return replace(below, rel=Window(below.rel, partition, calls))

    def _top(self, rel: TopK) -> Carried:
        """The first rows for each value: by their number in the order."""
        below = self.carry(rel.input)
        number = self.fresh.column("place")
        call = WindowCall(Call("row_number", ()), rel.order or self._any_order(rel))
        numbered = Window(below.rel, tuple(below.held.values()), ((number, call),))
        place: Scalar = Ref(number.id)
        if rel.offset is not None:
            place = Call("-", (place, rel.offset))
        conditions: list[Scalar] = [] if rel.offset is None else [Compare(">", place, integer(0))]
        if rel.limit is not None:
            conditions.append(Compare("<=", place, rel.limit))
        cut = Filter(numbered, And(tuple(conditions)))
        kept = tuple((c, Ref(c.id)) for c in below.rel.columns)
        return replace(below, rel=Project(cut, kept))

    def _any_order(self, rel: TopK) -> tuple[SortKey, ...]:
        """Spark numbers rows only in some order; where none was asked for, any will do."""
        return (SortKey(rel.input.columns[0].id, descending=False, nulls_first=True),)
