"""Whether the rows that a statement changes are marked, or their files written anew."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pytest

from everview.facts.files import DataFile, Positions, RowSelection
from everview.facts.schema import Field, Schema
from everview.facts.tables import Mark, Snapshot
from everview.lake.port import LakeTable
from everview.run.dml.marking import MOST_MARKED, FoundRows, why_rewrite
from everview.run.rows.staging import Staged

LARGE = 100_000_000


def table(why: str = "") -> LakeTable:
    return cast(LakeTable, SimpleNamespace(why_not_mark=lambda: why))


def snapshot(size: int, properties: Mapping[str, str] | None = None) -> Snapshot:
    files = (DataFile("f", size, 1000),)
    schema = Schema((Field("k", "long"),))
    return Snapshot("t", "file:///t", 1, schema, (), files, properties or {})


def found(*marks: Mark, rows: int | None = None) -> FoundRows:
    new = sum(len(m.rows) for m in marks) if rows is None else rows
    staged = cast(Staged, SimpleNamespace(rows=new))
    return FoundRows(staged, pa.table({}), tuple(m.file for m in marks), marks)


def mark(size: int, rows: int, new: int, deleted: int = 0) -> Mark:
    selection = RowSelection(Positions(range(rows, rows + deleted)), "without")
    file = DataFile("f", size, rows, selection=selection if deleted else None)
    return Mark(file, Positions(range(new)))


CASES: dict[str, tuple[FoundRows, str]] = {
    "few rows of a large file": (found(mark(LARGE, 1000, 10)), ""),
    "a small file": (found(mark(4_000_000, 1000, 10)), "small"),
    "several files that are large together": (
        found(mark(3_000_000, 1000, 10), mark(3_000_000, 1000, 10)),
        "",
    ),
    "a fifth of the rows": (found(mark(LARGE, 1000, 200)), ""),
    "more than a fifth": (found(mark(LARGE, 1000, 201)), "20%"),
    "with those marked before": (found(mark(LARGE, 900, 110, deleted=100)), "20%"),
    "of all files together": (found(mark(LARGE, 1000, 300), mark(LARGE, 1000, 10)), ""),
    "all rows of a file": (found(mark(LARGE, 1000, 1000), mark(LARGE, 1000, 10)), ""),
    "too many rows": (found(mark(LARGE, 1000, 10), rows=MOST_MARKED + 1), "more than are marked"),
    "no rows": (found(), ""),
}


@pytest.mark.parametrize("case", CASES)
def test_by_the_rows_found(case: str) -> None:
    given, word = CASES[case]
    why = why_rewrite(table(), snapshot(LARGE), given)
    assert word in why
    assert bool(why) == bool(word)


def test_by_the_table() -> None:
    assert why_rewrite(table(), snapshot(LARGE)) == ""
    assert "small" in why_rewrite(table(), snapshot(4_000_000))
    assert why_rewrite(table("append-only"), snapshot(LARGE)) == "append-only"
    never: dict[str, Any] = {"everview.merge_on_read": "never"}
    assert "never" in why_rewrite(table(), snapshot(LARGE, never))
    assert why_rewrite(table(), snapshot(LARGE, {"everview.merge_on_read": "auto"})) == ""
