"""Records go to JSON and back; snapshots and changes add up."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from everview.facts.files import Bounds, ChangeFile, DataFile, InlineFile, Sign
from everview.facts.refreshes import RefreshFacts, SourceFacts, StoredFacts
from everview.facts.refusals import RefusalKind
from everview.facts.schema import Field, Schema
from everview.facts.tables import Head, Lost, Snapshot, TableChanges
from everview.facts.views import Layout, LayoutKind, Mention, SourceRecord, TableRecord, ViewRecord

SCHEMA = Schema(
    (
        Field("id", "long", nullable=False),
        Field("price", "decimal(10,2)"),
        Field("tags", '{"containsNull": true, "elementType": "string", "type": "array"}'),
    )
)


# Schemas


def test_a_schema_is_sparks_json() -> None:
    text = SCHEMA.to_json()
    assert json.loads(text)["fields"][0] == {
        "name": "id", "type": "long", "nullable": False, "metadata": {},
    }  # fmt: skip
    assert Schema.from_json(text) == SCHEMA
    assert json.loads(text)["fields"][2]["type"]["elementType"] == "string"


def test_a_schema_by_name() -> None:
    assert SCHEMA.names == ("id", "price", "tags")
    assert SCHEMA["price"].type == "decimal(10,2)"
    assert "id" in SCHEMA
    assert "ID" not in SCHEMA
    assert SCHEMA.find("ID") == "id"
    assert SCHEMA.find("nowhere") is None
    assert SCHEMA["tags"].is_nested
    assert SCHEMA.only(("price", "id")).names == ("price", "id")


def test_nullability_does_not_make_other_columns() -> None:
    assert SCHEMA.same_columns(Schema(tuple(Field(f.name, f.type) for f in SCHEMA.fields)))
    assert not SCHEMA.same_columns(SCHEMA.only(("id",)))


# Records


def test_a_view_record_survives_json() -> None:
    record = ViewRecord(
        sql="SELECT id FROM t",
        settings={"spark.sql.ansi.enabled": "true"},
        columns=SCHEMA.only(("id",)),
        sources=(SourceRecord("t", "some-id", SCHEMA, ("id",)),),
        layout=Layout(LayoutKind.KEYED, ("id",), SCHEMA),
        full_only="",
        created_with="0.1.0",
    )
    assert ViewRecord.from_json(record.to_json()) == record
    assert json.loads(record.to_json())["layout"]["kind"] == "keyed"
    assert record.source("t").id == "some-id"
    full = replace(
        record,
        full_only="only Spark parses this text",
        full_kind=RefusalKind.SPARK_ONLY,
        mentions=(Mention(15, 16, "t", "t"),),
    )
    assert ViewRecord.from_json(full.to_json()) == full


def test_a_record_without_a_kind_or_with_one_of_a_later_version_is_read() -> None:
    layout = Layout(LayoutKind.ROWS, (), SCHEMA)
    record = ViewRecord("SELECT 1", {}, SCHEMA, (), layout, "for a reason", "0.1.0")
    raw = json.loads(record.to_json())
    raw["full_kind"] = "A_KIND_OF_LATER"
    assert ViewRecord.from_json(json.dumps(raw)) == record
    del raw["full_kind"], raw["mentions"]
    assert ViewRecord.from_json(json.dumps(raw)) == record
    raw["layout"]["kind"] = "a layout of later"
    assert ViewRecord.from_json(json.dumps(raw)).layout.kind is LayoutKind.ROWS


def test_a_table_record_survives_json() -> None:
    record = TableRecord(("id",), ((("a", "b"), "stores", ("x", "y")),))
    assert TableRecord.from_json(record.to_json()) == record
    assert TableRecord.from_json(TableRecord().to_json()) == TableRecord()


# Files, snapshots, changes


def file(rows: int | None, size: int = 10) -> DataFile:
    return DataFile(f"f{rows}", size, rows, bounds=(("id", Bounds(1, 2, 0)),))


def test_bounds_that_are_not_known_are_empty() -> None:
    assert file(1).bounds_of("id") == Bounds(1, 2, 0)
    assert file(1).bounds_of("price") == Bounds()


def test_rows_in_memory_are_a_file_too() -> None:
    inline = InlineFile("m", ("id", "price"), ((2, 0.5), (None, float("nan")), (1, None)))
    assert (inline.rows, inline.size) == (3, 0)
    assert inline.bounds_of("id") == Bounds(1, 2, 1)
    assert inline.bounds_of("price") == Bounds(nulls=1)
    assert inline.bounds_of("other") == Bounds()


@pytest.mark.parametrize(("rows", "total"), [((1, 2), 3), ((1, None), None), ((), 0)])
def test_rows_of_a_snapshot_are_known_if_those_of_all_files_are(
    rows: tuple[int | None, ...], total: int | None
) -> None:
    files = tuple(map(file, rows))
    snapshot = Snapshot("id", "uri", 3, SCHEMA, (), files)
    assert snapshot.rows == total
    assert snapshot.bytes == 10 * len(rows)
    changes = TableChanges(
        "id", "uri", 2, 3, SCHEMA, tuple(ChangeFile(f, Sign.PLUS) for f in files)
    )
    assert changes.rows == total
    assert changes.bytes == 10 * len(rows)


@pytest.mark.parametrize(
    ("signs", "insert_only", "delete_only", "empty"),
    [
        ((), True, True, True),
        ((Sign.PLUS,), True, False, False),
        ((Sign.MINUS, Sign.MINUS), False, True, False),
        ((Sign.PLUS, Sign.FEED), False, False, False),
    ],
)
def test_what_changes_hold(
    signs: tuple[Sign, ...], insert_only: bool, delete_only: bool, empty: bool
) -> None:
    files = tuple(ChangeFile(file(1), s) for s in signs)
    changes = TableChanges("id", "uri", 1, 2, SCHEMA, files)
    assert (changes.insert_only, changes.delete_only, changes.empty) == (
        insert_only, delete_only, empty,
    )  # fmt: skip


def test_a_source_whose_history_is_lost_has_changed() -> None:
    snapshot = Snapshot("id", "uri", 2, SCHEMA, (), ())
    lost = SourceFacts("t", "id", 1, 2, snapshot, None, Lost("vacuumed"))
    same = SourceFacts(
        "u", "id", 2, 2, snapshot, snapshot, TableChanges("id", "uri", 2, 2, SCHEMA, ())
    )
    assert lost.changed
    assert not same.changed
    layout = Layout(LayoutKind.BAG, (), SCHEMA)
    record = ViewRecord("SELECT", {}, SCHEMA, (), layout, full_only="", created_with="0.1.0")
    stored = StoredFacts(record=record, snapshot=snapshot, built=True, watermark={}, distrust="")
    assert RefreshFacts("v", "AUTO", stored, (lost, same)).source("u") is same


def test_a_head_has_no_properties_by_itself() -> None:
    assert Head("id", 1).properties == {}
