"""GROUP BY and aggregate functions."""

from __future__ import annotations

from sqlglot import exp

from everview.algebra.calls import AggregateCall, AggregateName
from everview.algebra.fresh import Fresh
from everview.algebra.relations import Aggregate, Project, Rel
from everview.algebra.scalars import (
    NULL,
    And,
    Case,
    Column,
    IsNull,
    Not,
    Ref,
    Scalar,
    integer,
)
from everview.sql.bind_scalar import bind_scalar, column_hole
from everview.sql.refuse import Refuse
from everview.sql.scope import Scope

AGGREGATES: dict[str, AggregateName] = {
    "count": "count",
    "sum": "sum",
    "avg": "avg",
    "mean": "avg",
    "min": "min",
    "max": "max",
}

Items = list[exp.Expr | Column]

_GROUPINGS = {"rollup": "ROLLUP", "cube": "CUBE", "grouping_sets": "GROUPING SETS"}


def is_grouped(query: exp.Select, items: Items) -> bool:
    """Whether the SELECT groups: by GROUP BY, or by an aggregate function among its items."""
    if query.args.get("group") is not None:
        return True
    nodes = (n for i in items if isinstance(i, exp.Expr) for n in i.walk())
    return any(_is_aggregate(n) and n.find_ancestor(exp.Select) is query for n in nodes)


def _is_aggregate(node: exp.Expr) -> bool:
    """Whether the node calls an aggregate function, and not over a window."""
    is_call = isinstance(node, exp.Anonymous) and node.name.lower() in AGGREGATES
    return is_call and not isinstance(node.parent, exp.Window)


def bind_grouped(query: exp.Select, items: Items, rel: Rel, scope: Scope, fresh: Fresh) -> Rel:
    """Π(γ(Π(rel))): keys and arguments are computed first, so that they are columns."""
    grouping = _Grouping(scope, fresh)
    for key in _group_items(query, items, scope):
        grouping.add_key(key)
    outputs = []
    for item in items:
        if isinstance(item, Column):
            outputs.append((fresh.column(item.name), grouping.key_of(Ref(item.id), query)))
        else:
            scalar = bind_scalar(item.unalias(), grouping.hole)
            outputs.append((fresh.column(item.alias_or_name or "column"), scalar))
    prepared = Project(rel, tuple(grouping.prepared))
    aggregate = Aggregate(prepared, tuple(grouping.keys.values()), tuple(grouping.calls))
    return Project(aggregate, tuple(outputs))


def _group_items(query: exp.Select, items: Items, scope: Scope) -> list[exp.Expr | Column]:
    """What GROUP BY names: expressions, positions, aliases, or ALL."""
    group = query.args.get("group")
    if group is None:
        return []
    for key, value in group.args.items():
        if key not in ("expressions", "all") and value not in (None, False, []):
            words = _GROUPINGS.get(key, key.upper())
            raise Refuse(f"{words} is not maintained incrementally", group)
    if group.args.get("all"):
        plain = [i for i in items if isinstance(i, Column) or not any(map(_is_aggregate, i.walk()))]
        return [i if isinstance(i, Column) else i.unalias() for i in plain]
    return [_group_item(e, items, scope) for e in group.expressions]


def _group_item(node: exp.Expr, items: Items, scope: Scope) -> exp.Expr | Column:
    if isinstance(node, exp.Literal) and not node.is_string:
        position = int(node.name)
        if not 1 <= position <= len(items):
            raise Refuse(f"GROUP BY {position}: there are {len(items)} columns", node)
        item = items[position - 1]
        return item if isinstance(item, Column) else item.unalias()
    is_bare = isinstance(node, exp.Column) and not node.table
    if is_bare and isinstance(scope.resolve((node.name,)), str):
        for item in items:
            if isinstance(item, exp.Alias) and scope.same(item.alias, node.name):
                return item.unalias()
    return node


class _Grouping:
    """The keys, arguments and calls of one GROUP BY as they are found."""

    def __init__(self, scope: Scope, fresh: Fresh) -> None:
        self._fresh = fresh
        self._input = column_hole(scope)
        self.keys: dict[Scalar, Column] = {}
        self.prepared: list[tuple[Column, Scalar]] = []
        self.calls: list[tuple[Column, AggregateCall]] = []
        self._made: dict[AggregateCall, Column] = {}
        self._args: dict[Scalar, Column] = {}

    def add_key(self, item: exp.Expr | Column) -> None:
        scalar = Ref(item.id) if isinstance(item, Column) else bind_scalar(item, self._input)
        if scalar in self.keys:
            return
        name = item.name if isinstance(item, Column) else item.alias_or_name or "key"
        self.keys[scalar] = self._fresh.column(name)
        self.prepared.append((self.keys[scalar], scalar))

    def key_of(self, scalar: Scalar, node: exp.Expr) -> Scalar:
        if scalar not in self.keys:
            raise Refuse("a column is neither grouped nor inside an aggregate", node)
        return Ref(self.keys[scalar].id)

    def hole(self, node: exp.Expr) -> Scalar | None:
        """Inside the select list: aggregates, and whole expressions that are grouped by."""
        if isinstance(node, exp.Filter):
            if not _is_aggregate(node.this):
                raise Refuse("FILTER on this function is not maintained incrementally", node)
            condition = bind_scalar(node.expression.this, self._input)
            return self._call(node.this, condition)
        if _is_aggregate(node):
            return self._call(node, None)
        if isinstance(node, exp.Literal | exp.Boolean | exp.Null | exp.Identifier | exp.DataType):
            return None
        key = self._matching_key(node)
        if key is not None:
            return Ref(key.id)
        if isinstance(node, exp.Column) and self._input(node) is not None:
            raise Refuse(f"`{node.sql()}` is neither grouped nor in a maintained aggregate", node)
        return None

    def _matching_key(self, node: exp.Expr) -> Column | None:
        if any(map(_is_aggregate, node.walk())):
            return None
        try:
            return self.keys.get(bind_scalar(node, self._input))
        except Refuse:
            return None

    def _call(self, node: exp.Expr, condition: Scalar | None) -> Scalar:
        function = AGGREGATES[node.name.lower()]
        args = node.expressions
        if any(isinstance(a, exp.Distinct) for a in args):
            raise Refuse(f"{function}(DISTINCT ...) is not maintained incrementally", node)
        if function != "count" and len(args) != 1:
            raise Refuse(f"{function} wants one argument", node)
        arg = self._argument(args, condition)
        call = AggregateCall(function, () if arg is None else (self._prepare(arg).id,))
        if call not in self._made:
            self._made[call] = self._fresh.column(function)
            self.calls.append((self._made[call], call))
        return Ref(self._made[call].id)

    def _argument(self, args: list[exp.Expr], condition: Scalar | None) -> Scalar | None:
        """The one argument, None for count(*): NULL where a row does not count."""
        if len(args) == 1 and isinstance(args[0], exp.Star | exp.Literal):
            scalar: Scalar | None = None
            if not isinstance(args[0], exp.Star):
                scalar = bind_scalar(args[0], self._input)
        elif len(args) == 1:
            scalar = bind_scalar(args[0], self._input)
        else:
            present = tuple(Not(IsNull(bind_scalar(a, self._input))) for a in args)
            scalar = Case(((And(present), integer(1)),), NULL)
        if condition is None:
            return scalar
        return Case(((condition, integer(1) if scalar is None else scalar),), NULL)

    def _prepare(self, scalar: Scalar) -> Column:
        if scalar not in self._args:
            self._args[scalar] = self._fresh.column("arg")
            self.prepared.append((self._args[scalar], scalar))
        return self._args[scalar]
