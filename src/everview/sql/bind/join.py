"""Joins: their kinds, conditions, merged columns, and what is joined row by row."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from everview.algebra.relations import Join, JoinKind, Project, Rel
from everview.algebra.scalars import (
    TRUE,
    Call,
    Column,
    ColumnId,
    Compare,
    Ref,
    Scalar,
    all_of,
)
from everview.sql.bind.aliases import Bound, aliased
from everview.sql.bind.context import Context
from everview.sql.bind.domain import carry
from everview.sql.bind.generate import generated
from everview.sql.bind.level import Level
from everview.sql.bind.rows import Rows
from everview.sql.bind.scalar import bind_scalar, column_scalar
from everview.sql.bind.scope import FoundColumn, Scope
from everview.sql.bind.subquery import Subqueries
from everview.sql.decorrelate.parameters import parameters, pulled
from everview.sql.read.refuse import Refuse

_KINDS: dict[tuple[str, str], JoinKind] = {
    ("", ""): "inner",
    ("", "INNER"): "inner",
    ("", "CROSS"): "inner",
    ("LEFT", ""): "left",
    ("LEFT", "OUTER"): "left",
    ("RIGHT", ""): "right",
    ("RIGHT", "OUTER"): "right",
    ("FULL", ""): "full",
    ("FULL", "OUTER"): "full",
    ("", "OUTER"): "full",
    ("LEFT", "SEMI"): "semi",
    ("", "SEMI"): "semi",
    ("LEFT", "ANTI"): "anti",
    ("", "ANTI"): "anti",
}


def bind_join(left: Bound, right: Bound, join: exp.Join, context: Context) -> Bound:
    kind = _kind(join)
    names = _using_names(left[1], right[1], join)
    if names is not None:
        return _merged(left, right, _Using(kind, names, join, context))
    scope = left[1].joined(right[1])
    on = join.args.get("on")
    rel = context.placed(_on(kind, (left, right), on, context), join)
    return rel, left[1] if kind in ("semi", "anti") else scope


def _kind(join: exp.Join) -> JoinKind:
    for key, value in join.args.items():
        if key not in _UNDERSTOOD and value not in (None, False, []):
            raise Refuse(f"JOIN with {key.upper()} is not understood exactly", join)
    kind = _KINDS.get((join.side.upper(), join.kind.upper()))
    if kind is None or join.method.upper() not in ("", "NATURAL"):
        words = " ".join(filter(None, (join.method, join.side, join.kind)))
        raise Refuse(f"{words} JOIN is not understood exactly", join)
    return kind


_UNDERSTOOD = {"this", "on", "using", "kind", "method", "side"}


def _on(kind: JoinKind, sides: tuple[Bound, Bound], on: exp.Expr | None, context: Context) -> Rel:
    """The join under its ON condition; a subquery in it is joined to the side it reads."""
    left, right = (Rows(rel, context.fresh) for rel, _ in sides)
    if on is None:
        return _made(kind, left.rel, right.rel, ())
    scope = sides[0][1].joined(sides[1][1])

    def choose(needed: frozenset[ColumnId]) -> Rows | None:
        if needed & left.ids and needed & right.ids:
            return None
        return left if needed & left.ids else right

    subqueries = Subqueries(context, choose, scope)

    def hole(node: exp.Expr) -> Scalar | None:
        if isinstance(node, exp.Column):
            return column_scalar(node, (scope, *context.outer), {})
        return subqueries.hole(node, hole)

    condition = bind_scalar(on, hole)
    return _made(kind, left.rel, right.rel, (condition,))


def _made(kind: JoinKind, left: Rel, right: Rel, conditions: tuple[Scalar, ...]) -> Join:
    if not conditions and kind == "inner":
        return Join("cross", left, right)
    return Join(kind, left, right, all_of(conditions) if conditions else TRUE)


# USING and NATURAL


@dataclass(frozen=True, slots=True)
class _Using:
    kind: JoinKind
    names: tuple[str, ...]
    join: exp.Join
    context: Context


def _using_names(left: Scope, right: Scope, join: exp.Join) -> tuple[str, ...] | None:
    if join.method.upper() == "NATURAL":
        if any(v.bare and not v.name for v in (*left.columns, *right.columns)):
            raise Refuse("NATURAL JOIN of columns whose names only Spark knows", join)
        return tuple(
            v.name
            for v in left.columns
            if v.bare and any(o.bare and left.same(o.name, v.name) for o in right.columns)
        )
    using = join.args.get("using")
    return tuple(name.name for name in using) if using else None


def _merged(left: Bound, right: Bound, using: _Using) -> Bound:
    """The join on equal columns, each shown once: the left one, after RIGHT the right one, after
    FULL whichever is there.
    """
    pairs = [(_found(left[1], n, using), _found(right[1], n, using)) for n in using.names]
    conditions = tuple(Compare("=", Ref(a.id), Ref(b.id)) for a, b in pairs)
    made = _made(using.kind, left[0], right[0], conditions)
    rel = using.context.placed(made, using.join)
    if using.kind in ("semi", "anti"):
        return rel, left[1].using(tuple(a for a, _ in pairs), using.context.scope())
    shown = tuple(b if using.kind == "right" else a for a, b in pairs)
    if using.kind == "full":
        shown = using.context.fresh.columns(a.name for a, _ in pairs)
        both = tuple(
            (c, Call("coalesce", (Ref(a.id), Ref(b.id))))
            for c, (a, b) in zip(shown, pairs, strict=True)
        )
        rel = Project(rel, tuple((c, Ref(c.id)) for c in rel.columns) + both)
    return rel, left[1].using(shown, right[1])


def _found(scope: Scope, name: str, using: _Using) -> Column:
    found = scope.resolve((name,))
    if not isinstance(found, FoundColumn):
        raise Refuse(found, using.join)
    return found.column


# LATERAL


def bind_lateral(left: Bound, join: exp.Join, context: Context) -> Bound:
    """A subquery or function that reads the rows to its left."""
    kind = _kind(join)
    if kind not in ("inner", "left") or join.args.get("using") or join.method:
        raise Refuse("this form of a LATERAL join is not understood exactly", join)
    if isinstance(join.this.this, exp.Subquery):
        return _lateral_query(left, join, kind, context)
    return _lateral_function(left, join, kind, context)


def _lateral_query(left: Bound, join: exp.Join, kind: JoinKind, context: Context) -> Bound:
    lateral = join.this
    inner = replace(context, outer=(left[1], *context.outer))
    rows = Rows(left[0], context.fresh)
    found = context.bind_query(lateral.this.this, inner)
    rel, scope = aliased(found, lateral, lateral.alias, context)
    ids = parameters(rel) & rows.ids
    moved = pulled(rel, ids)
    if not ids:
        conditions: tuple[Scalar, ...] = ()
    elif moved is not None:
        rel, conditions = moved[0], tuple(rows.here(c) for c in moved[1])
    else:
        carried = carry(context, rows, rel, lateral)
        rel, conditions = carried.rel, carried.matches()
    both = left[1].joined(scope)
    on = join.args.get("on")
    if on is not None and not (isinstance(on, exp.Boolean) and on.this):
        conditions += (Level(context, rows, both).scalar(on),)
    return _made(kind, rows.rel, rel, conditions), both


def _lateral_function(left: Bound, join: exp.Join, kind: JoinKind, context: Context) -> Bound:
    on = join.args.get("on")
    if on is not None and not (isinstance(on, exp.Boolean) and on.this):
        raise Refuse("a condition on LATERAL of a function is not understood exactly", on)
    return generated(left, join.this, context, outer=kind == "left")
