"""Where the expressions of a clause are computed: names, rows, subqueries, windows, groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from everview.algebra.scalars import Column, ColumnId, Ref, Scalar
from everview.facts.refusals import RefusalKind
from everview.sql.bind.context import Context
from everview.sql.bind.group import Grouping
from everview.sql.bind.rows import Rows
from everview.sql.bind.scalar import bind_scalar, column_scalar, standing_for
from everview.sql.bind.scope import Absent, Scope, Visible
from everview.sql.bind.subquery import Subqueries
from everview.sql.bind.window import Windows
from everview.sql.read.refuse import Refuse


@dataclass
class Level:
    """The rows of a clause and what names mean there.

    `aliases` are the items of the select list so far, which names may stand for that are no
    columns. Over groups `scope` still has the columns of the input; `grouped` those that are keys.
    """

    context: Context
    rows: Rows
    scope: Scope
    named: Mapping[str, exp.Window] = field(default_factory=dict)
    aliases: dict[str, Scalar] = field(default_factory=dict)
    grouping: Grouping | None = None
    grouped: Scope | None = None

    def scalar(self, node: exp.Expr) -> Scalar:
        return bind_scalar(node, self.hole)

    def hole(self, node: exp.Expr) -> Scalar | None:
        if isinstance(node, exp.Query | exp.Exists | exp.In | exp.Not | exp.EQ):
            found = self.subqueries().hole(node, self.hole)
            if found is not None:
                return found
        if isinstance(node, exp.Window):
            return Windows(self.context, self.rows, self.named).hole(node, self.hole)
        if self.grouping is not None:
            found = self.grouping.hole(node)
            if found is not None:
                return found
        return self._name(node) if isinstance(node, exp.Column) else None

    def subqueries(self) -> Subqueries:
        return Subqueries(self.context, self._own_rows, self.grouped or self.scope)

    def _own_rows(self, _: frozenset[ColumnId]) -> Rows:
        return self.rows

    def _name(self, node: exp.Column) -> Scalar:
        if self.grouping is not None:
            parts = tuple(p.name for p in node.parts)
            if not isinstance(self.scope.resolve(parts), Absent):
                raise Refuse(f"`{'.'.join(parts)}` is neither grouped nor in an aggregate", node)
        return column_scalar(node, (self.scope, *self.context.outer), self.aliases)

    def over_groups(self, grouping: Grouping, group: exp.Expr) -> Level:
        """The level of the groups, once all aggregates of the query are known."""
        rows = Rows(grouping.relation(self.context, group), self.context.fresh)
        keys = tuple(
            _as_key(v, grouping.keys[Ref(v.column.id)])
            for v in self.scope.columns
            if Ref(v.column.id) in grouping.keys
        )
        grouped = Scope(keys, self.scope.case_sensitive)
        return Level(self.context, rows, self.scope, self.named, {}, grouping, grouped)


def _as_key(visible: Visible, key: Column) -> Visible:
    return replace(visible, column=key)


def starred(node: exp.Expr, scope: Scope) -> tuple[Visible, ...] | None:
    """The columns that a star stands for, without those of its EXCEPT; None if it is none, or
    that of a struct.
    """
    star = node.this if isinstance(node, exp.Column) else node
    if not isinstance(star, exp.Star):
        return None
    for key, value in star.args.items():
        if key != "except_" and value not in (None, False, []):
            raise Refuse(
                f"a star with {key.upper()} is not understood exactly", node, RefusalKind.STAR
            )
    qualifiers = tuple(p.name for p in node.parts[:-1]) if isinstance(node, exp.Column) else ()
    found = scope.starred(qualifiers)
    if not found and qualifiers:
        return None
    left_out = set()
    for name in star.args.get("except_") or []:
        parts = tuple(p.name for p in name.parts) if isinstance(name, exp.Column) else (name.name,)
        column = scope.resolve(parts)
        if isinstance(column, str) or column.path:
            raise Refuse(f"EXCEPT of `{'.'.join(parts)}` is not understood exactly", node)
        left_out.add(column.column.id)
    return tuple(v for v in found if v.column.id not in left_out)


def with_stars(node: exp.Expr, scope: Scope) -> exp.Expr:
    """The expression with the stars among the arguments of functions as their columns."""
    stars = [s for s in node.find_all(exp.Star) if _is_argument(s)]
    if not stars:
        return node
    node = node.copy()
    for call in list(node.find_all(exp.Anonymous)):
        counts = call.name.lower() == "count" and [type(e) for e in call.expressions] == [exp.Star]
        if counts or call.find_ancestor(exp.Query) is not None:
            continue
        args: list[exp.Expr] = []
        for arg in call.expressions:
            found = starred(arg, scope)
            args += (
                [arg] if found is None else [standing_for(Ref(v.column.id), v.name) for v in found]
            )
        call.set("expressions", args)
    return node


def _is_argument(star: exp.Star) -> bool:
    around = star.parent.parent if isinstance(star.parent, exp.Column) else star.parent
    return isinstance(around, exp.Anonymous)
