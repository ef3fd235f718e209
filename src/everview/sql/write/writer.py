"""The writer: each operator as a SELECT, nested where a clause cannot be added."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import assert_never

from everview.algebra.relations import (
    Aggregate,
    Changes,
    ChangeTable,
    Copies,
    Distinct,
    Except,
    Filter,
    Generate,
    Intersect,
    Join,
    Local,
    Negate,
    Net,
    Pivot,
    Project,
    Rel,
    Scan,
    Shared,
    Signed,
    SourceLeaf,
    TableFunction,
    TopK,
    Touched,
    UnionAll,
    Unpivot,
    Values,
    Window,
)
from everview.algebra.scalars import Column, Ref, Types, walk
from everview.sql.names import escaped, is_name, quoted
from everview.sql.write.clauses import (
    JOIN_WORDS,
    copies_clause,
    function_from,
    lateral_view,
    limits,
    mark,
    pivot,
    pivot_items,
    unpivot,
    values_from,
    window_items,
)
from everview.sql.write.comparable import comparable_text
from everview.sql.write.grouping import aggregate_items, change_items, windows
from everview.sql.write.scalar import scalar_text
from everview.sql.write.select import (
    WEIGHT,
    WEIGHT_TEXT,
    Select,
    SelectItems,
    bare_name,
    identity,
    indented,
)

_REPEATABLE = 40  # an expression longer than this is not written twice


def weight_item(rel: Rel) -> SelectItems:
    return [(WEIGHT_TEXT, WEIGHT)] if rel.weighted else []


@dataclass
class Writer:
    types: Types
    leaves: dict[str, SourceLeaf] = field(default_factory=dict)
    _shared: list[tuple[Shared, str]] = field(default_factory=list)  # each with its query
    _aliases: int = 0

    def with_clause(self) -> str:
        named = [f"s{i} AS ({indented(query)})" for i, (_, query) in enumerate(self._shared)]
        return f"WITH {', '.join(named)}\n" if named else ""

    def select(self, rel: Rel) -> Select:
        match rel:
            case Scan() | Changes() | Local():
                return self._leaf(rel)
            case Values():
                return Select(values_from(rel, self._alias()), identity(rel.columns))
            case TableFunction():
                return Select(function_from(rel, self._alias()), identity(rel.columns))
            case Shared():
                return self._use(rel)
            case Filter():
                return self._filter(rel)
            case Project():
                return self._project(rel)
            case Join(kind="mark"):
                return self._mark(rel)
            case Join():
                return self._join(rel)
            case UnionAll(inputs):
                return self._set_operation("UNION ALL", inputs, rel)
            case Except() | Intersect():
                words = type(rel).__name__.upper() + (" ALL" if rel.all else "")
                return self._set_operation(words, (rel.left, rel.right), rel)
            case Distinct() | Signed() | Negate() | Touched():
                return self._changed(rel)
            case Net() | Copies():
                return self._net(rel) if isinstance(rel, Net) else self._copies(rel)
            case Aggregate() | ChangeTable():
                return self._grouped(rel)
            case Window():
                below = self._open(rel.input)
                items = {**below.items, **window_items(rel, below.items)}
                return replace(below, items=items, closed=True)
            case TopK(input_):
                below = self.select(input_)
                return self._nested(below.text(self._own(below, input_)) + limits(rel), input_)
            case Generate() | Pivot() | Unpivot():
                return self._extended(rel)
            case _:
                assert_never(rel)

    def _leaf(self, leaf: SourceLeaf) -> Select:
        known = next((name for name, other in self.leaves.items() if other == leaf), None)
        name = known or f"leaf{len(self.leaves)}"
        self.leaves[name] = leaf
        weight = WEIGHT_TEXT if leaf.weighted else None
        if isinstance(leaf, Local):
            return Select(f"{{{name}}}", identity(leaf.columns), weight)
        return Select(f"{{{name}}}", {c.id: quoted(escaped(c.name)) for c in leaf.columns}, weight)

    def _use(self, rel: Shared) -> Select:
        place = next((i for i, (known, _) in enumerate(self._shared) if known is rel), None)
        if place is None:
            query = self._query(rel.input, rel.columns)
            place = len(self._shared)
            self._shared.append((rel, query))
        return Select(f"s{place}", identity(rel.columns), WEIGHT_TEXT if rel.weighted else None)

    def _filter(self, rel: Filter) -> Select:
        below = self._open(rel.input)
        return replace(below, where=(*below.where, scalar_text(rel.condition, below.items)))

    def _project(self, rel: Project) -> Select:
        below = self._open(rel.input)
        used = Counter(s.id for _, out in rel.outputs for s in walk(out) if isinstance(s, Ref))
        if any(n > 1 and _is_long(below.items[id_]) for id_, n in used.items()):
            below = self._nested(below.text(self._own(below, rel.input)), rel.input)
        items = {c.id: scalar_text(s, below.items) for c, s in rel.outputs}
        return replace(below, items=items)

    def _changed(self, rel: Distinct | Signed | Negate | Touched) -> Select:
        below = self._open(rel.changes if isinstance(rel, Touched) else rel.input)
        if isinstance(rel, Negate):
            return replace(below, weight=f"(-{below.weight})")
        if isinstance(rel, Signed):
            return replace(below, weight=f"CAST({rel.weight} AS BIGINT)")
        return replace(below, head=f"{below.head}DISTINCT ", weight=None, closed=True)

    def _join(self, rel: Join) -> Select:
        left, left_from = self._side(rel.left)
        right, right_from = self._side(rel.right)
        names = identity(rel.left.columns + rel.right.columns)
        on = "" if rel.condition is None else f" ON {scalar_text(rel.condition, names)}"
        hint = {"left": f"/*+ BROADCAST({left}) */ ", "right": f"/*+ BROADCAST({right}) */ "}
        return Select(
            f"{left_from}\n{JOIN_WORDS[rel.kind]} {right_from}{on}",
            identity(rel.columns),
            WEIGHT_TEXT if rel.weighted else None,
            head=hint[rel.broadcast] if rel.broadcast else "",
        )

    def _mark(self, rel: Join) -> Select:
        assert rel.mark is not None
        left = self.nested(rel.left)
        _, right = self._side(rel.right)
        return replace(left, items={**left.items, rel.mark.id: mark(rel, right)}, closed=True)

    def _side(self, rel: Rel) -> tuple[str, str]:
        alias = self._alias()
        return alias, f"({indented(self._query(rel, rel.columns))}) AS {alias}"

    def _set_operation(self, words: str, inputs: tuple[Rel, ...], rel: Rel) -> Select:
        return self._nested(f"\n{words}\n".join(self._query(i, rel.columns) for i in inputs), rel)

    def _extended(self, rel: Generate | Pivot | Unpivot) -> Select:
        """A clause that follows the input in FROM."""
        input_ = rel.input
        if not isinstance(rel, Generate):
            # Any other column would be a key of the pivot.
            used = tuple((c, Ref(c.id)) for c in input_.columns if c.id in rel.reads)
            input_ = Project(input_, used)
        below = self.nested(input_)
        match rel:
            case Generate():
                clause, items = lateral_view(rel, below.items, self._alias()), identity(rel.columns)
            case Unpivot():
                clause, items = unpivot(rel, below.items), identity(rel.columns)
            case Pivot():
                clause, items = pivot(rel, below.items), pivot_items(rel)
        return replace(below, from_=below.from_ + clause, items=items)

    def _net(self, rel: Net) -> Select:
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

    def _copies(self, rel: Copies) -> Select:
        below = self.nested(rel.input)
        clause = copies_clause(below.weight or "", self._alias())
        return replace(below, from_=below.from_ + clause, weight=None)

    def _grouped(self, rel: Aggregate | ChangeTable) -> Select:
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
        if not keys and (isinstance(rel, ChangeTable) or not computed):
            tail = "\nHAVING count(*) > 0" if isinstance(rel, ChangeTable) else "\nHAVING TRUE"
        own = {k.id: text for k, text in zip(rel.keys, keys, strict=True)}
        return replace(below, items=own | computed, weight=None, tail=tail, closed=True)

    def _open(self, rel: Rel) -> Select:
        """The relation as a SELECT to which clauses can be added."""
        select = self.select(rel)
        if not select.closed:
            return select
        return self._nested(select.text(self._own(select, rel)), rel)

    def _groupable(self, rel: Rel, keys: tuple[Column, ...]) -> Select:
        """The relation with the keys as columns: GROUP BY would read a constant as a position."""
        select = self._open(rel)
        if all(is_name(select.items[k.id]) for k in keys):
            return select
        return self._nested(select.text(self._own(select, rel)), rel)

    def _own(self, select: Select, rel: Rel) -> SelectItems:
        """The items of all columns under their names in plans, the weight last."""
        return [(select.items[c.id], bare_name(c)) for c in rel.columns] + weight_item(rel)

    def _query(self, rel: Rel, columns: tuple[Column, ...]) -> str:
        """The whole query, its columns named as `columns` are in plans."""
        select = self.select(rel)
        pairs = zip(rel.columns, columns, strict=True)
        return select.text(
            [(select.items[own.id], bare_name(c)) for own, c in pairs] + weight_item(rel)
        )

    def nested(self, rel: Rel) -> Select:
        """The relation as a whole query in FROM."""
        return self._nested(self._query(rel, rel.columns), rel)

    def _nested(self, query: str, rel: Rel) -> Select:
        weight = WEIGHT_TEXT if rel.weighted else None
        from_ = f"({indented(query)}) AS {self._alias()}"
        return Select(from_, identity(rel.columns), weight)

    def _alias(self) -> str:
        self._aliases += 1
        return f"q{self._aliases}"


def _is_long(text: str) -> bool:
    return len(text) > _REPEATABLE and not is_name(text)
