"""Random FROM clauses: tables, queries, VALUES, and joins of every kind and condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tests.corpus.random_scalars import Scalars
from tests.corpus.random_scope import Scope, Visible
from tests.corpus.small_tables import TABLES, Family, family

# More pairs than this are not joined: a query must stay quick.
LARGEST = 1200
KINDS = {
    "inner": ("JOIN", "INNER JOIN"),
    "left": ("LEFT JOIN", "LEFT OUTER JOIN"),
    "right": ("RIGHT JOIN", "RIGHT OUTER JOIN"),
    "full": ("FULL JOIN", "FULL OUTER JOIN"),
    "semi": ("LEFT SEMI JOIN", "SEMI JOIN"),
    "anti": ("LEFT ANTI JOIN", "ANTI JOIN"),
}

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


class Froms(Scalars):
    """FROM clauses; the queries inside them come from `query`."""

    def query(self, around: Around, target: Sequence[Family] | None = None) -> Query:
        raise NotImplementedError

    def from_(self, around: Around, most: int = 3) -> From:
        """A relation joined with some more, perhaps exploded."""
        found = self.part(lambda: self._relation(around, frozenset()))
        for _ in range(most - 1):
            if self.room <= 0 or not self.chance(50):
                break
            found = self.part(lambda left=found: self._joined(left, around))
        if not self.plain and self.chance(6):
            found = self.part(lambda left=found: self._exploded(left))
        return found

    # One relation

    def _relation(self, around: Around, taken: frozenset[str]) -> From:
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
                name = self.pick(["r", "t", "u", "w", "r", "t", "u", "w", "e"])
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
                return self._parenthesised(around)

    def _table(self, name: str, around: Around) -> Query:
        """What a name stands for: WITH hides a table."""
        if name in around.ctes:
            return around.ctes[name]
        table = TABLES[name]
        outputs = tuple((column, family(type_)) for column, type_ in table.columns)
        return Query(name, outputs, max(1, len(table.rows)))

    def _named(self, name: str, query: Query, taken: frozenset[str]) -> From:
        """The relation under its own name, an alias, or an alias that renames its columns."""
        if name not in taken and self.chance(60):
            return From(name, _scope(query.outputs, name, query.size))
        alias = self.name("q")
        if self.chance(15):
            self.met("renamed columns")
            return self._renamed(name, alias, query)
        word = self.pick((" AS ", " "))
        return From(f"{name}{word}{alias}", _scope(query.outputs, alias, query.size))

    def _renamed(self, text: str, alias: str, query: Query) -> From:
        names = [self.name("c") for _ in query.outputs]
        outputs = [(n, f) for n, (_, f) in zip(names, query.outputs, strict=True)]
        return From(f"{text} AS {alias}({', '.join(names)})", _scope(outputs, alias, query.size))

    def _subquery(self, around: Around) -> From:
        self.met("subquery in from")
        query = self.query(around.inside)
        alias = self.name("q")
        if any(not name for name, _ in query.outputs) or self.chance(10):
            return self._renamed(f"({query.text})", alias, query)
        if self.chance(5):
            return From(f"({query.text})", _scope(query.outputs, None, query.size))
        return From(f"({query.text}) AS {alias}", _scope(query.outputs, alias, query.size))

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
        scope = _scope(outputs, alias, len(rows))
        return From(f"{text} AS {alias}({', '.join(names)})", scope)

    def _parenthesised(self, around: Around) -> From:
        first = self._relation(around.inside, frozenset())
        inside = self._joined(first, around.inside)
        if inside.comma:
            return first
        self.met("parenthesised join")
        if self.chance(25):
            alias = self.name("q")
            columns = [(c.name, c.family) for c in inside.scope.shown]
            return From(f"({inside.text}) AS {alias}", _scope(columns, alias, inside.scope.size))
        return From(f"({inside.text})", inside.scope)

    # Joins

    def _joined(self, left: From, around: Around) -> From:
        right = self._relation(around, frozenset(left.scope.tables))
        if right.scope.tables & left.scope.tables or _size(left, right) > LARGEST:
            return left
        match self.weighted(
            ((10, "on"), (6, "using"), (3, "natural"), (2, "cross"), (2, "comma"), (1, "bare"))
        ):
            case "using" if left.scope.common(right.scope):
                return self._using(left, right)
            case "natural" if _is_natural(left, right):
                return self._natural(left, right)
            case "cross":
                self.met("cross join")
                return _pair(left, "CROSS JOIN", right)
            case "comma":
                self.met("comma")
                scope = left.scope.joined(right.scope)
                return From(f"{left.text}, {right.text}", scope, comma=True)
            case "bare":
                self.met("join without condition")
                return _pair(left, self.pick(("JOIN", "LEFT JOIN")), right)
            case _:
                return self._on(left, right)

    def _kind(self, *, one_sided: bool) -> tuple[str, str]:
        two = 1 if one_sided else 0
        kind = self.weighted(
            (
                (5, "inner"),
                (4, "left"),
                (3, "right"),
                (3, "full"),
                (2 * two, "semi"),
                (2 * two, "anti"),
            )
        )
        self.met(f"{kind} join")
        return kind, self.pick(KINDS[kind])

    def _on(self, left: From, right: From) -> From:
        kind, words = self._kind(one_sided=True)
        both = left.scope.joined(right.scope)
        condition = self._join_condition(left.scope, right.scope, both)
        scope = left.scope if kind in ("semi", "anti") else both
        return From(f"{left.text} {words} {right.text} ON {condition}", scope)

    def _join_condition(self, left: Scope, right: Scope, both: Scope) -> str:
        pairs = [
            (a, b) for a, b in self.pairs(left, right) if both.spellings(a) and both.spellings(b)
        ]

        def pair(op: str = "=") -> str:
            near = pairs[: max(1, sum(a.name == b.name for a, b in pairs))]
            a, b = self.pick(near if self.chance(70) else pairs)
            return f"{self.spelled(a, both)} {op} {self.spelled(b, both)}"

        some = 1 if pairs else 0
        match self.weighted(
            (
                (8 * some, "equality"),
                (2 * some, "two"),
                (3 * some, "and"),
                (2 * some, "inequality"),
                (2 * some, "or"),
                (some, "null-safe"),
                (1, "constant"),
                (1, "any"),
            )
        ):
            case "equality":
                return pair()
            case "two":
                return f"{pair()} AND {pair()}"
            case "and":
                self.met("on: equality and more")
                return f"{pair()} AND ({self.condition(both, 0)})"
            case "inequality":
                self.met("on: inequality")
                return pair(self.pick(("<", ">=", "<>")))
            case "or":
                self.met("on: or")
                return f"{pair()} OR {pair()}"
            case "null-safe":
                return pair("<=>")
            case "constant":
                self.met("on: constant")
                return self.pick(("TRUE", "1 = 1", "FALSE"))
            case _:
                self.met("on: any condition")
                return self.condition(both, 1)

    def _using(self, left: From, right: From) -> From:
        kind, words = self._kind(one_sided=True)
        self.met(f"using: {kind}")
        common = left.scope.common(right.scope)
        names = common if self.chance(25) else [self.pick(common)]
        names = self.shuffled(names) if len(names) > 1 else names
        text = f"{left.text} {words} {right.text} USING ({', '.join(names)})"
        return From(text, _using_scope(left, right, names, kind))

    def _natural(self, left: From, right: From) -> From:
        kind, words = self._kind(one_sided=False)
        self.met("natural")
        shown = {c.name for c in right.scope.shown}
        names = [c.name for c in left.scope.shown if c.name in shown]
        return From(
            f"{left.text} NATURAL {words} {right.text}", _using_scope(left, right, names, kind)
        )

    def _exploded(self, left: From) -> From:
        self.met("lateral view")
        which: Family = self.pick(("int", "str"))
        values = ", ".join(self.some(lambda: self.scalar(which, left.scope, 0), 1, 2))
        array = self.pick((f"array({values})", f"array_compact(array({values}))"))
        outer = self.pick(("", "OUTER "))
        alias, column = self.name("q"), self.name("c")
        text = f"{left.text} LATERAL VIEW {outer}explode({array}) {alias} AS {column}"
        scope = left.scope.joined(Scope((Visible(column, which, alias),), 2))
        return From(text, scope)


def _scope(outputs: Sequence[Output], table: str | None, size: int) -> Scope:
    return Scope(tuple(Visible(name, which, table) for name, which in outputs), size)


def _size(left: From, right: From) -> int:
    return left.scope.size * right.scope.size


def _pair(left: From, words: str, right: From) -> From:
    return From(f"{left.text} {words} {right.text}", left.scope.joined(right.scope))


def _is_natural(left: From, right: From) -> bool:
    """Whether the common names are names of one column on each side, of one family."""
    shown = [{c.name for c in side.scope.shown} for side in (left, right)]
    unique = all(
        len(names) == len(f.scope.shown) for names, f in zip(shown, (left, right), strict=True)
    )
    return unique and shown[0] & shown[1] == set(left.scope.common(right.scope))


def _using_scope(left: From, right: From, names: list[str], kind: str) -> Scope:
    joined = left.scope.joined_using(right.scope, names, kind)
    if kind in ("semi", "anti"):
        own = {c for c in joined.columns if c in left.scope.columns}
        return Scope(tuple(c for c in joined.columns if c in own), left.scope.size)
    return joined
