"""Random relations of a FROM clause: tables, names of WITH, queries, VALUES."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tests.corpus.random_scalars import Scalars
from tests.corpus.random_scope import Scope, Visible
from tests.corpus.small_tables import TABLES, Family, Table, family

Output = tuple[str, Family]  # name ("" where only Spark knows it) and family


@dataclass(frozen=True)
class Query:
    """The text of a query, its columns and an upper estimate of its rows."""

    text: str
    outputs: tuple[Output, ...]
    size: int


@dataclass(frozen=True)
class Around:
    """What stands around a query: the names of WITH, and how deep queries may still nest."""

    depth: int
    ctes: Mapping[str, Query]

    @property
    def inside(self) -> Around:
        return replace(self, depth=self.depth - 1)


@dataclass(frozen=True)
class From:
    """A relation's text and what it makes visible.

    Spark reads commas and joins from left to right; within parentheses it takes no `comma`.
    """

    text: str
    scope: Scope
    comma: bool = False


class Relations(Scalars):
    """One relation; the queries inside it come from `query`, its joins from `parenthesised`."""

    tables: Mapping[str, Table] = TABLES
    named: Sequence[str] = ("r", "t", "u", "w", "r", "t", "u", "w", "e")  # as often as they occur

    def query(self, around: Around, target: Sequence[Family] | None = None) -> Query:
        raise NotImplementedError

    def parenthesised(self, around: Around) -> From:
        raise NotImplementedError

    def relation(self, around: Around, taken: frozenset[str]) -> From:
        self.room -= 1
        deep = 1 if around.depth > 0 and self.room > 0 else 0
        match self.weighted(
            (
                (8, "table"),
                (10 if around.ctes else 0, "cte"),
                (3 * deep, "subquery"),
                (1, "values"),
                (2 * deep, "join"),
            )
        ):
            case "table":
                name = self.pick(self.named)
                return self._named(name, self._table(name, around), taken)
            case "cte":
                name = self.pick(sorted(around.ctes))
                self.met("cte used")
                return self._named(name, self._table(name, around), taken)
            case "subquery":
                return self._subquery(around)
            case "values":
                return self._values()
            case _:
                return self.parenthesised(around)

    def _table(self, name: str, around: Around) -> Query:
        """What a name stands for: WITH hides a table."""
        if name in around.ctes:
            return around.ctes[name]
        table = self.tables[name]
        outputs = tuple((column, family(type_)) for column, type_ in table.columns)
        return Query(name, outputs, max(1, len(table.rows)))

    def _named(self, name: str, query: Query, taken: frozenset[str]) -> From:
        """The relation under its own name, an alias, or an alias that renames its columns."""
        if name not in taken and self.chance(60):
            return From(name, scope_of(query.outputs, name, query.size))
        alias = self.name("q")
        if self.chance(15):
            self.met("renamed columns")
            return self._renamed(name, alias, query)
        word = self.pick((" AS ", " "))
        return From(f"{name}{word}{alias}", scope_of(query.outputs, alias, query.size))

    def _renamed(self, text: str, alias: str, query: Query) -> From:
        names = [self.name("c") for _ in query.outputs]
        outputs = [(n, f) for n, (_, f) in zip(names, query.outputs, strict=True)]
        return From(f"{text} AS {alias}({', '.join(names)})", scope_of(outputs, alias, query.size))

    def _subquery(self, around: Around) -> From:
        self.met("subquery in from")
        query = self.query(around.inside)
        alias = self.name("q")
        if any(not name for name, _ in query.outputs) or self.chance(10):
            return self._renamed(f"({query.text})", alias, query)
        if self.chance(5):
            return From(f"({query.text})", scope_of(query.outputs, None, query.size))
        return From(f"({query.text}) AS {alias}", scope_of(query.outputs, alias, query.size))

    def _values(self) -> From:
        self.met("values")
        families = [self.pick(("int", "str", "bool")) for _ in range(self.pick((1, 2)))]
        rows = self.some(
            lambda: f"({', '.join(self.literal(f) for f in families)})",
            1,
            3,
        )
        names = [self.pick(("k", "s", "b", "v")) if self.chance(30) else self.name("c")]
        names += [self.name("c") for _ in families[1:]]
        alias = self.name("q")
        text = f"VALUES {', '.join(rows)}"
        text = f"({text})" if self.chance(30) else text
        outputs = tuple(zip(names, families, strict=True))
        scope = scope_of(outputs, alias, len(rows))
        return From(f"{text} AS {alias}({', '.join(names)})", scope)


def scope_of(outputs: Sequence[Output], table: str | None, size: int) -> Scope:
    return Scope(tuple(Visible(name, which, table) for name, which in outputs), size)
