"""Rows of snapshots and changes as counted bags, read with pyarrow."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow.parquet as pq

from everview.facts.files import Bounds, DataFile, InlineFile, Sign, TableFile
from everview.facts.tables import Lost, Snapshot, TableChanges
from everview.lake.port import LakeTable
from everview.lake.storage import spark_path

Bag = Counter[tuple[str, ...]]

_FEED_WEIGHTS = {"insert": 1, "update_postimage": 1, "delete": -1, "update_preimage": -1}


def bag_of(snapshot: Snapshot) -> Bag:
    bag: Bag = Counter()
    for file in snapshot.files:
        bag.update(_row(line, snapshot.schema.names) for line in _lines(snapshot.uri, file))
    return bag


def signed_bag(changes: TableChanges) -> Bag:
    """The weight of every row of the changes."""
    bag: Bag = Counter()
    for change in changes.files:
        for line in _lines(changes.uri, change.file):
            bag[_row(line, changes.schema.names)] += _weight(change.sign, line)
    return bag


def applied(bag: Bag, changes: TableChanges) -> Bag:
    result = bag.copy()
    for row, weight in signed_bag(changes).items():
        result[row] += weight
    return Counter({row: weight for row, weight in result.items() if weight})


def check_changes(table: LakeTable, old: int, new: int) -> TableChanges:
    """rows(old) + changes = rows(new), both with the columns of `new`; every row lies within the
    bounds of its file.
    """
    changes = table.changes(old, new)
    assert not isinstance(changes, Lost), changes.reason
    before, after = table.snapshot(old), table.snapshot(new)
    widened = Snapshot(
        before.table_id, before.uri, old, after.schema, after.partition_by, before.files
    )
    assert applied(bag_of(widened), changes) == bag_of(after)
    for change in changes.files:
        assert all(_is_within(line, change.file) for line in _lines(changes.uri, change.file))
    return changes


def _is_within(line: dict[str, Any], file: TableFile) -> bool:
    bounds = file.bounds if isinstance(file, DataFile) else ()
    return all(_admits(b, line.get(name)) for name, b in bounds)


def _admits(bounds: Bounds, value: Any) -> bool:
    if value is None:
        return bounds.nulls != 0
    above = bounds.low is None or bounds.low <= value
    return above and (bounds.high is None or value <= bounds.high)


def _weight(sign: Sign, line: dict[str, Any]) -> int:
    if sign is Sign.FEED:
        return _FEED_WEIGHTS[line["_change_type"]]
    return 1 if sign is Sign.PLUS else -1


def _row(line: dict[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(repr(line.get(name)) for name in names)


def _lines(uri: str, file: TableFile) -> list[dict[str, Any]]:
    if isinstance(file, InlineFile):
        return [dict(zip(file.columns, values, strict=True)) for values in file.values]
    path = spark_path(uri, file.path).removeprefix("file://")
    lines = pq.ParquetFile(path).read().to_pylist()
    return [{**line, **dict(file.partition)} for line in _selected(file, lines)]


def _selected(file: DataFile, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if file.selection is None:
        return lines
    wanted = file.selection.kind == "only"
    rows = set(file.selection.rows)
    return [line for index, line in enumerate(lines) if (index in rows) is wanted]
