"""EXISTS, IN and scalar subqueries as joins of the rows that they are asked about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from everview.algebra.calls import AggregateCall, VerbatimCall
from everview.algebra.relations import Aggregate, Distinct, Join, Rel
from everview.algebra.scalars import (
    FALSE,
    NULL,
    TRUE,
    And,
    Call,
    Case,
    ColumnId,
    Compare,
    IsNull,
    Not,
    Opaque,
    Or,
    Ref,
    Scalar,
    all_of,
    integer,
    refs,
    string,
    substitute,
)
from everview.facts.checks import TOO_MANY_ROWS
from everview.sql.bind.context import Context
from everview.sql.bind.domain import carry, unknown_of_nothing
from everview.sql.bind.rows import Rows
from everview.sql.bind.scalar import Hole, bind_scalar, function_name
from everview.sql.bind.scope import Scope
from everview.sql.decorrelate.of_nothing import UnknownOfNothing, of_nothing
from everview.sql.decorrelate.parameters import Carried, parameters, pulled
from everview.sql.decorrelate.peel import Peeled, peel, tested
from everview.sql.read.refuse import Refuse

_TOO_MANY = Call("raise_error", (string(TOO_MANY_ROWS),))

# The rows that a subquery is joined to, given the columns it reads of them.
Choose = Callable[[frozenset[ColumnId]], Rows | None]


@dataclass(frozen=True, slots=True)
class Subqueries:
    """Binds the subqueries of a clause; `inside` is what they see of the rows around."""

    context: Context
    choose: Choose
    inside: Scope

    def hole(self, node: exp.Expr, scalars: Hole) -> Scalar | None:
        """The value of a subquery inside an expression; None for any other node."""
        match node:
            case exp.Exists():
                return self._exists(node)
            case exp.In() if node.args.get("query") is not None:
                return self._member(node, scalars, negated=False)
            case exp.Not():
                return self._negated(node, scalars)
            case exp.EQ(expression=exp.Boolean(this=value)) if _asks(node.this):
                whole = (
                    node.this.copy() if value else exp.Not(this=exp.Paren(this=node.this.copy()))
                )
                return bind_scalar(whole, scalars)
            case exp.Subquery() | exp.Select() | exp.SetOperation():
                return self._scalar(node)
            case _:
                return None

    def test(self, node: exp.Expr, scalars: Hole) -> bool:
        """Keep the rows for which a condition of WHERE holds, if it is a subquery or its negation;
        else say so.
        """
        inner, negated = _unwrapped(node)
        match inner:
            case exp.Exists():
                return self._keep_existing(inner, negated=negated)
            case exp.In() if inner.args.get("query") is not None:
                return self._keep_members(inner, scalars, negated=negated)
            case _:
                return False

    # EXISTS

    def _exists(self, node: exp.Exists) -> Scalar:
        found = tested(self._plan(node.this))
        rows = self._rows(found, (), node)
        whole = peel(found)
        if whole is not None:
            known = self._aggregated(rows, whole, node)
            held = tuple(rows.here(substitute(c, known)) for c in whole.conditions)
            return Call("coalesce", (all_of(held), FALSE)) if held else TRUE
        rel, conditions = self._apart(rows, found, node)
        return self._mark(rows, rel, all_of(conditions) if conditions else TRUE, node)

    def _keep_existing(self, node: exp.Exists, *, negated: bool) -> bool:
        found = tested(self._plan(node.this))
        if peel(found) is not None:
            return False
        rows = self._rows(found, (), node)
        rel, conditions = self._apart(rows, found, node)
        condition = all_of(conditions) if conditions else TRUE
        join = Join("anti" if negated else "semi", rows.rel, rel, condition)
        rows.rel = self.context.placed(join, node)
        return True

    # IN

    def _member(self, node: exp.In, scalars: Hole, *, negated: bool) -> Scalar:
        """Inside an expression Spark's IN is true or false, never NULL; and its NOT IN is false
        where it would be NULL.
        """
        values, found = self._sides(node, scalars)
        rows = self._rows(found, values, node)
        whole = peel(found)
        if whole is not None and parameters(found) & rows.ids:
            known = self._aggregated(rows, whole, node)
            outputs = [rows.here(substitute(whole.outputs[c.id], known)) for c in found.columns]
            held = tuple(rows.here(substitute(c, known)) for c in whole.conditions)
            equal = _equal(values, outputs)
            is_in: Scalar = Call("coalesce", (equal, TRUE if negated else FALSE))
            is_in = Case(((all_of(held), is_in),), FALSE) if held else is_in
            return Not(is_in) if negated else is_in
        rel, conditions = self._apart(rows, found, node)
        equal = _equal(values, [Ref(c.id) for c in found.columns])
        if negated:
            equal = Or((equal, IsNull(equal)))
        mark = self._mark(rows, rel, all_of((*conditions, equal)), node)
        return Not(mark) if negated else mark

    def _negated(self, node: exp.Not, scalars: Hole) -> Scalar | None:
        """NOT of IN; NOT of AND and OR goes to their parts, as Spark moves it before it looks at
        subqueries.
        """
        inner, negated = _unwrapped(node)
        if not _asks(inner):
            return None
        if not negated:
            return bind_scalar(inner, scalars)
        match inner:
            case exp.In() if inner.args.get("query") is not None:
                return self._member(inner, scalars, negated=True)
            case exp.And():
                parts = (inner.this, inner.expression)
                return Or(tuple(bind_scalar(exp.Not(this=p.copy()), scalars) for p in parts))
            case exp.Or():
                parts = (inner.this, inner.expression)
                return And(tuple(bind_scalar(exp.Not(this=p.copy()), scalars) for p in parts))
            case _:
                return None

    def _keep_members(self, node: exp.In, scalars: Hole, *, negated: bool) -> bool:
        values, found = self._sides(node, scalars)
        rows = self._rows(found, values, node)
        if peel(found) is not None and parameters(found) & rows.ids:
            return False
        rel, conditions = self._apart(rows, found, node)
        equal = _equal(values, [Ref(c.id) for c in found.columns])
        if negated:
            equal = Or((equal, IsNull(equal)))
        condition = all_of((*conditions, equal))
        join = Join("anti" if negated else "semi", rows.rel, rel, condition)
        rows.rel = self.context.placed(join, node)
        return True

    def _sides(self, node: exp.In, scalars: Hole) -> tuple[list[Scalar], Rel]:
        left = node.this.unnest() if isinstance(node.this, exp.Paren) else node.this
        is_row = isinstance(left, exp.Tuple) or function_name(left) == "struct"
        parts = left.expressions if is_row else [left]
        values = [bind_scalar(part, scalars) for part in parts]
        found = self._plan(node.args["query"])
        if isinstance(found, Distinct):
            found = found.input
        if len(found.columns) != len(values):
            raise Refuse(f"{len(values)} values IN a query of {len(found.columns)} columns", node)
        return values, found

    # Scalars

    def _scalar(self, node: exp.Expr) -> Scalar:
        found = self._plan(node)
        if len(found.columns) != 1:
            raise Refuse(f"a scalar subquery has one column, not {len(found.columns)}", node)
        rows = self._rows(found, (), node)
        whole = peel(found)
        if whole is not None:
            known = self._aggregated(rows, whole, node)
            value = rows.here(substitute(whole.outputs[found.columns[0].id], known))
            held = tuple(rows.here(substitute(c, known)) for c in whole.conditions)
            return Case(((all_of(held), value),), NULL) if held else value
        return self._single(rows, found, node)

    def _single(self, rows: Rows, found: Rel, node: exp.Expr) -> Scalar:
        """The value of the one row; more than one row raises, where the value is looked at."""
        fresh = self.context.fresh
        value, count = fresh.columns(("value", "rows"))
        first = Opaque(("first(", Ref(found.columns[0].id), ")"), frozenset({"first"}))
        calls = ((value, VerbatimCall(first, single=True)), (count, AggregateCall("count", ())))
        if parameters(found) & rows.ids:
            carried = carry(self.context, rows, found, node)
            single = Aggregate(carried.rel, tuple(carried.held.values()), calls)
            join = Join("left", rows.rel, single, all_of(carried.matches()))
            rows.rel = self.context.placed(join, node)
        else:
            rows.rel = Join("cross", rows.rel, Aggregate(found, (), calls))
        too_many = Compare(">", Ref(count.id), integer(1))
        return Case(((too_many, _TOO_MANY),), Ref(value.id))

    def _aggregated(self, rows: Rows, whole: Peeled, node: exp.Expr) -> Mapping[ColumnId, Scalar]:
        """Join an aggregate without keys, of which every row has exactly one; its values."""
        aggregate = whole.aggregate
        if not parameters(aggregate) & rows.ids:
            rows.rel = Join("cross", rows.rel, aggregate)
            return {}
        carried = carry(self.context, rows, aggregate.input, node)
        calls = tuple((c, _bound_call(call, carried)) for c, call in aggregate.calls)
        grouped = Aggregate(carried.rel, tuple(carried.held.values()), calls)
        join = Join("left", rows.rel, grouped, all_of(carried.matches()))
        rows.rel = self.context.placed(join, node)
        try:
            return {c.id: of_nothing(call, Ref(c.id)) for c, call in aggregate.calls}
        except UnknownOfNothing as unknown:
            raise unknown_of_nothing(unknown, node) from unknown

    # What is joined

    def _plan(self, query: exp.Expr) -> Rel:
        inner = replace(self.context, outer=(self.inside, *self.context.outer))
        return self.context.bind_query(query, inner)

    def _rows(self, found: Rel, values: list[Scalar] | tuple[()], node: exp.Expr) -> Rows:
        needed = parameters(found) | {r for v in values for r in refs(v)}
        rows = self.choose(needed)
        if rows is None:
            raise Refuse(
                "a subquery that reads both sides of an outer join is not understood", node
            )
        return rows

    def _apart(self, rows: Rows, found: Rel, node: exp.Expr) -> tuple[Rel, tuple[Scalar, ...]]:
        """The subquery as a relation, and the conditions under which a row of it belongs to a row
        around.
        """
        ids = parameters(found) & rows.ids
        if not ids:
            return found, ()
        moved = pulled(found, ids)
        if moved is not None:
            return moved[0], tuple(rows.here(c) for c in moved[1])
        carried = carry(self.context, rows, found, node)
        return carried.rel, carried.matches()

    def _mark(self, rows: Rows, rel: Rel, condition: Scalar, node: exp.Expr) -> Scalar:
        mark = self.context.fresh.column("mark")
        join = Join("mark", rows.rel, rel, condition, mark=mark)
        rows.rel = self.context.placed(join, node)
        return Ref(mark.id)


def _unwrapped(node: exp.Expr) -> tuple[exp.Expr, bool]:
    """The condition without parentheses and NOT, and whether it was negated."""
    negated = False
    while isinstance(node, exp.Paren | exp.Not):
        negated = negated != isinstance(node, exp.Not)
        node = node.this
    return node, negated


def _equal(values: list[Scalar], others: list[Scalar]) -> Scalar:
    return all_of(tuple(Compare("=", v, o) for v, o in zip(values, others, strict=True)))


def _asks(node: exp.Expr) -> bool:
    """Whether IN of a query occurs in the expression, other than inside a query."""
    if isinstance(node, exp.In) and node.args.get("query") is not None:
        return True
    if isinstance(node, exp.Query):
        return False
    return any(_asks(child) for child in node.iter_expressions())


def _bound_call(
    call: AggregateCall | VerbatimCall, carried: Carried
) -> AggregateCall | VerbatimCall:
    return replace(call, text=carried.bound(call.text)) if isinstance(call, VerbatimCall) else call
