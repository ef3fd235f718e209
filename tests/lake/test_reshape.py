"""A commit that gives a table other columns and properties: the contract of every lake."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from deltalake import DeltaTable

from everview.errors import CommitConflict, CommitFailed, UnsupportedFeature
from everview.facts.files import TableFile
from everview.facts.schema import Field, Schema
from everview.facts.tables import Commit, Lost, TableChanges, TableShape
from everview.lake.delta.put import _store, put_if_absent
from everview.lake.port import LakeTable
from everview.lake.storage import Storage
from tests.lake.kits import SCHEMA, DeltaKit, Kit
from tests.lake.reading import bag_of

WIDER = TableShape(Schema((*SCHEMA.fields, Field("d", "double"))), (), {"everview.view": "new"})
NARROWER = TableShape(SCHEMA.only(("k",)), (), {"everview.view": "narrow"})
OTHER = TableShape(Schema((Field("k", "string"), Field("s", "string"))), (), {})


def append(kit: Kit, table: LakeTable) -> TableFile:
    file = kit.write_rows(table, [(1, "a"), (2, "b")])
    table.commit(Commit(table.head().version, "INSERT", "append", adds=(file,)))
    return file


def reshape(kit: Kit, table: LakeTable, shape: TableShape, token: str = "reshape") -> int:
    base = table.head().version
    new = kit.write_rows(table, [(3, "c")])
    return table.commit(
        Commit(
            base,
            "REFRESH",
            token,
            adds=(new,),
            removes=table.snapshot(base).files,
            transactions=(("everview:self", base + 1),),
            shape=shape,
        )
    )


def test_columns_properties_rows_and_transactions_change_as_one_version(
    kit: Kit, table: LakeTable
) -> None:
    append(kit, table)
    before = table.head()
    assert reshape(kit, table, WIDER) == 2
    head, snapshot = table.head(), table.snapshot(2)
    assert head.id == before.id == snapshot.table_id, "it is the same table"
    assert snapshot.schema == WIDER.schema
    assert head.properties["everview.view"] == snapshot.properties["everview.view"] == "new"
    assert head.properties["everview.table"] == "{}", "what the shape does not name stays"
    assert snapshot.rows == 1
    assert table.transaction("everview:self") == 2
    assert [c.operation for c in table.history(2)] == ["REFRESH", "INSERT"]


def test_an_older_version_is_as_it_was(kit: Kit, table: LakeTable) -> None:
    append(kit, table)
    reshape(kit, table, NARROWER)
    old = table.snapshot(1)
    assert old.schema == SCHEMA
    assert "everview.view" not in old.properties
    assert sum(bag_of(old).values()) == 2


def test_it_lands_only_on_its_base(kit: Kit, table: LakeTable) -> None:
    append(kit, table)
    stale = Commit(0, "REFRESH", "late", shape=WIDER)
    with pytest.raises(CommitConflict):
        table.commit(stale)
    assert table.snapshot(1).schema == SCHEMA


def test_an_answer_that_was_lost_is_found_by_its_token(
    kit: Kit, table: LakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(kit, table)
    kit.lose_acknowledgement(monkeypatch)
    assert reshape(kit, table, WIDER, "mine") == 2
    monkeypatch.undo()
    assert table.find_token("mine", 0) == 2
    assert table.head().version == 2


def test_a_storage_that_fails_leaves_the_table_as_it_was(
    kit: Kit, table: LakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(kit, table)
    kit.break_storage(monkeypatch)
    with pytest.raises(CommitFailed, match="did not land"):
        reshape(kit, table, WIDER)
    monkeypatch.undo()
    assert table.head().version == 1
    assert table.snapshot(1).schema == SCHEMA


def test_files_of_the_old_columns_must_all_go(kit: Kit, table: LakeTable) -> None:
    append(kit, table)
    with pytest.raises((ValueError, CommitFailed), match="keeps files of the old"):
        table.commit(Commit(1, "REFRESH", "t", shape=WIDER))
    assert table.head().version == 1


# changes across a new shape


def test_more_columns_are_a_difference_of_files(kit: Kit, table: LakeTable) -> None:
    append(kit, table)
    reshape(kit, table, WIDER)
    changes = table.changes(1, 2)
    assert isinstance(changes, TableChanges)
    assert changes.schema == WIDER.schema
    assert (changes.ways, changes.rows) == ((("file difference", 1),), 3)


def test_a_column_that_went_matters_to_who_uses_it(kit: Kit, table: LakeTable) -> None:
    append(kit, table)
    reshape(kit, table, NARROWER)
    lost = table.changes(1, 2)
    assert isinstance(lost, Lost)
    assert "'s' of version 1 was dropped" in lost.reason
    assert isinstance(table.changes(1, 2, ("k", "s")), Lost)
    told = table.changes(1, 2, ("k",))
    assert isinstance(told, TableChanges)
    assert told.schema.names == ("k",)


def test_a_column_that_was_away_in_between_is_told_by_both_ends(kit: Kit, table: LakeTable) -> None:
    append(kit, table)
    reshape(kit, table, NARROWER)
    reshape(kit, table, replace(WIDER, schema=SCHEMA), "back")
    changes = table.changes(1, 3)
    assert isinstance(changes, TableChanges)
    assert (changes.ways, changes.rows) == ((("file difference", 2),), 3)
    ends = {f.path for v in (1, 3) for f in table.snapshot(v).files}
    assert {f.file.path for f in changes.files} == ends


def test_a_type_that_changed_matters_to_who_uses_it(kit: Kit, table: LakeTable) -> None:
    append(kit, table)
    reshape(kit, table, OTHER)
    lost = table.changes(1, 2, ("k",))
    assert isinstance(lost, Lost)
    assert "was long at version 1 and is string now" in lost.reason
    assert isinstance(table.changes(1, 2, ("s",)), TableChanges)


# what is Delta's alone


@pytest.fixture
def delta(tmp_path: Path) -> DeltaKit:
    return DeltaKit(tmp_path)


def created(delta: DeltaKit) -> LakeTable:
    return delta.lake.create(delta.uri(), SCHEMA, (), {})


def test_any_reader_of_delta_opens_it(delta: DeltaKit) -> None:
    table = created(delta)
    append(delta, table)
    reshape(delta, table, NARROWER)
    rows = DeltaTable(table.uri).to_pyarrow_table().to_pylist()
    assert rows == [{"k": 3}]
    assert DeltaTable(table.uri, version=1).to_pyarrow_table().num_rows == 2
    table.checkpoint()
    assert table.snapshot(2).rows == 1
    later = delta.write_rows(table, [(4, "d")])
    assert table.commit(Commit(2, "INSERT", "more", adds=(later,))) == 3
    assert DeltaTable(table.uri).to_pyarrow_table().num_rows == 2


def test_a_timestamp_without_time_zone_raises_the_protocol(delta: DeltaKit) -> None:
    table = created(delta)
    append(delta, table)
    shape = TableShape(Schema((*SCHEMA.fields, Field("t", "timestamp_ntz"))), (), {})
    reshape(delta, table, shape)
    protocol = DeltaTable(table.uri).protocol()
    assert protocol.reader_features == ["timestampNtz"]
    assert sorted(protocol.writer_features or ()) == ["appendOnly", "invariants", "timestampNtz"]
    reshape(delta, table, replace(shape, properties={"x": "y"}), "again")
    assert table.head().properties["x"] == "y"


def test_an_append_only_table_is_left_alone(delta: DeltaKit) -> None:
    table = delta.lake.create(delta.uri(), SCHEMA, (), {"delta.appendOnly": "true"})
    append(delta, table)
    with pytest.raises(UnsupportedFeature, match="append-only"):
        reshape(delta, table, WIDER)


def test_a_file_is_put_once(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path / "with space and é"))
    Path(storage.uri).mkdir()
    put_if_absent(storage, "_delta_log/1.json", json.dumps({"a": 1}).encode())
    with pytest.raises(Exception, match="already exists"):
        put_if_absent(storage, "_delta_log/1.json", b"other")
    assert storage.read("_delta_log/1.json") == b'{"a": 1}'


def test_options_of_the_delta_library_alone_are_left_out() -> None:
    options = {
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "AWS_REGION": "eu-central-1",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_ALLOW_HTTP": "true",
        "AWS_S3_ALLOW_UNSAFE_RENAME": "true",
    }
    assert "bucket" in repr(_store(Storage("s3a://bucket/shop", options)))
    locked = Storage("s3a://bucket/shop", {**options, "AWS_S3_LOCKING_PROVIDER": "dynamodb"})
    with pytest.raises(UnsupportedFeature, match="AWS_S3_LOCKING_PROVIDER"):
        _store(locked)
