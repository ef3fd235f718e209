"""What a random case did, as a refresh script of `tests/scripts`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any

from tests.property.batches import Statement
from tests.property.tables import Row, TableSpec


class Story:
    """The lines of a script so far."""

    def __init__(self, title: str) -> None:
        self.lines = [f"=== {title}"]

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def table(self, spec: TableSpec, rows: Iterable[Row]) -> None:
        self._step(f"TABLE {spec.name} ({spec.ddl})", map(shown, rows))

    def view(self, name: str, policy: str, sql: str) -> None:
        self._step(f"VIEW {name} POLICY {policy}", [sql])

    def statement(self, made: Statement) -> None:
        name = made.table.name
        rows = list(map(shown, made.rows)) or ["(nothing)"]
        match made.kind:
            case "append" | "overwrite":
                self._step(f"{made.kind.upper()} {name}", rows)
            case "merge":
                self._step(f"MERGE {name} ON id", rows)
            case "delete":
                self._step(f"DELETE {name} WHERE {made.where}")
            case "update":
                ((column, expression),) = made.set
                where = f" WHERE {made.where}" if made.where else ""
                self._step(f"UPDATE {name} SET {column} = {expression}{where}")
            case _:
                self._step(f"{made.kind.upper()} {name}")

    def refresh(self, view: str, how: str) -> None:
        self._step(f"REFRESH {view} {how}")

    def _step(self, line: str, below: Iterable[str] = ()) -> None:
        self.lines += [line, *(f"  {text}" for text in below)]


def shown(row: Row) -> str:
    """A row as a script writes it."""
    return f"({', '.join(map(_literal, row))})"


def _literal(value: Any) -> str:
    match value:
        case None:
            return "NULL"
        case str() | date() | Decimal():
            return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"
        case _:
            return str(value)
