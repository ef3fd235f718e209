"""Random scalars and conditions of Spark SQL, each of a known type; nothing in them can fail."""

from __future__ import annotations

import re

from tests.corpus.random_choices import Choices
from tests.corpus.random_scope import Scope, Visible
from tests.corpus.small_tables import Family

LITERALS: dict[Family, tuple[str, ...]] = {
    "int": ("1", "0", "2", "3", "4", "-1"),
    "str": ("'a'", "'b'", "'c'", "''", "'it\\'s'"),
    "bool": ("TRUE", "FALSE"),
    "date": ("DATE'2024-01-02'", "DATE'2024-01-01'", "DATE'2024-01-03'"),
    "dec": ("1.50", "0.50", "2.00", "0.25"),
    "dbl": ("CAST(1 AS DOUBLE)",),
}
TYPES: dict[Family, str] = {
    "int": "INT",
    "str": "STRING",
    "bool": "BOOLEAN",
    "date": "DATE",
    "dec": "DECIMAL(12,2)",
    "dbl": "DOUBLE",
}
COMPARISONS = ("=", ">=", "<=", "<>", "<", ">", "<=>", "!=")

# Texts of a family; a family in braces stands for a scalar of it.
FUNCTIONS: dict[Family, tuple[str, ...]] = {
    "int": (
        "{int} + {int}", "{int} - {int}", "{int} * 2", "{int} % 3", "{int} div 2", "abs({int})",
        "greatest({int}, {int})", "least({int}, 2)", "-({int})", "length({str})",
        "CAST({bool} AS INT)", "if({bool}, {int}, {int})", "{int} - 1 - {int}",
        "{int} + 1 * {int}", "{int} * 2 - {int}", "{int} % 3 + {int}", "{int} div 2 * {int}",
        "{int} - 3 % 2", "- {int} + {int}", "{int} - -1",
    ),
    "str": (
        "upper({str})", "{str} || 'z'", "concat({str}, {str})", "CAST({int} AS STRING)",
        "substring({str}, 1, 1)", "{str} || 'x' || {str}", "if({bool}, {str}, 'no')",
    ),
    "dec": (
        "{dec} + {dec}", "{dec} - {dec}", "{dec} * 2", "-({dec})", "CAST({int} AS DECIMAL(12,2))",
    ),
    "date": ("date_add({date}, 1)", "{date} + INTERVAL 1 DAY", "greatest({date}, {date})"),
    "bool": ("coalesce({bool}, FALSE)", "if({bool}, {bool}, {bool})"),
    "dbl": ("coalesce({dbl}, CAST(0 AS DOUBLE))",),
}  # fmt: skip

# Conditions whose grouping is a matter of precedence; `same` stands for scalars of one family.
ODD = (
    "NOT {same} = {same}",
    "NOT {same} IS NULL",
    "NOT {same} IN ({same})",
    "{same} = {same} IS NOT NULL",
    "{same} = {same} = {bool}",
    "{bool} IS NOT TRUE",
    "{same} < {same} IS FALSE",
    "{int} BETWEEN 0 AND 2 AND {bool}",
)
_FAMILY = re.compile(r"\{(\w+)\}")


