"""Random definitions of the class that is maintained incrementally, as SQL text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from tests.property.tables import TableSpec

NUMBERS = (
    "bigint", "int", "smallint", "decimal(12,2)", "decimal(30,5)", "double", "float",
)  # fmt: skip
_LITERALS = {
    "bigint": ("0", "3", "5L"),
    "int": ("1", "2", "3"),
    "smallint": ("0", "7"),
    "string": ("'a'", "'B'", "''"),
    "decimal(12,2)": ("7.50", "0"),
    "decimal(30,5)": ("0",),
    "double": ("0.1D", "3"),
    "float": ("3.0F", "0"),
    "date": ("DATE'2024-02-29'",),
    "timestamp": ("TIMESTAMP'2024-03-31 02:30:00'",),
    "boolean": ("true",),
}


@dataclass(frozen=True)
class Col:
    """A column as it is written where it is visible."""

    text: str
    type: str


@dataclass(frozen=True)
class From:
    """What follows FROM, the columns it makes visible, and the tables below."""

    text: str
    columns: tuple[Col, ...]


@dataclass(frozen=True)
class ViewSpec:
    """A definition; of a grouped one, the places of its keys and of its plain extremes."""

    sql: str
    grouped: bool
    keys: tuple[int, ...] = ()
    extremes: tuple[tuple[int, str], ...] = ()
    kinds: tuple[str, ...] = ()


class Views:
    """Writes one random definition over the tables."""

    def __init__(self, rng: Random, tables: Iterable[TableSpec]) -> None:
        self.rng = rng
        self.tables = list(tables)
        self.kinds: set[str] = set()
        self._names = 0
        self._cte: tuple[str, From] | None = None

    def view(self) -> ViewSpec:
        head = self._with() if self.rng.random() < 0.25 else ""
        grouped = self.rng.random() < 0.65
        if not grouped and self.rng.random() < 0.3:
            self.kinds.add("union all")
            sides = " UNION ALL ".join(self._fixed_select() for _ in range(2))
            return ViewSpec(head + sides, False, kinds=tuple(self.kinds))
        source = self._joined()
        where = self._where(source.columns)
        if not grouped:
            items = ", ".join(self._projected(source.columns))
            sql = f"{head}SELECT {items} FROM {source.text}{where}"
            return ViewSpec(sql, False, kinds=tuple(self.kinds))
        return self._grouped(head, source, where)

    # FROM

    def _joined(self) -> From:
        source = self._item()
        tables = self.rng.choice((1, 1, 2, 2, 2, 3)) if self._cte is None else 2
        for _ in range(tables - 1):
            source = self._join(source, self._item())
        return source

    def _join(self, left: From, right: From) -> From:
        self.kinds.add("join")
        columns = left.columns + right.columns
        roll = self.rng.random()
        if roll < 0.08:
            return From(f"{left.text} CROSS JOIN {right.text}", columns)
        equal = self._equality(left, right)
        if roll < 0.2 or equal is None:
            condition = self._condition(columns)
        else:
            condition = equal
            if self.rng.random() < 0.3:
                condition = f"{equal} AND {self._condition(columns)}"
        return From(f"{left.text} JOIN {right.text} ON {condition}", columns)

    def _equality(self, left: From, right: From) -> str | None:
        pairs = [(a, b) for a in left.columns for b in right.columns if a.type == b.type]
        pairs = [p for p in pairs if p[0].type in ("int", "string", "bigint", "date", "boolean")]
        if not pairs:
            return None
        a, b = self.rng.choice(pairs)
        return f"{a.text} {self.rng.choice(('=', '=', '=', '<=>'))} {b.text}"

    def _item(self) -> From:
        if self._cte is not None and self.rng.random() < 0.8:
            name, source = self._cte
            alias = self._alias()
            self.kinds.add("cte")
            return From(f"{name} AS {alias}", self._under(alias, source.columns))
        roll = self.rng.random()
        if roll < 0.6:
            return self._table()
        if roll < 0.85:
            return self._subquery()
        return self._union()

    def _table(self) -> From:
        table = self.rng.choice(self.tables)
        alias = self._alias()
        columns = tuple(Col(f"{alias}.{name}", type_) for name, type_ in table.columns)
        return From(f"{table.name} AS {alias}", columns)

    def _subquery(self) -> From:
        self.kinds.add("subquery")
        text, columns = self._select()
        alias = self._alias()
        return From(f"({text}) AS {alias}", self._under(alias, columns))

    def _select(self) -> tuple[str, tuple[Col, ...]]:
        inner = (
            self._table() if self.rng.random() < 0.8 else self._join(self._table(), self._table())
        )
        kept = self._some(inner.columns, 3)
        items = ", ".join(f"{c.text} AS x{i}" for i, c in enumerate(kept))
        text = f"SELECT {items} FROM {inner.text}{self._where(inner.columns)}"
        return text, tuple(Col(f"x{i}", c.type) for i, c in enumerate(kept))

    def _union(self) -> From:
        self.kinds.add("union all")
        sides = " UNION ALL ".join(self._fixed_select() for _ in range(2))
        alias = self._alias()
        columns = tuple(Col(n, t) for n, t in (("id", "bigint"), ("k", "int"), ("s", "string")))
        return From(f"({sides}) AS {alias}", self._under(alias, columns))

    def _fixed_select(self) -> str:
        """A SELECT whose columns every table has."""
        table = self._table()
        id_, k, s = (c.text for c in table.columns[:3])
        where = self._where(table.columns)
        return f"SELECT {id_} AS id, {k} AS k, {s} AS s FROM {table.text}{where}"

    def _with(self) -> str:
        text, columns = self._select()
        self._cte = ("shared", From("shared", columns))
        return f"WITH shared AS ({text}) "

    def _under(self, alias: str, columns: Iterable[Col]) -> tuple[Col, ...]:
        return tuple(Col(f"{alias}.{c.text}", c.type) for c in columns)

    # Scalars

    def _where(self, columns: tuple[Col, ...]) -> str:
        if self.rng.random() < 0.55:
            return ""
        self.kinds.add("filter")
        return f" WHERE {self._condition(columns)}"

    def _condition(self, columns: tuple[Col, ...]) -> str:
        roll = self.rng.random()
        if roll < 0.15:
            return f"({self._condition(columns)} OR {self._condition(columns)})"
        if roll < 0.2:
            return f"NOT ({self._condition(columns)})"
        column = self.rng.choice(columns)
        if column.type not in _LITERALS or roll < 0.35:
            return f"{column.text} IS {self.rng.choice(('', 'NOT ', 'NOT '))}NULL"
        literal = self.rng.choice(_LITERALS[column.type])
        if column.type == "string" and roll < 0.6:
            return f"{column.text} {self.rng.choice(('LIKE', 'NOT LIKE'))} '%a%'"
        if column.type == "int" and roll < 0.6:
            return f"{column.text} {self.rng.choice(('IN (0, 1, 2)', 'BETWEEN 1 AND 3'))}"
        op = self.rng.choice(("=", "<>", "<", ">=", "<=>", "<=", ">"))
        return f"{column.text} {op} {literal}"

    def _projected(self, columns: tuple[Col, ...]) -> list[str]:
        items = [f"{c.text} AS p{i}" for i, c in enumerate(self._some(columns, 2))]
        for i, column in enumerate(self._some(columns, 0, 2)):
            items.append(f"{self._derived(column)} AS d{i}")
        return items

    def _derived(self, column: Col) -> str:
        """A deterministic expression of another type or value."""
        match column.type:
            case "bigint" | "int" | "smallint":
                return self.rng.choice((f"{column.text} % 3", f"coalesce({column.text}, -1)"))
            case "string":
                return self.rng.choice((f"upper({column.text})", f"length({column.text})"))
            case "date" | "timestamp":
                return f"date_trunc('MONTH', {column.text})"
            case "struct<a:int,b:string>":
                return f"{column.text}.a"
            case "array<int>":
                return f"size({column.text})"
            case "boolean":
                return f"NOT {column.text}"
            case _:
                return f"CAST({column.text} AS STRING)"

    # GROUP BY

    def _grouped(self, head: str, source: From, where: str) -> ViewSpec:
        self.kinds.add("group by")
        keys = [self._key(c) for c in self._some(source.columns, 0, 2)]
        calls = [self._call(source.columns) for _ in range(self.rng.randint(1, 4))]
        items = [f"{k} AS g{i}" for i, k in enumerate(keys)]
        items += [f"{text} AS a{i}" for i, (text, _) in enumerate(calls)]
        if self.rng.random() < 0.3:
            items.append(
                "count(*) * 10 + coalesce(count(" + source.columns[0].text + "), 0) AS more"
            )
        extremes = [(len(keys) + i, kind) for i, (_, kind) in enumerate(calls) if kind]
        group = self._group_text(keys)
        sql = f"{head}SELECT {', '.join(items)} FROM {source.text}{where}{group}"
        places = tuple(range(len(keys)))
        return ViewSpec(sql, True, places, tuple(extremes), tuple(self.kinds))

    def _key(self, column: Col) -> str:
        return column.text if self.rng.random() < 0.6 else self._derived(column)

    def _group_text(self, keys: list[str]) -> str:
        if not keys:
            self.kinds.add("global")
            return ""
        match self.rng.choice(("text", "text", "ordinal", "alias", "all")):
            case "text":
                names = keys
            case "ordinal":
                names = [str(i + 1) for i, _ in enumerate(keys)]
            case "alias":
                names = [f"g{i}" for i, _ in enumerate(keys)]
            case _:
                return " GROUP BY ALL"
        return f" GROUP BY {', '.join(names)}"

    def _call(self, columns: tuple[Col, ...]) -> tuple[str, str]:
        """An aggregate, and min or max if it is one and nothing else."""
        condition = f" FILTER (WHERE {self._condition(columns)})"
        filtered = condition if self.rng.random() < 0.2 else ""
        numbers = [c for c in columns if c.type in NUMBERS]
        function = self.rng.choice(("count(*)", "count", "sum", "avg", "min", "max", "min", "max"))
        self.kinds.add(function)
        if function == "count(*)":
            return f"count(*){filtered}", ""
        if function in ("sum", "avg"):
            return f"{function}({self.rng.choice(numbers).text}){filtered}", ""
        column = self.rng.choice(columns).text
        kind = function if function in ("min", "max") else ""
        return f"{function}({column}){filtered}", kind

    def _some(self, columns: tuple[Col, ...], low: int, high: int = 4) -> list[Col]:
        count = self.rng.randint(low, max(low, high))
        return self.rng.sample(columns, min(count, len(columns)))

    def _alias(self) -> str:
        self._names += 1
        return f"q{self._names}"
