"""The statements on a small table, the places they come to, and the rows before and after."""

from __future__ import annotations

from collections.abc import Callable

import everview as ev
from tests.api.bags import frame
from tests.api.shop import SALES, add_sales

Statement = Callable[[ev.Table, str | None], int]
FEW, ALL = ("write", "commit", "committed"), ("find", "write", "commit", "committed")


def merge(table: ev.Table, token: str | None) -> int:
    rows = frame(table._warehouse.spark, SALES, (1, "Oslo", 11), (6, "Oslo", 60))
    return table.merge(rows, on="id", token=token)


def overwrite(table: ev.Table, token: str | None) -> int:
    return table.overwrite(frame(table._warehouse.spark, SALES, (6, "Oslo", 60)), token=token)


STATEMENTS: dict[str, tuple[Statement, tuple[str, ...]]] = {
    "append": (lambda t, token: add_sales(t, (6, "Oslo", 60), token=token), FEW),
    "overwrite": (overwrite, FEW),
    "delete": (lambda t, token: t.delete("id IN (1, 3)", token=token), ALL),
    "update": (lambda t, token: t.update({"amount": "amount + 1"}, "id < 4", token=token), ALL),
    "merge": (merge, ALL),
}
AFTER: dict[str, list[tuple[int, str | None, int]]] = {
    "append": [(1, "Bern", 10), (2, "Bern", 20), (3, "Rome", 30), (6, "Oslo", 60)],
    "overwrite": [(6, "Oslo", 60)],
    "delete": [(2, "Bern", 20)],
    "update": [(1, "Bern", 11), (2, "Bern", 21), (3, "Rome", 31)],
    "merge": [(1, "Oslo", 11), (2, "Bern", 20), (3, "Rome", 30), (6, "Oslo", 60)],
}
BEFORE = [(1, "Bern", 10), (2, "Bern", 20), (3, "Rome", 30)]
