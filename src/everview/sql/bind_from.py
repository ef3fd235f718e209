"""FROM: tables, subqueries, WITH names and joins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from everview.algebra.fresh import Fresh
from everview.algebra.relations import At, Join, Project, Rel, Scan
from everview.algebra.scalars import Column, Compare, Ref, Scalar, all_of
from everview.facts.schema import Schema
from everview.sql.bind_scalar import bind_scalar, column_hole
from everview.sql.parse import table_name
from everview.sql.refuse import Refuse
from everview.sql.scope import Found, Scope, Visible

Bound = tuple[Rel, Scope]


@dataclass(frozen=True, slots=True)
class FromContext:
    """What names in FROM can mean, and how a query inside is bound."""

    fresh: Fresh
    sources: Mapping[str, Schema]
    ctes: Mapping[str, tuple[exp.CTE, FromContext]]
    case_sensitive: bool
    bind_query: Callable[[exp.Expr, FromContext], Rel]


def bind_from(query: exp.Select, context: FromContext) -> Bound:
    """The relation of FROM with its joins, and the names it makes visible."""
    bound = _bind_item(query.args["from_"].this, context)
    for join in query.args.get("joins") or []:
        bound = _bind_join(bound, join, context)
    return bound


def _bind_item(item: exp.Expr, context: FromContext) -> Bound:
    match item:
        case exp.Table():
            _require(item, {"this", "db", "catalog", "alias", "joins"})
            bound = _bind_table(item, context)
        case exp.Subquery():
            _require(item, {"this", "alias", "joins"})
            bound = _bind_subquery(item, context)
        case _:
            raise Refuse(f"{item.key.upper()} in FROM is not maintained incrementally", item)
    for join in item.args.get("joins") or []:
        bound = _bind_join(bound, join, context)
    return bound


def _bind_subquery(item: exp.Subquery, context: FromContext) -> Bound:
    if isinstance(item.this, exp.Table):
        rel, scope = _bind_item(item.this, context)
        return _aliased(rel, item, item.alias, context) if item.alias else (rel, scope)
    rel = context.bind_query(item.this, context)
    return _aliased(rel, item, item.alias or "", context)


def _bind_table(table: exp.Table, context: FromContext) -> Bound:
    if not isinstance(table.this, exp.Identifier):
        raise Refuse("a table function in FROM is not maintained incrementally", table)
    name = table_name(table)
    cte = context.ctes.get(name.lower())
    if cte is not None:
        definition, around = cte
        rel = context.bind_query(definition.this, around)
        rel, _ = _aliased(rel, definition, definition.alias, context)
        return _aliased(rel, table, table.alias or definition.alias, context)
    schema = context.sources.get(name.lower())
    if schema is None:
        raise Refuse(f"`{name}` is not a table of the warehouse", table)
    scan = Scan(name.lower(), At.NEW, context.fresh.columns(schema.names))
    return _aliased(scan, table, table.alias or table.name, context)


def _aliased(rel: Rel, item: exp.Expr, qualifier: str, context: FromContext) -> Bound:
    """The relation under its alias; `AS t(a, b)` renames its columns."""
    alias = item.args.get("alias")
    names = [c.name for c in alias.args.get("columns") or []] if alias is not None else []
    if names and len(names) != len(rel.columns):
        raise Refuse(f"{len(names)} names for {len(rel.columns)} columns", item)
    if names:
        columns = context.fresh.columns(names)
        rel = Project(
            rel, tuple((c, Ref(own.id)) for c, own in zip(columns, rel.columns, strict=True))
        )
    visible = tuple(Visible(qualifier, c.name, c) for c in rel.columns)
    return rel, Scope(visible, context.case_sensitive)


def _bind_join(left: Bound, join: exp.Join, context: FromContext) -> Bound:
    _require(join, {"this", "on", "using", "kind", "method", "side"})
    if join.args.get("side") or join.kind not in ("", "INNER", "CROSS"):
        raise Refuse(f"{join.side} {join.kind} JOIN is not maintained".replace("  ", " "), join)
    if join.method not in ("", "NATURAL"):
        raise Refuse(f"{join.method} JOIN is not maintained", join)
    right = _bind_item(join.this, context)
    names = _using_names(left[1], right[1], join)
    if names is not None:
        conditions = tuple(_shared(left[1], right[1], name, join) for name in names)
        rel = _inner(left[0], right[0], conditions)
        return rel, left[1].using(names, right[1])
    scope = left[1].joined(right[1])
    on = join.args.get("on")
    conditions = () if on is None else (bind_scalar(on, column_hole(scope)),)
    return _inner(left[0], right[0], conditions), scope


def _inner(left: Rel, right: Rel, conditions: tuple[Scalar, ...]) -> Join:
    if not conditions:
        return Join("cross", left, right)
    return Join("inner", left, right, all_of(conditions))


def _using_names(left: Scope, right: Scope, join: exp.Join) -> tuple[str, ...] | None:
    if join.method == "NATURAL":
        return tuple(
            v.name
            for v in left.columns
            if v.bare and any(o.bare and left.same(o.name, v.name) for o in right.columns)
        )
    using = join.args.get("using")
    return tuple(name.name for name in using) if using else None


def _shared(left: Scope, right: Scope, name: str, join: exp.Join) -> Scalar:
    """The equality of a USING pair."""
    found: list[Column] = []
    for side in (left, right):
        column = side.resolve((name,))
        if not isinstance(column, Found):
            raise Refuse(column, join)
        found.append(column.column)
    return Compare("=", Ref(found[0].id), Ref(found[1].id))


_CLAUSES = {"pivots": "PIVOT or UNPIVOT", "sample": "TABLESAMPLE", "laterals": "LATERAL VIEW"}


def _require(node: exp.Expr, allowed: set[str]) -> None:
    for key, value in node.args.items():
        if key not in allowed and value not in (None, False, []):
            name = _CLAUSES.get(key, key.upper())
            raise Refuse(f"{name} in FROM is not maintained incrementally", node)
