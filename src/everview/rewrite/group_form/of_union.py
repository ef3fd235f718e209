"""Unions of groups, as groups of the rows of all inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from everview.algebra.calls import AggregateCall
from everview.algebra.relations import Aggregate, UnionAll
from everview.algebra.rowwise import Outputs
from everview.algebra.scalars import (
    TRUE,
    Case,
    Cast,
    Column,
    ColumnId,
    Compare,
    Ref,
    Scalar,
    all_of,
    integer,
    substitute,
)
from everview.rewrite.group_form.form import GroupForm, Making, NoForm, Passing

# What goes in: a union of groups, each input grouped in its own way. What comes out: one aggregate
# over the rows of all inputs, with the number of the input among its keys (Gupta & Mumick, 7:
# tagged unions), so that groups of two inputs never meet, however equal they look. Inputs share
# columns: a key or an argument of one stands in the same column as one of the same type of
# another, and functions of the same name over arguments of the same types are one.
#
#     γ city, sum(price) (A)  ⊎  γ region, sum(cost) (B)
#     γ number, key, sum(value) (1, city, price of A  ⊎  2, region, cost of B)


@dataclass(slots=True)
class _Slots:
    """The columns that the inputs share, and the calls over them."""

    making: Making
    keys: dict[tuple[str, int], Column] = field(default_factory=dict)
    values: dict[tuple[str, int], Column] = field(default_factory=dict)
    calls: dict[AggregateCall, Column] = field(default_factory=dict)

    def key(self, key: ColumnId, taken: Counter[str]) -> Column:
        return self._next("key", key, self.keys, taken)

    def value(self, argument: ColumnId, taken: Counter[str]) -> Column:
        return self._next("value", argument, self.values, taken)

    def _next(
        self, name: str, of: ColumnId, known: dict[tuple[str, int], Column], taken: Counter[str]
    ) -> Column:
        """The next column of the type of a column that an input has not taken yet."""
        type_ = self.making.types[of]
        place = type_, taken[type_]
        taken[type_] += 1
        if place not in known:
            known[place] = self.making.column(name, type_)
        return known[place]

    def call(self, column: Column, call: AggregateCall) -> Column:
        """The column of a call over shared columns; the same call of two inputs is one."""
        if call not in self.calls:
            self.calls[call] = self.making.fresh.column(column.name)
        return self.calls[call]


@dataclass(frozen=True, slots=True)
class _Placed:
    """An input: where its keys, arguments and functions stand in the common groups."""

    form: GroupForm
    columns: dict[ColumnId, Scalar]  # of its rows, by common column
    place: dict[ColumnId, Scalar]  # of its groups' columns

    def over(self, scalar: Scalar) -> Scalar:
        return substitute(scalar, self.place)


def of_union(
    rel: UnionAll, inputs: Sequence[GroupForm | NoForm], making: Making
) -> GroupForm | NoForm:
    """γ_G,f(A) ⊎ γ_H,g(B)  =  γ_n,G|H,f|g(A with n=1 ⊎ B with n=2)"""
    forms = []
    for form in inputs:
        if isinstance(form, NoForm):
            return form
        if not form.keys:
            return NoForm(rel, "an aggregate without keys has a row also of no rows")
        if not all(isinstance(call, AggregateCall) for _, call in form.aggregate.calls):
            return NoForm(rel, "a function of an input is known by its text alone")
        read = {a for _, call in form.aggregate.calls for a in call.args} | form.keys
        if not all(making.type_of(c) for c in read):
            return NoForm(rel, "the type of a column is not known")
        forms.append(form)
    slots = _Slots(making)
    placed = [_placed(form, slots) for form in forms]
    number = making.column("input", "integer")
    columns = (number, *slots.keys.values(), *slots.values.values())
    rows = []
    for i, one in enumerate(placed, 1):
        own = {**one.columns, number.id: Cast(integer(i), "integer")}
        rows.append(making.laid_out(one.form.aggregate.input, columns, own))
    aggregate = Aggregate(
        UnionAll(tuple(rows), columns),
        (number, *slots.keys.values()),
        tuple((column, call) for call, column in slots.calls.items()),
    )
    passed = tuple(p for form in forms for p in form.passed)
    form = GroupForm(aggregate, _outputs(rel, placed, number), _shown(placed, number), passed)
    return form.after(rel, Passing.UNITED)


def _placed(form: GroupForm, slots: _Slots) -> _Placed:
    columns: dict[ColumnId, Scalar] = {}
    place: dict[ColumnId, Scalar] = {}
    taken = Counter[str]()
    for key in form.aggregate.keys:
        column = slots.key(key.id, taken)
        columns[column.id], place[key.id] = Ref(key.id), Ref(column.id)
    taken, at = Counter[str](), dict[ColumnId, ColumnId]()
    for _, call in form.aggregate.calls:
        for arg in call.args:
            if arg not in at:
                at[arg] = slots.value(arg, taken).id
                columns[at[arg]] = Ref(arg)
    for column, call in form.aggregate.calls:
        assert isinstance(call, AggregateCall)
        shared = slots.call(column, replace(call, args=tuple(at[a] for a in call.args)))
        place[column.id] = Ref(shared.id)
    return _Placed(form, columns, place)


def _outputs(rel: UnionAll, placed: Sequence[_Placed], number: Column) -> Outputs:
    """Each column of the union, as what the input of the group computes for it."""
    found = []
    for i, column in enumerate(rel.columns):
        found.append((column, _by_input([p.over(p.form.outputs[i][1]) for p in placed], number)))
    return tuple(found)


def _shown(placed: Sequence[_Placed], number: Column) -> tuple[Scalar, ...]:
    conditions = [
        all_of(tuple(map(p.over, p.form.shown))) if p.form.shown else TRUE for p in placed
    ]
    return () if set(conditions) == {TRUE} else (_by_input(conditions, number),)


def _by_input(scalars: list[Scalar], number: Column) -> Scalar:
    """The scalar of the input that a group is of; only that one is computed."""
    if len(set(scalars)) == 1:
        return scalars[0]
    branches = [
        (Compare("=", Ref(number.id), integer(i)), scalar)
        for i, scalar in enumerate(scalars[:-1], 1)
    ]
    return Case(tuple(branches), scalars[-1])
