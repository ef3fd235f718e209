"""A checkpoint every so many versions, after the commit and never part of it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from deltalake import DeltaTable

from everview.facts.tables import Commit
from everview.lake.catalog import Catalog, Entries, Entry
from everview.lake.delta.opened import OPENED
from everview.lake.delta.table import EmbeddedDelta
from everview.lake.port import LakeTable
from tests.lake.kits import SCHEMA, DeltaKit
from tests.lake.letters import append, rows
from tests.lake.reading import bag_of
from tests.lake.vectors import VectorTable


@pytest.fixture
def kit(tmp_path: Path) -> DeltaKit:
    return DeltaKit(tmp_path)


@pytest.fixture
def table(kit: DeltaKit) -> LakeTable:
    return kit.lake.create(kit.uri(), SCHEMA, (), {})


def commits(table: LakeTable, number: int) -> None:
    base = table.head().version
    for version in range(base, base + number):
        table.commit(Commit(version, "WATERMARK", f"t{version}", transactions=(("app", version),)))


def checkpoints(uri: str) -> list[int]:
    names = (Path(uri) / "_delta_log").glob("*.checkpoint*.parquet")
    return sorted(int(path.name.split(".")[0]) for path in names)


def newest(uri: str) -> int:
    found: int = json.loads((Path(uri) / "_delta_log/_last_checkpoint").read_text())["version"]
    return found


def test_every_twentieth_version_of_a_table_of_ours_has_one(table: LakeTable) -> None:
    commits(table, 19)
    assert checkpoints(table.uri) == []
    commits(table, 22)
    assert checkpoints(table.uri) == [20, 40]
    assert newest(table.uri) == 40


def test_other_tables_have_them_as_they_say(kit: DeltaKit) -> None:
    often = kit.lake.create(kit.uri("often"), SCHEMA, (), {"delta.checkpointInterval": "3"})
    commits(often, 7)
    assert checkpoints(often.uri) == [3, 6]
    silent = kit.uri("silent")
    DeltaTable.create(silent, DeltaTable(often.uri).schema())
    commits(kit.lake.open(silent), 11)
    assert checkpoints(silent) == [10]


def test_alterations_count(table: LakeTable) -> None:
    commits(table, 19)
    table.set_properties({"everview.note": "x"}, 19, "t")
    assert newest(table.uri) == 20


def test_nothing_is_lost_by_it(kit: DeltaKit, table: LakeTable) -> None:
    for name in "ab":
        append(kit, table, name)
    commits(table, 19)
    OPENED.clear()
    assert [c.version for c in table.history()] == list(range(21, -1, -1))
    assert table.transaction("app") == 20
    assert bag_of(table.snapshot(21)) == bag_of(table.snapshot(1)) + rows(b=1)
    before = table.snapshot(21)
    for version in range(20):
        (Path(table.uri) / f"_delta_log/{version:020d}.json").unlink()
    OPENED.clear()
    assert table.snapshot(21) == before
    assert table.transaction("app") == 20
    assert table.head().version == 21


def test_deletion_vectors_are_in_it(kit: DeltaKit, table: LakeTable) -> None:
    file = kit.write_rows(table, [(1, "a"), (2, "b"), (3, "c")])
    table.commit(Commit(0, "INSERT", "t", adds=(file,)))
    VectorTable(Path(table.uri)).delete(file.path, {1})
    commits(table, 18)
    for version in range(20):
        (Path(table.uri) / f"_delta_log/{version:020d}.json").unlink()
    OPENED.clear()
    (found,) = EmbeddedDelta().open(table.uri).snapshot(20).files
    assert found.selection is not None
    assert (list(found.selection.rows), found.rows) == ([1], 2)


def test_one_that_fails_fails_no_commit(
    table: LakeTable, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(table: DeltaTable) -> None:
        raise OSError("disk full")

    commits(table, 19)
    monkeypatch.setattr(DeltaTable, "create_checkpoint", broken)
    commits(table, 1)
    assert table.head().version == 20
    assert "disk full" in caplog.text
    monkeypatch.undo()
    commits(table, 20)
    assert checkpoints(table.uri) == [40]


def test_other_commits_do_not_wait_for_one(
    table: LakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[int] = Counter()
    monkeypatch.setattr(
        DeltaTable, "create_checkpoint", lambda table: asked.update([table.version()])
    )
    commits(table, 21)
    assert asked == {20: 1}


def test_the_catalog_has_them_too(tmp_path: Path) -> None:
    catalog = Catalog(str(tmp_path))
    catalog.create()
    entries = tuple(Entry(f"t{n:02}", "table", f"tables/t{n:02}") for n in range(21))
    for base in range(20):
        catalog.write(entries[: base + 1], base)
    log = tmp_path / "_everview/catalog"
    assert checkpoints(str(log)) == [20]
    for version in range(20):
        (log / f"_delta_log/{version:020d}.json").unlink()
    OPENED.clear()
    assert Catalog(str(tmp_path)).read() == Entries(20, entries[:20])
