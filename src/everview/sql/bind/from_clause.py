"""FROM: tables, subqueries, WITH names, functions, and what follows them."""

from __future__ import annotations

from sqlglot import exp

from everview.algebra.relations import (
    At,
    Project,
    Rel,
    Scan,
    Shared,
    TableFunction,
    Values,
)
from everview.algebra.scalars import Ref, Scalar
from everview.sql.bind.aliases import Bound, aliased, column_aliases, visible
from everview.sql.bind.context import Context, Cte
from everview.sql.bind.generate import generated
from everview.sql.bind.join import bind_join, bind_lateral
from everview.sql.bind.pivot import bind_pivot
from everview.sql.bind.scalar import bind_call, bind_scalar
from everview.sql.read.parse import table_name
from everview.sql.read.refuse import Refuse
from everview.sql.write.door import function_question


def bind_from(query: exp.Select, context: Context) -> Bound:
    """The relation of FROM with its joins, and the names it makes visible."""
    bound = bind_item(query.args["from_"].this, context)
    for join in query.args.get("joins") or []:
        bound = _joined(bound, join, context)
    for lateral in query.args.get("laterals") or []:
        bound = _lateral_view(bound, lateral, context)
    return bound


def bind_item(item: exp.Expr, context: Context) -> Bound:
    match item:
        case exp.Table():
            _require(item, {"this", "db", "catalog", "alias", "joins", "pivots"})
            bound = _bind_table(item, context)
        case exp.Subquery():
            _require(item, {"this", "alias", "joins", "pivots", "with_"})
            bound = _bind_subquery(item, context)
        case exp.Values():
            _require(item, {"expressions", "alias", "joins", "pivots"})
            bound = _bind_values(item, context)
        case _:
            raise Refuse(f"{item.key.upper()} in FROM is not understood exactly", item)
    for pivot in item.args.get("pivots") or []:
        bound = bind_pivot(bound, pivot, context)
    for join in item.args.get("joins") or []:
        bound = _joined(bound, join, context)
    return bound


def _joined(left: Bound, join: exp.Join, context: Context) -> Bound:
    if isinstance(join.this, exp.Lateral):
        return bind_lateral(left, join, context)
    return bind_join(left, bind_item(join.this, context), join, context)


def _bind_subquery(item: exp.Subquery, context: Context) -> Bound:
    if _is_joined(item.this) and not item.args.get("with_"):
        rel, scope = bind_item(item.this, context)
        if not item.alias:
            return rel, scope
        seen = tuple(v.column for v in scope.starred(()))
        if seen != rel.columns:
            rel = Project(rel, tuple((c, Ref(c.id)) for c in seen))
        return aliased(rel, item, item.alias, context)
    bare = item.copy() if item.args.get("with_") else item.this
    if bare is not item.this:
        for key in ("alias", "joins", "pivots"):
            bare.set(key, None)
    rel = context.bind_query(bare, context)
    pivots = item.args.get("pivots") or []
    if pivots:  # the alias is that of the pivot
        return rel, visible(rel, "", context)
    return aliased(rel, item, item.alias or "", context)


def _is_joined(inner: exp.Expr) -> bool:
    """Whether parentheses hold a join or a relation with a name, and not a query."""
    if isinstance(inner, exp.Subquery):
        return any(inner.args.get(key) for key in ("alias", "joins", "pivots"))
    return isinstance(inner, exp.Table | exp.Values)


def _bind_table(table: exp.Table, context: Context) -> Bound:
    if not isinstance(table.this, exp.Identifier):
        return _bind_function(table, context)
    name = table_name(table)
    cte = None if table.args.get("db") else context.ctes.get(name.lower())
    if cte is not None:
        return aliased(_use(cte, context), table, table.alias or cte.node.alias, context)
    schema = context.sources.get(name.lower())
    if schema is None:
        raise Refuse(f"`{name}` is not a table of the warehouse", table)
    scan = Scan(name.lower(), At.NEW, context.fresh.columns(schema.names))
    spaces = () if table.alias else tuple(p.name for p in table.parts[:-1])
    return aliased(scan, table, table.alias or table.name, context, spaces)


def _use(cte: Cte, context: Context) -> Rel:
    """The rows of a WITH query; used twice it is one shared node, under new columns each time."""
    if cte.uses < 2:
        return _named(cte, context)
    if cte.rel is None:
        rel = _named(cte, context)
        cte.rel = Shared(f"{cte.node.alias}{context.fresh.number()}", rel)
    columns = context.fresh.columns(c.name for c in cte.rel.columns)
    pairs = zip(columns, cte.rel.columns, strict=True)
    return Project(cte.rel, tuple((c, Ref(own.id)) for c, own in pairs))


def _named(cte: Cte, context: Context) -> Rel:
    rel = context.bind_query(cte.node.this, cte.context)
    return aliased(rel, cte.node, cte.node.alias, context)[0]


def _bind_values(item: exp.Values, context: Context) -> Bound:
    rows = tuple(
        tuple(bind_scalar(e, _no_columns) for e in _cells(row)) for row in item.expressions
    )
    names = [f"col{i}" for i, _ in enumerate(rows[0], start=1)]
    values = context.placed(Values(rows, context.fresh.columns(names)), item)
    return aliased(values, item, item.alias, context)


def _cells(row: exp.Expr) -> list[exp.Expr]:
    if isinstance(row, exp.Tuple):
        return list(row.expressions)
    return [row.this if isinstance(row, exp.Paren) else row]


def _bind_function(table: exp.Table, context: Context) -> Bound:
    """A table function whose arguments are constants."""
    if not isinstance(table.this, exp.Anonymous) or table.this.name.lower() == "identifier":
        raise Refuse("this is not understood exactly as a relation", table)
    call = bind_call(table.this, _no_columns)
    names = column_aliases(table) or list(context.asking.ask(function_question(call)).names)
    rel = context.placed(TableFunction(call, context.fresh.columns(names)), table)
    return rel, visible(rel, table.alias or table.this.name, context)


def _no_columns(node: exp.Expr) -> Scalar | None:
    if isinstance(node, exp.Column):
        raise Refuse(f"`{node.name}`: a constant is wanted here", node)
    return None


def _lateral_view(bound: Bound, lateral: exp.Lateral, context: Context) -> Bound:
    """LATERAL VIEW [OUTER]: each row with the rows that a generator makes of it."""
    return generated(bound, lateral, context, outer=bool(lateral.args.get("outer")))


_CLAUSES = {"sample": "TABLESAMPLE", "version": "a past version", "when": "a past version"}


def _require(node: exp.Expr, allowed: set[str]) -> None:
    for key, value in node.args.items():
        if key not in allowed and value not in (None, False, []):
            name = _CLAUSES.get(key, key.upper())
            raise Refuse(f"{name} in FROM is not understood exactly", node)
