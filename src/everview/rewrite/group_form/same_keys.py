"""Groups joined with groups by all of their keys, as groups of the rows of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from everview.algebra.calls import AggregateCall
from everview.algebra.relations import Aggregate, Filter, Join, JoinKind, UnionAll
from everview.algebra.rowwise import Outputs
from everview.algebra.scalars import (
    FALSE,
    TRUE,
    Case,
    Cast,
    Column,
    ColumnId,
    Columns,
    Compare,
    IsNull,
    Not,
    Or,
    Ref,
    Scalar,
    all_of,
    integer,
    substitute,
)
from everview.rewrite.group_form.conditions import Equated
from everview.rewrite.group_form.form import (
    GroupForm,
    Making,
    NoForm,
    Passing,
    in_order,
    only_if,
)
from everview.rewrite.group_form.of_filter import with_conditions

# What goes in: two aggregates that are joined by all of their keys. What comes out: one aggregate
# over the rows of both, one input after the other, each with NULL for the columns that only the
# other has. A group then holds what both inputs say of a key, and beside it how many rows each
# input has of it: which of the two are there is known from these counts, never from a value being
# NULL. So a row that comes or goes on either side changes one stored row, and neither input is
# read, whatever the kind of the join.
#
#     γ k, sum(x) (A) ⋈ γ k, max(y) (B)
#     σ a > 0 and b > 0 (γ k, sum(x), max(y), count(of A) as a, count(of B) as b (
#         A with y NULL, then B with x NULL))
#
# A key that is NULL has no partner by `=`. Where such a group is kept, a number in the key keeps
# it apart from that of the other side.


@dataclass(frozen=True, slots=True)
class SameKeys:
    """A join of two relations of groups by pairs of all their keys; `rest` are its other
    conditions.
    """

    join: Join
    left: GroupForm
    right: GroupForm
    pairs: tuple[Equated, ...]
    rest: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two inputs, and under which columns of the common groups its own stand: a 1 in
    each of its rows, the number of these, and the arguments of its functions.
    """

    form: GroupForm
    keys: tuple[ColumnId, ...]
    one: Column
    number: Column
    args: Mapping[ColumnId, Column]
    keeps_null: bool  # whether groups whose key is NULL are shown without a partner

    @property
    def held(self) -> Columns:
        return (self.one, *self.args.values())

    @property
    def calls(self) -> tuple[tuple[Column, AggregateCall], ...]:
        """Its functions over the common rows: what is NULL there is not counted."""
        found = [(self.number, AggregateCall("count", (self.one.id,)))]
        for column, call in self.form.aggregate.calls:
            assert isinstance(call, AggregateCall)
            args = tuple(self.args[a].id for a in call.args) or (self.one.id,)
            found.append((column, replace(call, args=args)))
        return tuple(found)

    def there(self, keys: Columns) -> Scalar:
        """Whether the side has a row for the key: a group of its own, and one that is shown."""
        counted = Compare(">", Ref(self.number.id), integer(0))
        return in_order(all_of((counted, *(self.placed(s, keys) for s in self.form.shown))))

    def placed(self, scalar: Scalar, keys: Columns) -> Scalar:
        """A scalar over the groups of the side, as one over the common groups."""
        pairs = zip(self.keys, keys, strict=True)
        return substitute(scalar, {own: Ref(key.id) for own, key in pairs})


def joined_by_keys(same: SameKeys, making: Making) -> GroupForm | NoForm:
    """γ_K,f(A) ⋈ γ_K,g(B)  =  σ(γ_K,f,g(A ⊎ B)),  A and B told apart by counts of their rows"""
    why_not = _why_not(same, making)
    if why_not:
        return NoForm(same.join, why_not)
    kind = same.join.kind
    lefts = tuple(p.left for p in same.pairs)
    left = _side(same.left, lefts, making, keeps_null=kind in ("left", "full", "anti"))
    rights = tuple(p.right for p in same.pairs)
    right = _side(same.right, rights, making, keeps_null=kind in ("right", "full"))
    keys = tuple(making.column("key", making.types[k]) for k in lefts)
    aggregate = _grouped(same, (left, right), keys, making)
    passed = (*same.left.passed, *same.right.passed)
    form = GroupForm(aggregate, *_shown(kind, left, right, keys), passed)
    form = form.after(same.join, Passing.SAME_KEYS)
    return with_conditions(same.join, form, tuple(form.over(c) for c in same.rest), making)


