"""Plans as Spark SQL text: the one door by which SQL leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from everview.algebra.relations import (
    Aggregate,
    Changes,
    ChangeTable,
    Filter,
    Join,
    Local,
    Negate,
    Net,
    Project,
    Rel,
    Scan,
    UnionAll,
    Values,
)
from everview.algebra.scalars import Column, ColumnId
from everview.sql.comparable import comparable_text
from everview.sql.names import escaped, is_name, quoted
from everview.sql.write_grouping import aggregate_items, change_items, windows
from everview.sql.write_scalar import scalar_text

WEIGHT = "__ev_w"
Leaf = Scan | Changes | Local
Types = Mapping[ColumnId, str]

_JOIN_WORDS = {
    "inner": "JOIN",
    "cross": "CROSS JOIN",
    "left": "LEFT JOIN",
    "semi": "LEFT SEMI JOIN",
    "anti": "LEFT ANTI JOIN",
}


@dataclass(frozen=True, slots=True)
class Sql:
    """A query whose leaves stand as `{name}`; other braces are doubled, as `spark.sql` wants it."""

    text: str
    leaves: Mapping[str, Leaf]

    def shown(self) -> str:
        """The text for a person: leaves by table and snapshot."""
        return self.text.format(**{name: _leaf_title(leaf) for name, leaf in self.leaves.items()})


def write(rel: Rel, types: Types, names: tuple[str, ...] | None = None) -> Sql:
    """The query of a plan under these column names, by default the columns' own; weights come last.

    `types` are needed of the columns that a Net compares.
    """
    writer = _Writer(types)
    select = writer.select(rel)
    titles = names if names is not None else tuple(c.name for c in rel.columns)
    pairs = zip(rel.columns, titles, strict=True)
    items = [(select.items[c.id], escaped(title)) for c, title in pairs]
    text = select.text(items + ([(WEIGHT_TEXT, WEIGHT)] if rel.weighted else []))
    return Sql(text, writer.leaves)


WEIGHT_TEXT = quoted(WEIGHT)


def local_names(columns: tuple[Column, ...]) -> tuple[str, ...]:
    """The names that the columns of a Local must have in its rows."""
    return tuple(f"{c.name}_{c.id}" for c in columns)


def _leaf_title(leaf: Leaf) -> str:
    match leaf:
        case Scan(table, at, _):
            return f"{quoted(table)} /* at the {at.value} version */"
        case Changes(table, _):
            return f"{quoted(table)} /* its changes */"
        case Local(name, _):
            return f"{quoted(name)} /* computed before */"
        case _:
            assert_never(leaf)


@dataclass(frozen=True, slots=True)
class _Select:
    """One SELECT in the making: what each column is in terms of FROM, and the clauses.

    `weight` is the text of the weight, None for a plain relation. `closed`: no clause can be added.
    """

    from_: str
    items: Mapping[ColumnId, str]
    weight: str | None = None
    where: tuple[str, ...] = ()
    tail: str = ""
    hint: str = ""
    closed: bool = False

    def text(self, items: list[tuple[str, str]]) -> str:
        shown = [
            (self.weight or "") if text == WEIGHT_TEXT and alias == WEIGHT else text
            for text, alias in items
        ]
        pairs = zip(shown, items, strict=True)
        columns = ", ".join(
            text if text == quoted(alias) else f"{text} AS {quoted(alias)}"
            for text, (_, alias) in pairs
        )
        where = f"\nWHERE {' AND '.join(self.where)}" if self.where else ""
        return f"SELECT {self.hint}{columns or '1'}\nFROM {self.from_}{where}{self.tail}"


@dataclass
class _Writer:
    types: Types
    leaves: dict[str, Leaf] = field(default_factory=dict)
    _aliases: int = 0

    def select(self, rel: Rel) -> _Select:
        match rel:
            case Scan() | Changes() | Local():
                return self._leaf(rel)
            case Values(rows, columns):
                lines = ", ".join(f"({', '.join(c.text for c in row)})" for row in rows)
                names = ", ".join(_name(c) for c in columns)
                from_ = f"VALUES {lines} AS {self._alias()}({names})"
                return _Select(from_, _identity(columns))
            case Filter():
                return self._filter(rel)
            case Project():
                below = self._open(rel.input)
                items = {c.id: scalar_text(s, below.items) for c, s in rel.outputs}
                return replace(below, items=items)
            case Join():
                return self._join(rel)
            case UnionAll(inputs, columns):
                branches = "\nUNION ALL\n".join(self._query(i, columns) for i in inputs)
                return self._nested(branches, rel)
            case Negate(input_):
                below = self._open(input_)
                return replace(below, weight=f"(-{below.weight})")
            case Net():
                return self._net(rel)
            case Aggregate() | ChangeTable():
                return self._grouped(rel)
            case _:
                assert_never(rel)

    def _leaf(self, leaf: Leaf) -> _Select:
        known = next((name for name, other in self.leaves.items() if other == leaf), None)
        name = known or f"leaf{len(self.leaves)}"
        self.leaves[name] = leaf
        weight = WEIGHT_TEXT if leaf.weighted else None
        if isinstance(leaf, Local):
            return _Select(f"{{{name}}}", _identity(leaf.columns), weight)
        return _Select(f"{{{name}}}", {c.id: quoted(escaped(c.name)) for c in leaf.columns}, weight)

    def _filter(self, rel: Filter) -> _Select:
        below = self._open(rel.input)
        return replace(below, where=(*below.where, scalar_text(rel.condition, below.items)))

    def _join(self, rel: Join) -> _Select:
        left, left_from = self._side(rel.left)
        right, right_from = self._side(rel.right)
        items = _identity(rel.columns)
        names = _identity(rel.left.columns + rel.right.columns)
        on = "" if rel.condition is None else f" ON {scalar_text(rel.condition, names)}"
        hint = {"left": f"/*+ BROADCAST({left}) */ ", "right": f"/*+ BROADCAST({right}) */ "}
        return _Select(
            f"{left_from}\n{_JOIN_WORDS[rel.kind]} {right_from}{on}",
            items,
            WEIGHT_TEXT if rel.weighted else None,
            hint=hint[rel.broadcast] if rel.broadcast else "",
        )

    def _side(self, rel: Rel) -> tuple[str, str]:
        alias = self._alias()
        return alias, f"({_indented(self._query(rel, rel.columns))}) AS {alias}"

    def _net(self, rel: Net) -> _Select:
        below = self._groupable(rel.input, rel.columns)
        items, keys = {}, []
        for column in rel.columns:
            text = below.items[column.id]
            key = comparable_text(text, self.types[column.id])
            keys.append(key)
            items[column.id] = text if key == text else f"first({text})"
        tail = f"\nGROUP BY {', '.join(keys)}" if keys else ""
        weight = f"sum({below.weight})"
        tail += f"\nHAVING {weight} <> 0"
        return replace(below, items=items, weight=weight, tail=tail, closed=True)

    def _grouped(self, rel: Aggregate | ChangeTable) -> _Select:
        """GROUP BY; where copies of an extreme are counted, a window finds the extreme first."""
        input_ = rel.input if isinstance(rel, Aggregate) else rel.changes
        below = self._groupable(input_, rel.keys)
        keys = [below.items[k.id] for k in rel.keys]
        extremes = windows(rel, below.items, below.weight)
        if extremes:
            items = self._own(below, input_) + [(text, name) for name, text in extremes]
            text = below.text(items)
            below = self._nested(text, input_)
            keys = [below.items[k.id] for k in rel.keys]
        computed = (
            aggregate_items(rel, below.items)
            if isinstance(rel, Aggregate)
            else change_items(rel, below.items, below.weight or "")
        )
        tail = f"\nGROUP BY {', '.join(keys)}" if keys else ""
        if isinstance(rel, ChangeTable) and not keys:
            tail = "\nHAVING count(*) > 0"
        own = {k.id: text for k, text in zip(rel.keys, keys, strict=True)}
        return replace(below, items=own | computed, weight=None, tail=tail, closed=True)

    def _open(self, rel: Rel) -> _Select:
        """The relation as a SELECT to which clauses can be added."""
        select = self.select(rel)
        if not select.closed:
            return select
        return self._nested(select.text(self._own(select, rel)), rel)

    def _groupable(self, rel: Rel, keys: tuple[Column, ...]) -> _Select:
        """The relation with the keys as columns: GROUP BY would read a constant as a position."""
        select = self._open(rel)
        if all(is_name(select.items[k.id]) for k in keys):
            return select
        return self._nested(select.text(self._own(select, rel)), rel)

    def _own(self, select: _Select, rel: Rel) -> list[tuple[str, str]]:
        """The items of all columns under their names in plans, the weight last."""
        items = [(select.items[c.id], escaped(f"{c.name}_{c.id}")) for c in rel.columns]
        return items + ([(WEIGHT_TEXT, WEIGHT)] if rel.weighted else [])

    def _query(self, rel: Rel, columns: tuple[Column, ...]) -> str:
        """The whole query, its columns named as `columns` are in plans."""
        select = self.select(rel)
        pairs = zip(rel.columns, columns, strict=True)
        items = [(select.items[own.id], escaped(f"{c.name}_{c.id}")) for own, c in pairs]
        return select.text(items + ([(WEIGHT_TEXT, WEIGHT)] if rel.weighted else []))

    def _nested(self, query: str, rel: Rel) -> _Select:
        weight = WEIGHT_TEXT if rel.weighted else None
        from_ = f"({_indented(query)}) AS {self._alias()}"
        return _Select(from_, _identity(rel.columns), weight)

    def _alias(self) -> str:
        self._aliases += 1
        return f"q{self._aliases}"


def _identity(columns: tuple[Column, ...]) -> dict[ColumnId, str]:
    return {c.id: _name(c) for c in columns}


def _name(column: Column) -> str:
    return quoted(escaped(f"{column.name}_{column.id}"))


def _indented(text: str) -> str:
    return "\n  " + text.replace("\n", "\n  ") + "\n"
