"""Random FROM clauses: joins of every kind and condition, and LATERAL VIEW."""

from __future__ import annotations

from tests.corpus.random_relations import Around, From, Relations, scope_of
from tests.corpus.random_scope import Scope, Visible
from tests.corpus.small_tables import Family

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


class Froms(Relations):
    """FROM clauses, read from left to right."""

    def from_(self, around: Around, most: int = 3) -> From:
        """A relation joined with some more, perhaps exploded."""
        found = self.part(lambda: self.relation(around, frozenset()))
        for _ in range(most - 1):
            if self.room <= 0 or not self.chance(50):
                break
            found = self.part(lambda left=found: self._joined(left, around))
        if not self.plain and self.chance(6):
            found = self.part(lambda left=found: self._exploded(left))
        return found

    def parenthesised(self, around: Around) -> From:
        first = self.relation(around.inside, frozenset())
        inside = self._joined(first, around.inside)
        if inside.comma:
            return first
        self.met("parenthesised join")
        if self.chance(25):
            alias = self.name("q")
            columns = [(c.name, c.family) for c in inside.scope.shown]
            return From(f"({inside.text}) AS {alias}", scope_of(columns, alias, inside.scope.size))
        return From(f"({inside.text})", inside.scope)

    # Joins

    def _joined(self, left: From, around: Around) -> From:
        right = self.relation(around, frozenset(left.scope.tables))
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
