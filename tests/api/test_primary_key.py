"""An enforced primary key: no write adds a key that is there already, and little is read for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from deltalake import DeltaTable

import everview as ev
from everview.errors import CommitConflict, ConstraintViolated
from everview.facts.views import TableRecord
from tests.api.bags import bag, frame, refused
from tests.api.meanwhile import write_once_at

COLUMNS = "id BIGINT, day STRING, city STRING"
ROWS = [(1, "mo", "Bern"), (2, "mo", "Rome"), (2, "tu", "Oslo")]


@pytest.fixture(params=["", "day"], ids=["one folder", "partitioned"])
def t(wh: ev.Warehouse, request: pytest.FixtureRequest) -> ev.Table:
    parts = request.param or None
    table = wh.create_table("t", COLUMNS, primary_key=["id", "day"], partition_by=parts)
    table.append(frame(wh.spark, COLUMNS, *ROWS))
    return table


@pytest.fixture
def other(wh: ev.Warehouse, tmp_path: Path) -> ev.Warehouse:
    """Somebody else in the same warehouse."""
    return ev.open(str(tmp_path / "shop"), spark=wh.spark)


def append(table: ev.Table, *rows: tuple[object, ...], token: str | None = None) -> int:
    return table.append(frame(table._warehouse.spark, COLUMNS, *rows), token=token)


Write = Callable[[ev.Warehouse, ev.Table], object]
STORED: dict[str, Write] = {
    "append": lambda wh, t: append(t, (9, "mo", "a"), (2, "mo", "b")),
    "INSERT": lambda wh, t: wh.sql("INSERT INTO t SELECT id, day, 'again' FROM t WHERE id = 2"),
    "update": lambda wh, t: t.update({"day": "'mo'"}, "day = 'tu'"),
    "UPDATE": lambda wh, t: wh.sql("UPDATE t SET id = 2 WHERE city = 'Bern'"),
    "merge on a part of the key": lambda wh, t: t.merge(
        frame(wh.spark, COLUMNS, (2, "mo", "x")), on=["id"]
    ),
    "MERGE": lambda wh, t: wh.sql(
        "MERGE INTO t USING (SELECT 2 AS id, 'mo' AS day) s ON t.city = 'nowhere' "
        "WHEN NOT MATCHED THEN INSERT (id, day, city) VALUES (s.id, s.day, 'x')"
    ),
}


@pytest.mark.parametrize("case", STORED)
def test_a_key_that_is_there_is_refused(wh: ev.Warehouse, t: ev.Table, case: str) -> None:
    with refused(ConstraintViolated, "PRIMARY KEY (id, day)", "id = 2, day = 'mo'", "othing was"):
        STORED[case](wh, t)
    assert t.version == 1
    assert bag(t.to_df()) == bag(ROWS)
    data = [p for p in Path(t.path).rglob("*.parquet") if "_delta_log" not in p.parts]
    assert len(data) == len(DeltaTable(t.path).file_uris()), "a refused write leaves no files"


def test_what_keeps_the_keys_apart_is_written(wh: ev.Warehouse, t: ev.Table) -> None:
    append(t, (3, "mo", "a"), (1, "tu", "b"))
    wh.sql("UPDATE t SET city = upper(city)")
    wh.sql("UPDATE t SET id = id + 1")  # each new key but the last was there before
    t.merge(frame(wh.spark, COLUMNS, (2, "mo", "x"), (9, "we", "y")), on=["id", "day"])
    wh.sql(
        "MERGE INTO t USING (SELECT 9 AS id, 'th' AS day) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET day = s.day"
    )
    expected = [(2, "mo", "x"), (3, "mo", "ROME"), (3, "tu", "OSLO"), (4, "mo", "A")]
    expected += [(2, "tu", "B"), (9, "th", "y")]
    assert bag(t.to_df()) == bag(expected)
    t.overwrite(frame(wh.spark, COLUMNS, *ROWS))
    assert bag(t.to_df()) == bag(ROWS)
    assert all(t.verify())


def test_new_keys_beyond_all_ranges_read_nothing_stored(wh: ev.Warehouse, t: ev.Table) -> None:
    for stored in Path(t.path, "data").rglob("*.parquet"):
        stored.unlink()
    append(t, (3, "mo", "a"), (4, "tu", "b"))
    assert t.version == 2
    with pytest.raises(Exception, match="does not exist"):
        append(t, (1, "mo", "a"))


def test_keys_between_those_of_a_file_are_found_by_value(wh: ev.Warehouse) -> None:
    wh.sql("CREATE TABLE t (id BIGINT PRIMARY KEY, day STRING, city STRING)")
    t = wh.table("t")
    append(t, (1, "a", "a"), (3, "a", "a"))
    append(t, (10, "a", "a"), (12, "a", "a"))
    append(t, (2, "a", "a"), (11, "a", "a"))
    with refused(ConstraintViolated, "the key id = 11 is in the table already"):
        append(t, (0, "a", "a"), (11, "a", "a"))
    assert t.version == 3


def test_other_types_of_keys(wh: ev.Warehouse) -> None:
    values = {
        "TIMESTAMP": "TIMESTAMP '2024-02-03 04:05:06'",
        "TIMESTAMP_NTZ": "TIMESTAMP_NTZ '2024-02-03 04:05:06'",
        "DATE": "DATE '2024-02-03'",
        "DECIMAL(10,2)": "1.50",
        "DOUBLE": "double('NaN')",
        "BINARY": "binary('x')",
        "BOOLEAN": "true",
        "STRING": "''",
    }
    for i, (type_, value) in enumerate(values.items()):
        wh.sql(f"CREATE TABLE t{i} (`the key` {type_} PRIMARY KEY, b INT)")
        wh.sql(f"INSERT INTO t{i} VALUES ({value}, 1)")
        with refused(ConstraintViolated, "the key the key = ", "is in the table already"):
            wh.sql(f"INSERT INTO t{i} VALUES ({value}, 2)")


def test_a_key_may_be_declared_without_being_enforced(wh: ev.Warehouse) -> None:
    wh.create_table("a", COLUMNS, primary_key="id", enforce_primary_key=False)
    wh.sql("CREATE TABLE b (id BIGINT PRIMARY KEY NOT ENFORCED, day STRING, city STRING)")
    for name in ("a", "b"):
        table = wh.table(name)
        append(table, (1, "mo", "x"), (1, "mo", "y"), (None, "mo", "z"))
        append(table, (1, "mo", "x"))
        table.update({"city": "upper(city)"})
        assert [c.ok for c in table.verify()] == [False, False]
        text = wh.sql(f"SHOW CREATE TABLE {name}").collect()[0][0]
        assert "PRIMARY KEY (`id`) NOT ENFORCED" in text
        details = {r.col_name: r.data_type for r in wh.sql(f"DESCRIBE EXTENDED {name}").collect()}
        assert details["Primary key"] == "id (not enforced)"


def test_the_record_of_an_earlier_version_means_enforced() -> None:
    record = TableRecord(("id",), primary_key_enforced=False)
    assert TableRecord.from_json(record.to_json()) == record
    old = json.loads(record.to_json())
    del old["primary_key_enforced"]
    assert TableRecord.from_json(json.dumps(old)).enforced_key == ("id",)


def test_a_table_made_of_rows_is_held_to_its_key(wh: ev.Warehouse) -> None:
    rows = frame(wh.spark, COLUMNS, (1, "mo", "x"), (1, "tu", "y"))
    with refused(ConstraintViolated, "2 of the rows have the key id = 1"):
        wh.create_table("t", rows, primary_key="id")
    assert wh.tables() == []
    assert list(Path(wh.path, "tables").glob("*")) == [], "nothing is left of it"


def test_appends_rebase(wh: ev.Warehouse, t: ev.Table, other: ev.Warehouse) -> None:
    theirs = other.table("t")
    write_once_at(wh, "write: commit", lambda: append(theirs, (3, "mo", "theirs")))
    assert append(t, (4, "mo", "mine")) == 3
    write_once_at(wh, "write: commit", lambda: theirs.delete("id = 3"))
    assert append(t, (6, "mo", "mine")) == 5
    write_once_at(wh, "write: commit", theirs.compact)
    assert append(t, (5, "mo", "mine")) == 7
    added = [(4, "mo", "mine"), (5, "mo", "mine"), (6, "mo", "mine")]
    assert bag(t.to_df()) == bag([*ROWS, *added])


def test_an_append_that_rebases_looks_for_its_keys_again(
    wh: ev.Warehouse, t: ev.Table, other: ev.Warehouse
) -> None:
    theirs = other.table("t")
    write_once_at(wh, "write: commit", lambda: append(theirs, (3, "mo", "theirs")))
    with refused(ConstraintViolated, "the key id = 3, day = 'mo' is in the table already"):
        append(t, (4, "mo", "mine"), (3, "mo", "mine"))
    assert bag(t.to_df()) == bag([*ROWS, (3, "mo", "theirs")])


def test_a_token_is_applied_once_whoever_was_first(
    wh: ev.Warehouse, t: ev.Table, other: ev.Warehouse
) -> None:
    row = (3, "mo", "once")
    write_once_at(wh, "write: commit", lambda: append(other.table("t"), row, token="x"))
    assert append(t, row, token="x") == 2
    assert append(t, row, token="x") == 2
    assert bag(t.to_df()) == bag([*ROWS, row])


def test_what_depends_on_the_table_does_not_rebase(
    wh: ev.Warehouse, t: ev.Table, other: ev.Warehouse
) -> None:
    write_once_at(wh, "write: commit", lambda: append(other.table("t"), (3, "mo", "theirs")))
    with refused(CommitConflict, "Run it again"):
        wh.sql("INSERT INTO t SELECT max(id) + 1, 'mo', 'mine' FROM t")
    wh.sql("INSERT INTO t SELECT max(id) + 1, 'mo', 'mine' FROM t")
    assert bag(t.to_df().where("id > 2")) == bag([(3, "mo", "theirs"), (4, "mo", "mine")])
