"""The binder: from the text of a query and the schemas of its tables to a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from everview.algebra.fresh import Fresh
from everview.algebra.relations import Filter, Project, Rel, UnionAll
from everview.algebra.scalars import Column, Ref, Scalar
from everview.errors import Place
from everview.facts.schema import Schema
from everview.sql.bind_from import FromContext, bind_from
from everview.sql.bind_group import bind_grouped, is_grouped
from everview.sql.bind_scalar import bind_scalar, column_hole
from everview.sql.parse import Parsed
from everview.sql.refuse import Refuse
from everview.sql.scope import Scope

Output = tuple[Column, Scalar]


@dataclass(frozen=True, slots=True)
class NotLowered:
    """The query is not understood exactly: why, and where in the text."""

    reason: str
    place: Place | None


def bind(
    parsed: Parsed, sources: Mapping[str, Schema], *, case_sensitive: bool = False
) -> Rel | NotLowered:
    """The plan of a query, every scan at NEW; `sources` are the tables by lower-case name.

    Closed: a clause or node that is not named here is refused, so nothing is ever passed through.
    """
    context = FromContext(Fresh(0), sources, {}, case_sensitive, bind_query)
    try:
        return bind_query(parsed.tree, context)
    except Refuse as refusal:
        return NotLowered(refusal.reason, parsed.place(refusal.node))


def bind_query(query: exp.Expr, context: FromContext) -> Rel:
    """A SELECT, a UNION ALL of queries, or one of them in parentheses, with its WITH clause."""
    match query:
        case exp.Select():
            _require_clauses(query, _SELECT_CLAUSES)
            return _bind_select(query, _with_ctes(query, context))
        case exp.Union():
            _require_clauses(query, _UNION_CLAUSES)
            return _bind_union(query, _with_ctes(query, context))
        case exp.Subquery():
            _require_clauses(query, {"this"})
            return bind_query(query.this, context)
        case _:
            raise Refuse(f"{query.key.upper()} is not maintained incrementally", query)


_SELECT_CLAUSES = {"expressions", "from_", "joins", "where", "group", "with_"}
_UNION_CLAUSES = {"this", "expression", "distinct", "with_"}
_CLAUSE_NAMES = {
    "distinct": "DISTINCT",
    "having": "HAVING",
    "order": "ORDER BY",
    "sort": "SORT BY",
    "cluster": "CLUSTER BY",
    "distribute": "DISTRIBUTE BY",
    "limit": "LIMIT",
    "offset": "OFFSET",
    "laterals": "LATERAL VIEW",
    "windows": "WINDOW",
    "qualify": "QUALIFY",
    "hint": "a hint",
    "by_name": "UNION BY NAME",
    "except_": "a star with EXCEPT",
    "replace": "a star with REPLACE",
}


def _require_clauses(query: exp.Expr, allowed: set[str]) -> None:
    """Refuse any clause of the query that is present and not understood."""
    for key, value in query.args.items():
        if key in allowed or value is None or value is False or value == []:
            continue
        one = value[0] if isinstance(value, list) else value
        name = _CLAUSE_NAMES.get(key, key.upper())
        placed = isinstance(one, exp.Expr) and any("start" in n.meta for n in one.walk())
        node = one if placed and key != "hint" else query
        raise Refuse(f"{name} is not maintained incrementally", node)


def _with_ctes(query: exp.Expr, context: FromContext) -> FromContext:
    """The context with the query's WITH names; each use of a name binds its query anew."""
    with_ = query.args.get("with_")
    if with_ is None:
        return context
    if with_.args.get("recursive"):
        raise Refuse("WITH RECURSIVE is not maintained incrementally", with_)
    for cte in with_.expressions:
        context = replace(context, ctes={**context.ctes, cte.alias.lower(): (cte, context)})
    return context


def _bind_union(query: exp.Union, context: FromContext) -> Rel:
    if query.args.get("distinct"):
        raise Refuse("UNION without ALL (it removes duplicates) is not maintained", query)
    inputs = tuple(bind_query(side, context) for side in (query.this, query.expression))
    widths = [len(i.columns) for i in inputs]
    if len(set(widths)) != 1:
        raise Refuse(f"the sides of UNION ALL have {widths[0]} and {widths[1]} columns", query)
    return UnionAll(inputs, context.fresh.columns(c.name for c in inputs[0].columns))


def _bind_select(query: exp.Select, context: FromContext) -> Rel:
    if query.args.get("from_") is None:
        raise Refuse("a SELECT without FROM is not maintained", query)
    rel, scope = bind_from(query, context)
    where = query.args.get("where")
    if where is not None:
        rel = Filter(rel, bind_scalar(where.this, column_hole(scope)))
    items = [item for e in query.expressions for item in _expanded(e, scope)]
    if is_grouped(query, items):
        return bind_grouped(query, items, rel, scope, context.fresh)
    outputs = [_bind_item(item, scope, context.fresh) for item in items]
    return Project(rel, tuple(outputs))


def _expanded(item: exp.Expr, scope: Scope) -> list[exp.Expr | Column]:
    """The items that a select item stands for: a star is its columns."""
    star = item.this if isinstance(item, exp.Column) else item
    if not isinstance(star, exp.Star):
        return [item]
    _require_clauses(star, set())
    qualifier = item.table if isinstance(item, exp.Column) else None
    if isinstance(item, exp.Column) and len(item.parts) > 2:
        raise Refuse("a star of a dotted name is not understood exactly", item)
    found = scope.starred(qualifier or None)
    if not found:
        raise Refuse(f"no table `{qualifier}` here (a struct's star is not understood)", item)
    return [v.column for v in found]


def _bind_item(item: exp.Expr | Column, scope: Scope, fresh: Fresh) -> Output:
    if isinstance(item, Column):
        return fresh.column(item.name), Ref(item.id)
    scalar = bind_scalar(item.unalias(), column_hole(scope))
    return fresh.column(item.alias_or_name or "column"), scalar