class Scalars(Choices):
    """Scalars over a scope, with at most `depth` operators inside each other."""

    def scalar(self, family: Family, scope: Scope, depth: int = 1) -> str:
        return self.part(lambda: self._scalar(family, scope, depth))

    def safe(self, family: Family, scope: Scope, depth: int = 0) -> str:
        """A scalar that can stand next to any operator."""
        text = self.scalar(family, scope, depth)
        return text if re.fullmatch(r"[\w.]+|'[\w ]*'", text) else f"({text})"

    def _scalar(self, family: Family, scope: Scope, depth: int) -> str:
        columns = scope.of(family)
        deep = 1 if depth > 0 and not self.plain else 0
        match self.weighted(
            (
                (6 if columns else 0, "column"),
                (2, "literal"),
                (4 * deep, "function"),
                (deep, "nulls"),
                (2 * deep, "case"),
                (1 if depth > 0 and family == "bool" else 0, "condition"),
            )
        ):
            case "column":
                return self.spelled(self.pick(columns), scope)
            case "literal":
                return self.literal(family)
            case "function":
                self.met("function")
                return self._filled(self.pick(FUNCTIONS[family]), scope, depth - 1)
            case "nulls":
                self.met("coalesce")
                text = self.pick(("coalesce({same}, {same})", "nullif({same}, {same})"))
                return self._filled(text.replace("same", family), scope, depth - 1)
            case "case":
                return self._case(family, scope, depth - 1)
            case _:
                return self.condition(scope, depth - 1)

    def _filled(self, text: str, scope: Scope, depth: int) -> str:
        return _FAMILY.sub(lambda found: self.safe(found[1], scope, depth), text)

    def spelled(self, column: Visible, scope: Scope, inner: Scope | None = None) -> str:
        text = self.pick(scope.spellings(column, inner))
        return text.upper() if self.chance(3) else text

    def literal(self, family: Family) -> str:
        if self.plain and family in ("date", "dec", "dbl"):
            return "NULL"
        if self.chance(4):
            self.met("null literal")
            return "NULL" if self.plain else f"CAST(NULL AS {TYPES[family]})"
        return self.pick(LITERALS[family])

    def _case(self, family: Family, scope: Scope, depth: int) -> str:
        self.met("case")

        def value() -> str:
            return self.scalar(family, scope, depth)

        if self.chance(25):
            subject = self.scalar("int", scope, 0)
            return f"CASE {subject} WHEN 1 THEN {value()} ELSE {value()} END"
        branches = self.some(
            lambda: f"WHEN {self.condition(scope, depth)} THEN {value()}", 1, 2, 30
        )
        otherwise = f" ELSE {value()}" if self.chance(70) else ""
        return f"CASE {' '.join(branches)}{otherwise} END"

    def condition(self, scope: Scope, depth: int = 1, *, subqueries: bool = False) -> str:
        """A condition; AND, OR and NOT may stand in it without parentheses."""
        return self.part(lambda: self._condition(scope, depth, subqueries=subqueries))

    def _condition(self, scope: Scope, depth: int, *, subqueries: bool) -> str:
        deep = 1 if depth > 0 else 0

        def one() -> str:
            return self.condition(scope, depth - 1, subqueries=subqueries)

        match self.weighted(
            (
                (8, "atom"),
                (2 * deep, "or"),
                (2 * deep, "not"),
                (2 * deep, "and"),
                (deep, "mixed"),
                (13 if subqueries else 0, "subquery"),
            )
        ):
            case "atom":
                return self._atom(scope, depth)
            case "or":
                self.met("or")
                return f"({one()}) OR ({one()})"
            case "and":
                return f"({one()}) AND ({one()})"
            case "not":
                self.met("not")
                return f"NOT ({one()})"
            case "mixed":
                self.met("operators without parentheses")
                return f"{one()} AND {one()} OR NOT {one()}"
            case _:
                return self.subquery_condition(scope, depth)

    def _atom(self, scope: Scope, depth: int) -> str:
        families = sorted({c.family for c in scope.of()} - {"dbl"}) or ["int"]
        family = self.pick(families)
        full = 0 if self.plain else 1
        match self.weighted(
            (
                (6, "compare"),
                (3, "null"),
                (1 if scope.of("bool") else 0, "column"),
                (3 * full, "list"),
                (2 * full, "other"),
                (2 * full, "odd"),
                (1, "constant"),
            )
        ):
            case "compare":
                return self._comparison(family, scope, depth)
            case "null":
                self.met("is null")
                word = self.pick(("IS NOT NULL", "IS NULL"))
                return f"{self.safe(family, scope)} {word}"
            case "column":
                return self.spelled(self.pick(scope.of("bool")), scope)
            case "list":
                return self._list(family, scope)
            case "other":
                return self._other(family, scope)
            case "odd":
                self.met("operators without parentheses")
                return self._filled(self.pick(ODD).replace("same", family), scope, 0)
            case _:
                return self.pick(("TRUE", "1 = 1", "FALSE", "1 = NULL"))

    def _comparison(self, family: Family, scope: Scope, depth: int) -> str:
        op = self.pick(COMPARISONS)
        columns = scope.of(family)
        left = self.spelled(self.pick(columns), scope) if columns else self.safe(family, scope)
        right = "NULL" if self.chance(2) else self.safe(family, scope, max(0, depth - 1))
        if op == "<=>":
            self.met("<=>")
        return f"{left} {op} {right}"

    def _list(self, family: Family, scope: Scope) -> str:
        self.met("in list")
        values = self.some(lambda: self.literal(family), 1, 3, 70)
        if self.chance(15):
            values.append("NULL")
        word = self.pick(("IN", "NOT IN"))
        return f"{self.safe(family, scope)} {word} ({', '.join(values)})"

    def _other(self, family: Family, scope: Scope) -> str:
        texts = ("{int} BETWEEN 1 AND 3", "{int} NOT BETWEEN 1 AND 2", "{str} LIKE '%a%'",
                 "{str} NOT LIKE 'a%'", "{same} IS DISTINCT FROM {same}",
                 "{same} IS NOT DISTINCT FROM {same}")  # fmt: skip
        return self._filled(self.pick(texts).replace("same", family), scope, 0)

    def subquery_condition(self, scope: Scope, depth: int) -> str:
        raise NotImplementedError

    def pairs(self, left: Scope, right: Scope) -> list[tuple[Visible, Visible]]:
        """Columns of the two sides that can be compared, those of one name first."""
        both = [
            (a, b)
            for a in left.of()
            for b in right.of()
            if a.family == b.family and a.family != "dbl"
        ]
        return sorted(both, key=lambda pair: pair[0].name != pair[1].name)
