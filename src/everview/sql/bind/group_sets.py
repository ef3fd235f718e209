"""What GROUP BY names: keys, and the sets of them that ROLLUP, CUBE and GROUPING SETS stand for."""

from __future__ import annotations

from itertools import combinations, product

from sqlglot import exp

from everview.algebra.scalars import Column, Scalar
from everview.sql.bind.group import Grouping, Item, aggregates_in
from everview.sql.bind.scope import Scope
from everview.sql.read.refuse import Refuse

GroupingSet = frozenset[Scalar]

_ANALYTICS = (exp.Rollup, exp.Cube, exp.GroupingSets)


def group_keys(query: exp.Select, items: list[Item], scope: Scope, grouping: Grouping) -> None:
    """Add the keys of GROUP BY to the grouping: expressions, positions, aliases, or ALL."""
    group = query.args.get("group")
    if group is None:
        return
    for key, value in group.args.items():
        if key not in _UNDERSTOOD and value not in (None, False, []):
            raise Refuse(f"GROUP BY with {key.upper()} is not understood exactly", group)
    if group.args.get("all"):
        for item in items:
            if isinstance(item, Column) or not any(True for _ in aggregates_in(item)):
                grouping.add_key(item if isinstance(item, Column) else item.unalias())
        return
    _Sets(items, scope, grouping).add(group)


_UNDERSTOOD = {"expressions", "all", "rollup", "cube", "grouping_sets"}


class _Sets:
    """Reads the elements of one GROUP BY."""

    def __init__(self, items: list[Item], scope: Scope, grouping: Grouping) -> None:
        self._items = items
        self._scope = scope
        self._grouping = grouping

    def add(self, group: exp.Group) -> None:
        elements = [self._element(e) for e in group.expressions]
        trailing = [t for k in ("rollup", "cube", "grouping_sets") for t in group.args.get(k) or []]
        if not trailing and not any(isinstance(e, _ANALYTICS) for e in group.expressions):
            return
        if trailing:
            if len(trailing) > 1:
                raise Refuse("several of ROLLUP, CUBE, GROUPING SETS after the keys", group)
            elements = [self._trailing(trailing[0], [next(iter(e)) for e in elements])]
        self._grouping.sets = [frozenset().union(*some) for some in product(*elements)]

    def _element(self, node: exp.Expr) -> list[GroupingSet]:
        """The sets of keys that one element of GROUP BY stands for."""
        match node:
            case exp.Rollup():
                parts = [self._keys(e) for e in node.expressions]
                return _rollup(parts)
            case exp.Cube():
                return _cube([self._keys(e) for e in node.expressions])
            case exp.GroupingSets():
                return [s for e in node.expressions for s in self._set(e)]
            case _:
                return [self._keys(node)]

    def _trailing(self, node: exp.Expr, keys: list[GroupingSet]) -> list[GroupingSet]:
        """`GROUP BY a, b WITH ROLLUP` and `GROUP BY a, b GROUPING SETS (...)`."""
        match node:
            case exp.Rollup(expressions=[]):
                return _rollup(keys)
            case exp.Cube(expressions=[]):
                return _cube(keys)
            case exp.GroupingSets():
                return [s for e in node.expressions for s in self._set(e)]
            case _:
                raise Refuse("this form of GROUP BY is not understood exactly", node)

    def _set(self, node: exp.Expr) -> list[GroupingSet]:
        return self._element(node) if isinstance(node, _ANALYTICS) else [self._keys(node)]

    def _keys(self, node: exp.Expr) -> GroupingSet:
        """One key, or several in parentheses."""
        if isinstance(node, exp.Tuple):
            return frozenset().union(*(self._keys(e) for e in node.expressions))
        if isinstance(node, exp.Paren):
            return self._keys(node.this)
        return frozenset({self._grouping.add_key(self._named(node))})

    def _named(self, node: exp.Expr) -> Item:
        """What a position or an alias stands for; a column of the input wins over an alias."""
        if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
            place = int(node.name)
            if not 1 <= place <= len(self._items):
                raise Refuse(f"GROUP BY {place}: there are {len(self._items)} columns", node)
            item = self._items[place - 1]
            return item if isinstance(item, Column) else item.unalias()
        is_bare = isinstance(node, exp.Column) and not node.table
        if is_bare and isinstance(self._scope.resolve((node.name,)), str):
            for item in self._items:
                if isinstance(item, exp.Alias) and self._scope.same(item.alias, node.name):
                    return item.unalias()
        return node


def _rollup(parts: list[GroupingSet]) -> list[GroupingSet]:
    return [frozenset().union(*parts[:n]) for n in range(len(parts), -1, -1)]


def _cube(parts: list[GroupingSet]) -> list[GroupingSet]:
    return [
        frozenset().union(*some)
        for n in range(len(parts), -1, -1)
        for some in combinations(parts, n)
    ]
