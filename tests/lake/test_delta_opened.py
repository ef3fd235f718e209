"""A log opened before is used again, and never in place of another one or of a newer version."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from everview.errors import LostHistory, NotATable
from everview.facts.schema import Field, Schema
from everview.facts.tables import Commit, TableShape
from everview.lake.delta import load as loading
from everview.lake.delta import opened as opening
from everview.lake.delta.load import load, load_own
from everview.lake.delta.opened import OPENED, OpenedLogs
from everview.lake.port import LakeTable
from everview.lake.storage import Storage
from tests.lake.kits import ARROW, SCHEMA, DeltaKit
from tests.lake.letters import append, rows, write
from tests.lake.reading import bag_of

Opens = Counter[str]


@pytest.fixture
def kit(tmp_path: Path) -> DeltaKit:
    return DeltaKit(tmp_path)


@pytest.fixture
def table(kit: DeltaKit) -> LakeTable:
    return kit.lake.create(kit.uri(), SCHEMA, (), {})


@pytest.fixture
def opens(monkeypatch: pytest.MonkeyPatch) -> Iterator[Opens]:
    """How often the library opened the log of each place, from an empty start."""
    counted: Opens = Counter()
    library = loading.DeltaTable

    def counting(uri: str, *args: Any, **named: Any) -> DeltaTable:
        counted[uri] += 1
        return library(uri, *args, **named)

    OPENED.clear()
    monkeypatch.setattr(loading, "DeltaTable", counting)
    yield counted
    OPENED.clear()


def foreign_append(table: LakeTable, names: str) -> None:
    """An append by another writer, of which nobody here is told."""
    values = {"k": [ord(n) - 96 for n in names], "s": list(names)}
    write_deltalake(table.uri, pa.table(values).cast(ARROW), mode="append")


def commit_file(table: LakeTable, version: int) -> Path:
    return Path(table.uri) / f"_delta_log/{version:020d}.json"


def everything(table: LakeTable) -> object:
    head = table.head()
    return head, table.snapshot(head.version), table.transaction("app"), table.partition_by()


# opened once


def test_a_log_is_opened_once(kit: DeltaKit, table: LakeTable, opens: Opens) -> None:
    append(kit, table, "a")
    OPENED.clear()
    opens.clear()
    for _ in range(3):
        again = kit.lake.open(kit.uri())
        again.snapshot(again.head().version)
        again.transaction("app")
        again.partition_by()
        again.history(1)
    assert opens[table.uri] == 1


def test_a_writer_leaves_the_log_open(kit: DeltaKit, table: LakeTable, opens: Opens) -> None:
    file = write(kit, table, "a")
    opens.clear()
    table.commit(Commit(0, "INSERT", "t", adds=(file,)))
    assert opens[table.uri] == 1
    assert bag_of(table.snapshot(table.head().version)) == rows(a=1)
    assert opens[table.uri] == 1


def test_what_a_writer_leaves_is_what_the_log_says(kit: DeltaKit, table: LakeTable) -> None:
    first, second = write(kit, table, "ab"), write(kit, table, "c")
    wider = Schema((*SCHEMA.fields, Field("d", "date")))
    shape = TableShape(wider, (), {"everview.note": "x"})
    table.commit(Commit(0, "INSERT", "0", (first, second), transactions=(("app", 5),)))
    for step in (
        lambda: table.commit(Commit(1, "DELETE", "1", removes=(first,))),
        lambda: table.commit(Commit(2, "WATERMARK", "2", transactions=(("app", 6),))),
        lambda: table.add_columns(Schema((Field("e", "long"),)), 3, "3"),
        lambda: table.set_properties({"everview.note": "y"}, 4, "4"),
        lambda: table.commit(Commit(5, "REFRESH", "5", removes=(second,), shape=shape)),
    ):
        step()
        kept = everything(table)
        OPENED.clear()
        assert everything(table) == kept


# never another version


def test_the_commit_of_another_process_is_seen(kit: DeltaKit, table: LakeTable) -> None:
    append(kit, table, "a")
    foreign_append(table, "bc")
    foreign_append(table, "d")
    assert table.head().version == 3
    assert bag_of(table.snapshot(3)) == rows(a=1, b=1, c=1, d=1)
    assert bag_of(table.snapshot(1)) == rows(a=1)
    assert table.head().version == 3


def test_an_older_version_is_not_the_head(kit: DeltaKit, table: LakeTable, opens: Opens) -> None:
    for name in "abc":
        append(kit, table, name)
    OPENED.clear()
    assert bag_of(table.snapshot(1)) == rows(a=1)
    assert table.head().version == 3


def test_a_writer_moves_nobody_elses_table(kit: DeltaKit, table: LakeTable) -> None:
    append(kit, table, "a")
    storage = Storage(table.uri)
    held = load(storage)
    append(kit, table, "b")
    assert held.version() == 1
    assert load(storage, 1).version() == 1
    assert load(storage).version() == 2


@pytest.mark.parametrize("is_known", [True, False])
def test_a_cleanup_that_took_the_next_commit_hides_no_head(
    kit: DeltaKit, table: LakeTable, *, is_known: bool
) -> None:
    append(kit, table, "a")
    assert table.head().version == 1
    if not is_known:
        OPENED.clear()
    foreign_append(table, "b")
    foreign_append(table, "c")
    DeltaTable(table.uri).create_checkpoint()
    commit_file(table, 2).unlink()
    assert table.snapshot(1).version == 1
    assert table.head().version == 3


def test_readers_beside_a_writer_see_no_head_twice_apart(kit: DeltaKit, table: LakeTable) -> None:
    def read(_: int) -> list[int]:
        found = []
        for _ in range(40):
            version = table.head().version
            assert len(table.snapshot(version).files) == version
            found.append(version)
        return found

    with ThreadPoolExecutor(4) as pool:
        readings = pool.map(read, range(3))
        for name in "abcdefgh":
            append(kit, table, name)
        for found in readings:
            assert found == sorted(found)
    assert table.head().version == 8


# never another table


@pytest.mark.parametrize("later", ["", "x", "xyz"])
def test_a_table_made_again_is_another(kit: DeltaKit, table: LakeTable, later: str) -> None:
    append(kit, table, "a")
    before = table.snapshot(table.head().version)
    kit.drop(kit.uri())
    again = kit.lake.create(kit.uri(), SCHEMA, (), {})
    for name in later:
        append(kit, again, name)
    head = table.head()
    assert (head.version, head.id != before.table_id) == (len(later), True)
    assert bag_of(table.snapshot(len(later))) == rows(**dict.fromkeys(later, 1))


def test_a_table_made_again_is_opened_once_too(
    kit: DeltaKit, table: LakeTable, opens: Opens
) -> None:
    for name in "abc":
        append(kit, table, name)
    kit.drop(kit.uri())
    kit.lake.create(kit.uri(), SCHEMA, (), {})
    opens.clear()
    assert [table.head().version for _ in range(5)] == [0] * 5
    assert opens[table.uri] == 1


def test_a_table_put_in_its_place_is_another(kit: DeltaKit, table: LakeTable) -> None:
    """Of the same versions, with files as old and as large."""
    other = kit.lake.create(kit.uri("other"), SCHEMA, (), {})
    append(kit, table, "a")
    append(kit, other, "b")
    for version in (0, 1):
        times = commit_file(table, version).stat()
        os.utime(commit_file(other, version), ns=(times.st_atime_ns, times.st_mtime_ns))
    assert bag_of(table.snapshot(table.head().version)) == rows(a=1)
    kit.drop(kit.uri())
    shutil.move(kit.uri("other"), kit.uri())
    assert bag_of(table.snapshot(1)) == rows(b=1)
    assert bag_of(table.snapshot(table.head().version)) == rows(b=1)


def test_a_table_replaced_while_it_is_opened_is_not_kept(kit: DeltaKit, table: LakeTable) -> None:
    other = kit.lake.create(kit.uri("other"), SCHEMA, (), {})
    append(kit, table, "a")
    append(kit, other, "b")
    storage, logs = Storage(table.uri), OpenedLogs()

    def slow(storage: Storage, version: int | None) -> DeltaTable:
        found = load_own(storage, version)
        if Path(kit.uri("other")).exists():
            kit.drop(kit.uri())
            shutil.move(kit.uri("other"), kit.uri())
        return found

    first = logs.head(storage, slow).table.metadata().id
    second = logs.head(storage, slow).table.metadata().id
    assert second == table.head().id != first


def test_a_table_that_is_gone_is_not_remembered(kit: DeltaKit, table: LakeTable) -> None:
    append(kit, table, "a")
    kit.drop(kit.uri())
    with pytest.raises(NotATable):
        table.head()
    with pytest.raises(NotATable):
        table.snapshot(1)


def test_vacuumed_files_of_a_known_version_are_missed(kit: DeltaKit, table: LakeTable) -> None:
    file = append(kit, table, "a")
    assert table.readable_snapshot(1).files
    table.commit(Commit(1, "DELETE", "d", removes=(file,)))
    (Path(table.uri) / file.path).unlink()
    with pytest.raises(LostHistory, match="vacuumed"):
        table.readable_snapshot(1)


def test_a_cleaned_log_loses_known_versions(kit: DeltaKit, table: LakeTable) -> None:
    for name in "ab":
        append(kit, table, name)
    assert table.snapshot(1).files
    kit.clean_log(table)
    with pytest.raises(LostHistory):
        table.snapshot(1)
    assert bag_of(table.snapshot(table.head().version)) == rows(a=1, b=1)


# bounds


def test_what_is_kept_is_bounded(kit: DeltaKit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "MOST_LOGS", 4)
    logs = OpenedLogs()
    places = [kit.lake.create(kit.uri(name), SCHEMA, (), {}) for name in "abcdef"]
    for table in places:
        logs.head(Storage(table.uri), load_own)
    assert len(logs._known) == 4
    for name in "abcde":
        append(kit, places[0], name)
    for version in range(6):
        logs.at(Storage(places[0].uri), version, load_own)
    assert sum(place[0] == places[0].uri for place, _ in logs._known) == 3
    monkeypatch.setattr(opening, "MOST_FILES", 2)
    logs.head(Storage(places[1].uri), load_own)
    assert len(logs._known) == 2
