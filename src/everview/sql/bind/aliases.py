"""What a relation of FROM is called, and the names that its alias makes visible."""

from __future__ import annotations

from sqlglot import exp

from everview.algebra.relations import Project, Rel
from everview.algebra.scalars import Ref
from everview.sql.bind.context import Context
from everview.sql.bind.scope import Scope, Visible
from everview.sql.read.refuse import Refuse

Bound = tuple[Rel, Scope]


def column_aliases(item: exp.Expr) -> list[str]:
    """The names of `AS t(a, b)`."""
    alias = item.args.get("alias")
    return [c.name for c in alias.args.get("columns") or []] if alias is not None else []


def aliased(
    rel: Rel, item: exp.Expr, qualifier: str, context: Context, spaces: tuple[str, ...] = ()
) -> Bound:
    """The relation under its alias; `AS t(a, b)` renames its columns."""
    names = column_aliases(item)
    if names and len(names) != len(rel.columns):
        raise Refuse(f"{len(names)} names for {len(rel.columns)} columns", item)
    if names:
        columns = context.fresh.columns(names)
        pairs = zip(columns, rel.columns, strict=True)
        rel = Project(rel, tuple((c, Ref(own.id)) for c, own in pairs))
    return rel, visible(rel, qualifier, context, spaces)


def visible(rel: Rel, qualifier: str, context: Context, spaces: tuple[str, ...] = ()) -> Scope:
    return context.scope(tuple(Visible(qualifier, c.name, c, spaces=spaces) for c in rel.columns))
