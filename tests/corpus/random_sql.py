"""Random valid Spark SQL over the small tables, as text; as a bag its answer is the same always."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from tests.corpus.random_groups import Groups
from tests.corpus.random_relations import Around, Output, Query
from tests.corpus.random_scope import FAMILIES, Scope
from tests.corpus.small_tables import Family

SETS = ("UNION ALL", "UNION", "INTERSECT", "EXCEPT", "UNION DISTINCT", "INTERSECT ALL",
        "EXCEPT ALL", "MINUS", "MINUS ALL")  # fmt: skip
DEPTH = 2


@dataclass(frozen=True)
class Generated:
    """A query's text, its columns, and the constructs that occur in it."""

    text: str
    outputs: tuple[Output, ...] = field(repr=False)
    kinds: frozenset[str] = field(repr=False)


@st.composite
def queries(draw: st.DrawFn, *, plain: bool = False) -> Generated:
    """Queries; plain ones hold only scalars that `algebra.scalar_meaning` understands."""
    some = Queries(draw, plain=plain)
    some.room = draw(st.sampled_from((2, 3, 4, 6, 8)))
    query = some.query(Around(DEPTH, {}), top=True)
    return Generated(query.text, query.outputs, frozenset(some.kinds))


class Queries(Groups):
    """Queries with WITH, set operations, ORDER BY and LIMIT around their SELECTs."""

    def query(
        self, around: Around, target: Sequence[Family] | None = None, *, top: bool = False
    ) -> Query:
        """A query whose columns are of the target's families, if there is a target."""
        return self.part(lambda: self._query(around, target, top=top))

    def _query(self, around: Around, target: Sequence[Family] | None, *, top: bool) -> Query:
        with_, around = self._with(around, top=top)
        if around.depth > 0 and self.room > 0 and self.chance(30 if top else 15):
            query = self._set_operation(around, target)
        else:
            query = self.select(around, target, top=top)
        return self._limited(replace(query, text=with_ + query.text))

    def _with(self, around: Around, *, top: bool) -> tuple[str, Around]:
        if around.depth == 0 or not self.chance(25 if top else 8):
            return "", around
        texts: list[str] = []
        for _ in range(self.pick((1, 2))):
            name, shadowed = self.name("w"), sorted({*self.tables, *around.ctes})
            if self.chance(20):
                self.met("with hides a name")
                name = self.pick(shadowed)
            if any(text.startswith((f"{name} ", f"{name}(")) for text in texts):
                continue
            query = self.query(around.inside)
            columns = ""
            if not _is_clear(query.outputs) or self.chance(15):
                names = [self.name("c") for _ in query.outputs]
                columns = f"({', '.join(names)})"
                outputs = [(n, f) for n, (_, f) in zip(names, query.outputs, strict=True)]
                query = replace(query, outputs=tuple(outputs))
            texts.append(f"{name}{columns} AS ({query.text})")
            around = replace(around, ctes={**around.ctes, name: query})
        self.met("with")
        return f"WITH {', '.join(texts)} ", around

    def _set_operation(self, around: Around, target: Sequence[Family] | None) -> Query:
        """Two to four SELECTs in a row, some of them in parentheses."""
        if target is None and self.chance(75):
            target = self.some(lambda: self.pick(FAMILIES[:-1]), 1, 3)
        first = self.select(around.inside, target)
        families = [family for _, family in first.outputs]
        text, size, used = first.text, first.size, 0
        while used < 1 or (used < 3 and self.room > 0 and self.chance(45)):
            operator = self.pick(SETS)
            word = operator.lower().replace("minus", "except").replace(" distinct", "")
            self.met(word)
            other = self.part(lambda: self._operand(around.inside, families))
            text, size, used = f"{text} {operator} {other.text}", size + other.size, used + 1
        self.met("set operations in a row" if used > 1 else "set operation")
        return Query(text, first.outputs, size)

    def _operand(self, around: Around, families: Sequence[Family]) -> Query:
        if self.chance(20):
            self.met("set operation in parentheses")
            query = self.query(around, families)
            return replace(query, text=f"({query.text})")
        return self.select(around, families)

    def _limited(self, query: Query) -> Query:
        """ORDER BY, with LIMIT only by all columns: then equal rows alone can change places."""
        if not self.chance(12):
            return query
        places = self.shuffled(range(1, len(query.outputs) + 1))
        order = ", ".join(self._sorted(str(place)) for place in places)
        order = "ALL" if self.chance(15) else order
        self.met("order by")
        limit = ""
        if self.chance(70):
            self.met("limit")
            limit = f" LIMIT {self.pick((3, 1, 2, 5))}"
            if self.chance(25):
                self.met("offset")
                limit += " OFFSET 1"
        return replace(query, text=f"{query.text} ORDER BY {order}{limit}")

    # SELECT

    def select(
        self, around: Around, target: Sequence[Family] | None = None, *, top: bool = False
    ) -> Query:
        if self.chance(3):
            return self._constants(target)
        before, self.outside = self.outside, around.inside if around.depth > 0 else around
        query = self._from_where(around, target, top=top)
        self.outside = before
        return query

    def _from_where(self, around: Around, target: Sequence[Family] | None, *, top: bool) -> Query:
        source = self.from_(around)
        scope = source.scope
        where = ""
        if self.chance(55):
            where = f" WHERE {self.condition(scope, 1, subqueries=self.room > 0)}"
        distinct = ""
        if self.chance(12):
            self.met("distinct")
            distinct = "DISTINCT "
        if self.chance(35):
            grouped = self.grouped(source, target)
            items = [f"{text} AS {alias}" for text, alias, _ in grouped.items]
            outputs: list[Output] = [(alias, family) for _, alias, family in grouped.items]
            tail = where + grouped.tail
        else:
            items, outputs = self._items(scope, target, top=top, deep=self.room > 0)
            tail = where
        text = f"SELECT {distinct}{', '.join(items)} FROM {source.text}{tail}"
        return Query(text, tuple(outputs), scope.size)

    def _constants(self, target: Sequence[Family] | None) -> Query:
        self.met("select without from")
        families = target or ["int", "str"]
        named = [(self.name("c"), family) for family in families]
        items = ", ".join(f"{self.literal(f)} AS {name}" for name, f in named)
        return Query(f"SELECT {items}", tuple(named), 1)

    def _items(
        self, scope: Scope, target: Sequence[Family] | None, *, top: bool, deep: bool
    ) -> tuple[list[str], list[Output]]:
        if target is None and self.chance(25):
            return self._star(scope)
        families = list(target or [])
        if target is None:
            known = sorted({c.family for c in scope.of()}) or ["int"]
            families = self.some(lambda: self.pick(known), 1, 4, 60)
        items: list[str] = []
        outputs: list[Output] = []
        aliases = _Aliases(scope)
        numbered = False
        for family in families:
            text, numbered = self._item(family, aliases, numbered=numbered, deep=deep)
            alias = self._alias(text, aliases, top=top)
            items.append(f"{text} AS {alias}" if alias else text)
            name = alias or (text.split(".")[-1].lower() if _is_name(text) else "")
            outputs.append((name, family))
            aliases.add(alias, family)
        return items, outputs

    def _item(
        self, family: Family, aliases: _Aliases, *, numbered: bool, deep: bool
    ) -> tuple[str, bool]:
        """The text of an item, and whether a row number was given by now."""
        scope = aliases.scope
        match self.weighted(
            (
                (12, "scalar"),
                (2 if family == "bool" else 0, "condition"),
                (2 if aliases.of(family) else 0, "lateral alias"),
                (5 if deep and family == "bool" else 0, "subquery condition"),
                (2 if deep and family != "dbl" else 0, "subquery"),
                (6 if family == "int" and scope.of() else 0, "window"),
            )
        ):
            case "condition":
                return self.condition(scope, 1), numbered
            case "lateral alias":
                self.met("lateral alias")
                alias = self.pick(aliases.of(family))
                return (f"coalesce({alias}, {alias})" if not self.plain else alias), numbered
            case "subquery condition":
                self.met("subquery condition in select")
                return self.condition(scope, 0, subqueries=True), numbered
            case "subquery":
                self.met("scalar subquery in select")
                return self.single(family, scope), numbered
            case "window":
                total = not numbered and scope.is_total() and self.chance(30)
                text, found = self.window(scope, numbered=total)
                if found == family:
                    return text, numbered or total
                return self.scalar(family, scope, 1), numbered
            case _:
                return self.scalar(family, scope, 1), numbered

    def _alias(self, text: str, aliases: _Aliases, *, top: bool) -> str:
        """A fresh name, none for a column, at times a name of the input."""
        named = _is_name(text) and text.split(".")[-1].lower() in aliases.scope.names
        if named and self.chance(60):
            return ""
        if top and self.chance(10):
            self.met("item without alias")
            return ""
        if self.chance(12):
            self.met("alias of an input column")
            return self.pick(("k", "v", "s"))
        return self.name("o")

    def _star(self, scope: Scope) -> tuple[list[str], list[Output]]:
        tables = sorted(scope.tables)
        shown = scope.shown
        once = [c.name for c in shown if sum(o.name == c.name for o in shown) == 1]
        match self.weighted(
            (
                (4, "star"),
                (3 if tables else 0, "star of a table"),
                (2 if once and len(shown) > 1 else 0, "star except"),
                (2, "star and more"),
            )
        ):
            case "star of a table":
                self.met("star of a table")
                chosen = self.some(lambda: self.pick(tables), 1, 2, 30)
                found = [c for table in chosen for c in scope.starred(table)]
                return [f"{t}.*" for t in chosen], [(c.name, c.family) for c in found]
            case "star except":
                self.met("star except")
                gone = self.pick(once)
                kept = [(c.name, c.family) for c in shown if c.name != gone]
                return [f"* EXCEPT ({gone})"], kept
            case "star and more":
                self.met("star and more")
                name = self.name("o")
                outputs = [(c.name, c.family) for c in shown]
                return ["*", f"{self.scalar('int', scope, 1)} AS {name}"], [*outputs, (name, "int")]
            case _:
                self.met("star")
                return ["*"], [(c.name, c.family) for c in shown]


class _Aliases:
    """The aliases given so far that later items can name: not those an input column hides."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self._given: list[Output] = []

    def add(self, alias: str, family: Family) -> None:
        if alias:
            self._given.append((alias, family))

    def of(self, family: Family) -> list[str]:
        names = [name for name, _ in self._given]
        return [
            name
            for name, its in self._given
            if its == family and names.count(name) == 1 and name not in self.scope.names
        ]


def _is_name(text: str) -> bool:
    return text.replace(".", "").replace("_", "").isalnum() and not text[0].isdigit()


def _is_clear(outputs: Sequence[Output]) -> bool:
    """Whether every column has a name of its own."""
    names = [name for name, _ in outputs]
    return "" not in names and len(set(names)) == len(names)
