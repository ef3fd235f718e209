"""Random subqueries inside expressions: EXISTS, IN and single values, correlated and not."""

from __future__ import annotations

from tests.corpus.random_from import Froms
from tests.corpus.random_relations import Around
from tests.corpus.random_scope import Scope
from tests.corpus.small_tables import Family

NOT_CORRELATED = 28  # percent


class Subqueries(Froms):
    """Subqueries over the scope of the query around them; `outside` is what may be named."""

    outside = Around(0, {})

    def subquery_condition(self, scope: Scope, depth: int) -> str:
        match self.weighted(((3, "exists"), (3, "in"), (2, "scalar"), (1, "two"))):
            case "exists":
                return self._exists(scope)
            case "in":
                return self._in(scope)
            case "two":
                return self._in_two(scope)
            case _:
                family = self.pick(sorted({c.family for c in scope.of()} - {"dbl"}) or ["int"])
                op = self.pick(("=", ">=", "<=", "<>", "<=>"))
                return f"{self.safe(family, scope)} {op} {self.single(family, scope)}"

    def _exists(self, scope: Scope) -> str:
        word = self.pick(("EXISTS", "NOT EXISTS"))
        source = self.from_(self.outside, 2)
        where = self._where(scope, source.scope, any_comparison=True)
        self.met(f"{word.lower()}, {'correlated' if where.strip() else 'not correlated'}")
        inner = source.scope.of()
        match self.weighted(
            ((4, "1"), (2, "*"), (2 if inner else 0, "column"), (1, "aggregate"), (1, "group"))
        ):
            case "aggregate":
                self.met("exists over an aggregate")
                return f"{word} (SELECT count(*) FROM {source.text}{where})"
            case "group" if inner and not any(w in where for w in ("<", ">")):
                key = self.spelled(self.pick(inner), source.scope)
                having = self.pick(("", " HAVING count(*) > 1"))
                return f"{word} (SELECT {key} FROM {source.text}{where} GROUP BY {key}{having})"
            case "column":
                item = self.spelled(self.pick(inner), source.scope)
            case item:
                item = "*" if item == "*" else "1"
        return f"{word} (SELECT {item} FROM {source.text}{where})"

    def _in(self, scope: Scope) -> str:
        family = self.pick(sorted({c.family for c in scope.of()} - {"dbl"}) or ["int"])
        word = self.pick(("IN", "NOT IN"))
        left = self.safe(family, scope)
        if self.outside.depth > 0 and self.chance(NOT_CORRELATED):
            self.met(f"{word.lower()} (query), not correlated")
            return f"{left} {word} ({self.query(self.outside.inside, [family]).text})"
        source = self.from_(self.outside, 2)
        where = self._where(scope, source.scope, any_comparison=False)
        self.met(f"{word.lower()} (query), {'correlated' if where else 'not correlated'}")
        item = self.scalar(family, source.scope, 0)
        return f"{left} {word} (SELECT {item} FROM {source.text}{where})"

    def _in_two(self, scope: Scope) -> str:
        source = self.from_(self.outside, 1)
        pairs = self.pairs(scope, source.scope)
        if not pairs:
            return self._exists(scope)
        self.met("in (query) of two columns")
        word = self.pick(("IN", "NOT IN"))
        chosen = [self.pick(pairs), self.pick(pairs)]
        left = ", ".join(self.spelled(a, scope) for a, _ in chosen)
        right = ", ".join(self.spelled(b, source.scope) for _, b in chosen)
        return f"({left}) {word} (SELECT {right} FROM {source.text})"

    def single(self, family: Family, scope: Scope) -> str:
        """One value: an aggregate over nothing or over equal columns, or a first row."""
        if self.outside.depth > 0 and self.chance(10):
            self.met("scalar subquery, first row")
            query = self.query(self.outside.inside, [family])
            name = self.name("q")
            return f"(SELECT * FROM ({query.text}) AS {name} ORDER BY 1 LIMIT 1)"
        source = self.from_(self.outside, 2)
        where = self._where(scope, source.scope, any_comparison=False)
        self.met(f"scalar subquery, {'correlated' if where else 'not correlated'}")
        return f"(SELECT {self._one_value(family, source.scope)} FROM {source.text}{where})"

    def _one_value(self, family: Family, scope: Scope) -> str:
        """An aggregate, at times one that has a value over no rows."""
        if family == "int" and self.chance(60):
            column = self.scalar("int", scope, 0)
            texts = ["count(*)", f"sum({column})", f"count({column})"]
            if not self.plain:
                self.met("scalar subquery with a value over no rows")
                texts += [f"coalesce(sum({column}), 0)", "count(*) + 1"]
                texts += [f"CASE WHEN count(*) = 0 THEN -1 ELSE max({column}) END"]
            return self.pick(texts)
        return f"{self.pick(('max', 'min'))}({self.scalar(family, scope, 0)})"

    def _where(self, outer: Scope, inner: Scope, *, any_comparison: bool) -> str:
        """A WHERE that ties the subquery to the query around it, or none."""
        pairs = [
            (a, b)
            for a, b in self.pairs(outer, inner)
            if outer.spellings(a, inner) and inner.spellings(b)
        ]
        if not pairs or self.chance(NOT_CORRELATED):
            return ""
        near = pairs[: max(1, sum(a.name == b.name for a, b in pairs))]

        def tie() -> str:
            a, b = self.pick(near if self.chance(70) else pairs)
            op = "="
            if any_comparison and self.chance(35):
                self.met("exists with an inequality")
                op = self.pick(("<", ">=", "<>"))
            return f"{self.spelled(b, inner)} {op} {self.spelled(a, outer, inner)}"

        ties = self.some(tie, 1, 2, 15)
        if self.chance(25):
            ties.append(f"({self.condition(inner, 0)})")
        return f" WHERE {' AND '.join(ties)}"
