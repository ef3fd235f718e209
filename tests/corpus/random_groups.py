"""Random aggregates, GROUP BY in all its spellings, and windows whose results do not depend on
the order of equal rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.corpus.random_relations import From
from tests.corpus.random_scope import Scope
from tests.corpus.random_subqueries import Subqueries
from tests.corpus.small_tables import Family

Item = tuple[str, Family]  # the text of a select item without its alias, and its family


Named = tuple[str, str, Family]  # the same with an alias in the middle


@dataclass(frozen=True)
class Grouped:
    """The items of a grouped SELECT, and what stands after WHERE."""

    items: tuple[Named, ...]
    tail: str


class Groups(Subqueries):
    """What a grouped SELECT and its aggregates look like, and windows."""

    def aggregate(self, family: Family, scope: Scope) -> str:
        """An aggregate of this family."""
        of = "int" if family == "dbl" else family  # doubles are averages of integers
        arg = self.scalar(of, scope, 0 if self.plain else self.pick((0, 0, 1)))
        distinct = ""
        if self.chance(15):
            self.met("aggregate distinct")
            distinct = "DISTINCT "
        full = 0 if self.plain else 1
        function = self.weighted(
            (
                (3 if family == "int" else 0, "count(*)"),
                (2 if family == "int" else 0, "count"),
                (2 if family in ("int", "dec") else 0, "sum"),
                (3 * full if family in ("dec", "dbl") else 0, "avg"),
                (2 if family != "dbl" else 0, "max"),
                (2 if family != "dbl" else 0, "min"),
                (2 * full if family == "bool" else 0, "bool_or"),
                (full if family == "int" else 0, "count_if"),
            )
        )
        self.met(function)
        match function:
            case "count(*)":
                text = "count(*)"
            case "count":
                text = f"count({distinct}{self.scalar(self._any(scope), scope, 0)})"
                if distinct and full and self.chance(20):
                    text = text[:-1] + f", {self.scalar('int', scope, 0)})"
            case "count_if":
                text = f"count_if({self.condition(scope, 0)})"
            case "bool_or":
                text = f"bool_or({arg})"
            case _:
                text = f"{function}({distinct}{arg})"
        if self.chance(12):
            self.met("aggregate filter")
            text += f" FILTER (WHERE {self.condition(scope, 0)})"
        return text

    def _any(self, scope: Scope) -> Family:
        return self.pick(sorted({c.family for c in scope.of()}) or ["int"])

    def grouped(self, source: From, target: Sequence[Family] | None) -> Grouped:
        """Keys and aggregates in the order of the target's families, where there is one."""
        scope = source.scope
        families = list(target) if target is not None else None
        if families is None:
            families = [self._any(scope) for _ in range(self.pick((1, 2, 3)))]
            if not self.plain and self.chance(12):
                families.append("dbl")
        is_key = [self.chance(55) and family != "dbl" for family in families]
        if not any(is_key) and target is None and self.chance(75):
            is_key[0] = True
        keys: list[Named] = []
        items: list[Named] = []
        for family, key in zip(families, is_key, strict=True):
            text = self._key(family, scope) if key else self.aggregate(family, scope)
            item = (text, self.name("g" if key else "a"), family)
            items.append(item)
            keys += [item] if key else []
        how = self._how([text for text, _, _ in keys])
        group = self._group_by(how, keys, items)
        if self.chance(25):
            having = self._having(items, keys if how == "text" else [], scope)
            return Grouped(tuple(items), group + having)
        derived = self._derived(items, how) if target is None else []
        return Grouped((*items, *derived), group)

    def _key(self, family: Family, scope: Scope) -> str:
        columns = scope.of(family)
        if columns and (self.plain or self.chance(65)):
            return self.spelled(self.pick(columns), scope)
        self.met("group by expression")
        text = self.scalar(family, scope, 0 if self.plain else 1)
        is_number = text.lstrip("-").isdigit()
        return f"coalesce({text}, {text})" if is_number and not self.plain else text

    def _how(self, texts: list[str]) -> str:
        """How GROUP BY is spelled; a key that is a number would be read as a place."""
        if not texts:
            self.met("global aggregate")
            return ""
        number = any(text.lstrip("-").isdigit() for text in texts)
        how = self.weighted(
            (
                (0 if number else 6, "text"),
                (3, "ordinal"),
                (3, "alias"),
                (0 if number else 2, "all"),
                (0 if number else 2, "rollup"),
                (0 if number else 1, "with rollup"),
                (0 if number else 1, "cube"),
                (0 if number else 2, "grouping sets"),
            )
        )
        self.met(f"group by {how}")
        return how

    def _group_by(self, how: str, keys: list[Named], items: list[Named]) -> str:
        texts = [text for text, _, _ in keys]
        listed = ", ".join(texts)
        match how:
            case "":
                return ""
            case "text":
                return f" GROUP BY {listed}"
            case "ordinal":
                places = [str(items.index(key) + 1) for key in keys]
                return f" GROUP BY {', '.join(places)}"
            case "alias":
                return f" GROUP BY {', '.join(alias for _, alias, _ in keys)}"
            case "all":
                return " GROUP BY ALL"
            case "rollup" | "cube":
                return f" GROUP BY {how.upper()}({listed})"
            case "with rollup":
                return f" GROUP BY {listed} WITH ROLLUP"
            case _:
                sets = self.some(lambda: self._subset(texts), 1, 2)
                return f" GROUP BY GROUPING SETS (({listed}), {', '.join(sets)})"

    def _subset(self, texts: list[str]) -> str:
        return f"({', '.join(text for text in texts if self.chance(50))})"

    def _derived(self, items: list[Named], how: str) -> list[Named]:
        """Items over the groups: expressions, an alias again, a window."""
        found: list[Named] = []
        numbers = [i for i in items if i[2] == "int"]
        if numbers and not self.plain and self.chance(25):
            self.met("expression over aggregates")
            text = self.pick(numbers)[0]
            found.append((f"coalesce(({text}) + 1, 0)", self.name("z"), "int"))
        if how not in ("all", "alias") and self.chance(12):
            self.met("lateral alias of an aggregate")
            _, alias, family = self.pick(items)
            found.append((alias, self.name("z"), family))
        if how != "all" and self.chance(10):
            self.met("window over groups")
            text = self.pick(items)[0]
            over = f"(ORDER BY {text})"
            function = self.pick(("rank", "dense_rank"))
            found.append((f"{function}() OVER {over}", self.name("z"), "int"))
        return found

    def _having(self, items: list[Named], keys: list[Named], scope: Scope) -> str:
        self.met("having")
        text = self.weighted(
            (
                (4, "count(*) >= 1"),
                (2, "count(*) > 1"),
                (2, f"{self.pick(items[:1])[1]} IS NOT NULL"),
                (2 if scope.of("int") else 0, f"{self.aggregate('int', scope)} >= 1"),
                (2 if keys else 0, f"{keys[0][0]} IS NOT NULL" if keys else ""),
            )
        )
        if self.room > 0 and self.chance(35):
            self.met("subquery in having")
            empty = Scope(())
            text += f" AND count(*) <= {self.single('int', empty)}"
        return f" HAVING {text}"

    # Windows

    def window(self, scope: Scope, *, numbered: bool) -> Item:
        """A window function; `row_number` needs an order by all columns."""
        parts = [self.spelled(self.pick(scope.of()), scope) for _ in range(self.pick((0, 1, 2)))]
        partition = f"PARTITION BY {', '.join(parts)}" if parts else ""
        if numbered:
            self.met("row_number")
            columns = self.shuffled(scope.columns)
            order = ", ".join(self._sorted(self.spelled(c, scope)) for c in columns)
            return f"row_number() OVER ({partition} ORDER BY {order})", "int"
        order = self._sorted(self.spelled(self.pick(scope.of()), scope))
        function = self.pick(("sum", "count", "max", "min", "rank", "dense_rank"))
        self.met("window")
        if function in ("rank", "dense_rank"):
            self.met("rank")
            return f"{function}() OVER ({partition} ORDER BY {order})", "int"
        family: Family = "int" if function == "sum" else self._any(scope)
        arg = "*" if function == "count" and self.chance(50) else self.scalar(family, scope, 0)
        result: Family = "int" if function == "count" else family
        ordered = f" ORDER BY {order}" if self.chance(60) else ""
        frame = ""
        if ordered:
            self.met("window with order")
        if ordered and not self.plain:
            frame = self.pick(
                (
                    "",
                    " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
                    " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
                )
            )
        return f"{function}({arg}) OVER ({partition}{ordered}{frame})", result

    def _sorted(self, text: str) -> str:
        return text + self.pick(("", " DESC", " ASC NULLS LAST", " DESC NULLS FIRST"))