def _why_not(same: SameKeys, making: Making) -> str:
    """Why the two cannot be groups of one aggregate, "" if they can."""
    calls = [call for form in (same.left, same.right) for _, call in form.aggregate.calls]
    if not all(isinstance(call, AggregateCall) for call in calls):
        return "a function of the groups is asked of all rows of one input alone"
    if not all(making.type_of(a) for call in calls for a in call.args):
        return "the type of a column is not known"
    if not making.are_plain(same.left.keys):
        return "keys that are equal may differ, as 0.0 and -0.0 do"
    if same.rest and same.join.kind != "inner":
        return "another condition than equal keys decides which groups have a partner"
    return ""


def _side(
    form: GroupForm, keys: tuple[ColumnId, ...], making: Making, *, keeps_null: bool
) -> _Side:
    asked = dict.fromkeys(a for _, call in form.aggregate.calls for a in call.args)
    return _Side(
        form,
        keys,
        making.column("one", "long"),
        making.column("rows", "long"),
        {a: making.column("value", making.types[a]) for a in asked},
        keeps_null,
    )


def _grouped(
    same: SameKeys, sides: tuple[_Side, _Side], keys: Columns, making: Making
) -> Aggregate:
    """The rows of both sides in groups of equal keys."""
    apart: Columns = ()
    if all(side.keeps_null for side in sides) and any(p.op == "=" for p in same.pairs):
        apart = (making.column("apart", "integer"),)
    columns = (*keys, *apart, *sides[0].held, *sides[1].held)
    inputs = []
    for number, side in enumerate(sides):
        never = [k for k, p in zip(side.keys, same.pairs, strict=True) if p.op == "="]
        rows = side.form.aggregate.input
        if never and not side.keeps_null:
            rows = Filter(rows, all_of(tuple(Not(IsNull(Ref(k))) for k in never)))
        values: dict[ColumnId, Scalar] = {
            key.id: Ref(own) for key, own in zip(keys, side.keys, strict=True)
        }
        values |= {column.id: Ref(arg) for arg, column in side.args.items()}
        values[side.one.id] = Cast(integer(1), "long")
        for column in apart:
            values[column.id] = Cast(_apart(never, number + 1), "integer")
        inputs.append(making.laid_out(rows, columns, values))
    rows = UnionAll(tuple(inputs), columns)
    return Aggregate(rows, (*keys, *apart), (*sides[0].calls, *sides[1].calls))


def _apart(never: list[ColumnId], number: int) -> Scalar:
    """0 for a key that may have a partner, else the number of the side."""
    is_null = Or(tuple(IsNull(Ref(k)) for k in never))
    return Case(((is_null, integer(number)),), integer(0))


def _shown(
    kind: JoinKind, left: _Side, right: _Side, keys: Columns
) -> tuple[Outputs, tuple[Scalar, ...]]:
    """The columns of the join over the common groups, and which of these it has."""
    here, there = left.there(keys), right.there(keys)
    outputs = {}
    for side, is_there in ((left, here), (right, there)):
        padded = kind == "full" or kind == ("right" if side is left else "left")
        for column, scalar in side.form.outputs:
            placed = side.placed(scalar, keys)
            outputs[column] = only_if(is_there, placed) if padded else placed
    match kind:
        case "inner" | "semi":
            shown: tuple[Scalar, ...] = (here, there)
        case "left":
            shown = (here,)
        case "right":
            shown = (there,)
        case "full":
            shown = (Or((here, there)),) if left.form.shown or right.form.shown else ()
        case "anti":
            shown = (here, Not(Case(((there, TRUE),), FALSE)))
        case "cross" | "mark":
            raise AssertionError(f"a {kind} join has no pairs of keys")
        case _:
            assert_never(kind)
    if kind in ("semi", "anti"):
        outputs = {c: s for c, s in outputs.items() if c in dict(left.form.outputs)}
    return tuple(outputs.items()), shown
