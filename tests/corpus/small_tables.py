"""Five small tables that random queries read: shared names, NULLs, duplicates, one without rows."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

Row = tuple[Any, ...]
# What a column holds: int stands for int and bigint, dec for every decimal.
Family = Literal["int", "str", "bool", "date", "dec", "dbl"]

FAMILIES: dict[str, Family] = {
    "int": "int",
    "bigint": "int",
    "string": "str",
    "boolean": "bool",
    "date": "date",
    "double": "dbl",
}


def family(type_: str) -> Family:
    """The family of a Spark type; NULL without a type is counted among the integers."""
    return "dec" if type_.startswith("decimal") else FAMILIES.get(type_, "int")


@dataclass(frozen=True)
class Table:
    """A table's columns as (name, Spark type), and its rows."""

    columns: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]

    @property
    def sql(self) -> str:
        """The table as a query over literals, which Spark keeps at hand without a job."""
        names = ", ".join(name for name, _ in self.columns)
        casts = ", ".join(f"CAST({name} AS {type_}) AS {name}" for name, type_ in self.columns)
        empty = (None,) * len(self.columns)
        rows = ", ".join(f"({', '.join(map(_literal, row))})" for row in self.rows or (empty,))
        text = f"SELECT {casts} FROM VALUES {rows} AS rows({names})"
        return text if self.rows else f"{text} WHERE FALSE"


def _literal(value: object) -> str:
    match value:
        case None:
            return "NULL"
        case str() | dt.date() | Decimal():
            return f"'{value}'"
        case _:
            return str(value)


_ONE, _TWO, _THREE = (dt.date(2024, 1, day) for day in (1, 2, 3))


def _money(text: str) -> Decimal:
    return Decimal(text)


TABLES: dict[str, Table] = {
    "r": Table(
        (("k", "int"), ("s", "string"), ("b", "boolean"), ("x", "decimal(6,2)")),
        (
            (1, "a", True, _money("1.50")),
            (1, "a", True, _money("1.50")),
            (2, "b", False, _money("2.00")),
            (2, None, None, _money("0.50")),
            (3, "c", True, None),
            (None, "a", False, _money("1.50")),
            (None, None, None, None),
        ),
    ),
    "t": Table(
        (("k", "int"), ("v", "int"), ("s", "string"), ("d", "date")),
        (
            (1, 1, "a", _ONE),
            (1, 2, "b", _TWO),
            (2, 2, "b", _TWO),
            (2, 2, "b", _TWO),
            (3, None, "c", None),
            (4, 0, None, _THREE),
            (None, 3, "a", _ONE),
        ),
    ),
    "u": Table(
        (("k", "bigint"), ("v", "int"), ("b", "boolean")),
        (
            (1, 1, True),
            (1, 2, None),
            (2, 0, False),
            (3, None, True),
            (0, 3, False),
            (None, 2, None),
        ),
    ),
    "w": Table(
        (("s", "string"), ("x", "decimal(8,3)"), ("d", "date"), ("v", "int")),
        (
            ("a", _money("1.500"), _ONE, 1),
            ("b", _money("0.250"), _TWO, 2),
            ("b", _money("0.250"), _TWO, 2),
            ("", None, None, 0),
            (None, _money("2.000"), _THREE, None),
        ),
    ),
    "e": Table((("k", "int"), ("s", "string"), ("v", "int")), ()),
}
