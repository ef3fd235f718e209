"""PIVOT and UNPIVOT."""

from __future__ import annotations

from sqlglot import exp

from everview.algebra.relations import Pivot, Project, Rel, Unpivot
from everview.algebra.scalars import Ref, Scalar, refs
from everview.sql.bind.aliases import Bound
from everview.sql.bind.context import Context
from everview.sql.bind.rows import Rows
from everview.sql.bind.scalar import bind_call, bind_scalar, column_scalar
from everview.sql.bind.scope import Scope, Visible
from everview.sql.read.refuse import Refuse


def bind_pivot(bound: Bound, node: exp.Pivot, context: Context) -> Bound:
    for key in ("group", "using", "default_on_null", "include_nulls"):
        is_understood = key == "include_nulls" and node.args.get("unpivot")
        if node.args.get(key) and not is_understood:
            raise Refuse(f"PIVOT with {key.upper()} is not understood exactly", node)
    if len(node.args.get("fields") or []) != 1:
        raise Refuse("PIVOT wants one FOR", node)
    make = _unpivot if node.args.get("unpivot") else _pivot
    made = context.placed(make(bound, node, context), node)
    alias = node.args.get("alias")
    qualifier = alias.name if alias is not None else ""
    return made, context.scope(tuple(Visible(qualifier, c.name, c) for c in made.columns))


def _pivot(bound: Bound, node: exp.Pivot, context: Context) -> Rel:
    """Keys are the columns that neither a measure nor FOR reads."""
    scope = bound[1]
    rows = Rows(bound[0], context.fresh)

    def hole(part: exp.Expr) -> Scalar | None:
        return column_scalar(part, (scope,), {}) if isinstance(part, exp.Column) else None

    (field,) = node.args["fields"]
    asked = field.this.expressions if isinstance(field.this, exp.Tuple) else [field.this]
    dimensions = tuple(rows.column(bind_scalar(_as_column(d), hole), "for") for d in asked)
    measures = tuple(bind_call(m.unalias(), hole) for m in node.expressions)
    read = {r for m in measures for r in refs(m)} | {d.id for d in dimensions}
    keys = tuple(v.column for v in scope.columns if v.bare and v.column.id not in read)
    entries = [_entry(e) for e in field.expressions]
    values = tuple(tuple(bind_scalar(v, hole) for v in parts) for parts, _ in entries)
    names = [m.alias if isinstance(m, exp.Alias) else "" for m in node.expressions]
    cells = tuple(
        context.fresh.column(_cell_name(entry, measure, several=len(names) > 1))
        for _, entry in entries
        for measure in names
    )
    used = tuple((c, Ref(c.id)) for c in rows.rel.columns if c.id in read | {k.id for k in keys})
    return Pivot(Project(rows.rel, used), keys, dimensions, values, measures, cells)


def _as_column(node: exp.Expr) -> exp.Expr:
    return exp.Column(this=node.copy()) if isinstance(node, exp.Identifier) else node


def _entry(node: exp.Expr) -> tuple[list[exp.Expr], str]:
    """The values of an entry of IN, and its name as far as the text says it."""
    alias = node.args["alias"].name if isinstance(node, exp.PivotAlias | exp.Alias) else ""
    inner = node.this if isinstance(node, exp.PivotAlias | exp.Alias) else node
    if isinstance(inner, exp.Tuple):
        return list(inner.expressions), alias
    if not alias and isinstance(inner, exp.Literal):
        alias = inner.name
    return [inner], alias


def _cell_name(entry: str, measure: str, *, several: bool) -> str:
    if not several:
        return entry
    return f"{entry}_{measure}" if entry and measure else ""


def _unpivot(bound: Bound, node: exp.Pivot, context: Context) -> Rel:
    rel, scope = bound
    (field,) = node.args["fields"]
    (target,) = node.expressions
    named = target.expressions if isinstance(target, exp.Tuple) else [target]
    entries = [_entry(e) for e in field.expressions]
    found = [[_column(e, scope) for e in parts] for parts, _ in entries]
    rows = tuple(
        (label or "_".join(v.name for v in columns), tuple(v.column.id for v in columns))
        for columns, (_, label) in zip(found, entries, strict=True)
    )
    gone = {v.column.id for columns in found for v in columns}
    kept = tuple(v.column for v in scope.columns if v.bare and v.column.id not in gone)
    label = context.fresh.column(field.this.name)
    values = context.fresh.columns(e.name for e in named)
    keeps_nulls = bool(node.args.get("include_nulls"))
    return Unpivot(rel, kept, label, values, rows, keeps_nulls)


def _column(node: exp.Expr, scope: Scope) -> Visible:
    parts = tuple(p.name for p in node.parts) if isinstance(node, exp.Column) else (node.name,)
    found = scope.resolve(parts)
    if isinstance(found, str) or found.path:
        raise Refuse(f"UNPIVOT of `{'.'.join(parts)}` is not understood exactly", node)
    return next(v for v in scope.columns if v.column.id == found.column.id)
