"""Subqueries that read the row around them, as relations that carry its values in columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from everview.algebra.calls import SortKey, WindowCall
from everview.algebra.fresh import Fresh
from everview.algebra.relations import (
    Aggregate,
    Except,
    Filter,
    Intersect,
    Join,
    Project,
    Rel,
    Shared,
    TopK,
    UnionAll,
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

# What goes in: a subquery that reads columns of the row around it (its parameters), and the
# domain: all values that those columns have. What comes out: a plan without parameters whose rows
# say for which values they are, in columns of their own, so that a join with the rows around
# gives each row its own. It is built from the leaves up. Where nothing reads a parameter, every
# row is for every value: the cross join with the domain. Above that, an operator does for each
# value what it did for all rows: it groups, partitions and keeps by the values as well. Where a
# filter says that a parameter is equal to a column, that column is the value, and no domain is
# needed.
#
#     (SELECT sum(x) FROM s WHERE s.k = t.k)       for each row of t
#     γ k, sum(x) (s)                              for each k: its sum
#     t ⟕ γ k, sum(x) (s)  on t.k = k              NULL where s has no such k


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
            return self._cross_domain(rel)
        match rel:
            case Filter():
                return self._by_equality(rel) or self._keeping(rel)
            case Shared(_, input_):
                return self.carry(input_)
            case Join():
                return self._join(rel)
            case UnionAll() | Except() | Intersect():
                return self._set_operation(rel)
            case Aggregate(_, ()):
                return self._also_of_nothing(rel, self._keeping(rel))
            case TopK():
                return self._first_rows(rel)
            case _:
                return self._keeping(rel)

    def _keeping(self, rel: Rel) -> Carried:
        """The operator over an input that carries, and told to keep the values apart."""
        if len(rel.inputs) != 1:
            raise CannotCarry
        below = self.carry(rel.inputs[0])
        bound = rel.over((below.rel,)).with_scalars(below.bound)
        whole = bound.keeping(tuple(below.held.values()))
        if whole is None:
            raise CannotCarry
        return replace(below, rel=whole)

    def _reads(self, rel: Rel) -> bool:
        return bool(parameters(rel) & set(self.ids))

    def _values(self) -> Carried:
        domain = self.domain()
        return Carried(domain, dict(zip(self.ids, domain.columns, strict=True)))

    def _cross_domain(self, rel: Rel) -> Carried:
        domain = self._values()
        return replace(domain, rel=Join("cross", rel, domain.rel))

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

    def _set_operation(self, rel: UnionAll | Except | Intersect) -> Carried:
        """Each input carries; the values stand after its own columns."""
        below = [self.carry(i).plain() for i in rel.inputs]
        aligned = tuple(
            Project(b.rel, tuple((c, Ref(c.id)) for c in i.columns) + b.passed())
            for i, b in zip(rel.inputs, below, strict=True)
        )
        held = {id_: self.fresh.column(c.name) for id_, c in below[0].held.items()}
        whole = rel.columns + tuple(held.values())
        if isinstance(rel, UnionAll):
            return Carried(UnionAll(aligned, whole), held)
        left, right = aligned
        return Carried(replace(rel, left=left, right=right, columns=whole), held)

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

    def _first_rows(self, rel: TopK) -> Carried:
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
        first = Filter(numbered, And(tuple(conditions)))
        kept = tuple((c, Ref(c.id)) for c in below.rel.columns)
        return replace(below, rel=Project(first, kept))

    def _any_order(self, rel: TopK) -> tuple[SortKey, ...]:
        """Spark numbers rows only in some order; where none was asked for, any will do."""
        return (SortKey(rel.input.columns[0].id, descending=False, nulls_first=True),)
