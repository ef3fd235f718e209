"""Commits that write deletion vectors: what the log says after them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from everview.errors import CommitFailed, UnsupportedFeature
from everview.facts.files import DataFile, Positions
from everview.facts.tables import Commit, Mark
from everview.lake.delta import marks
from everview.lake.delta.table import EmbeddedTable
from tests.lake.marking import FEW, MANY, actions, made, mark, only_file, vector_files
from tests.lake.reading import bag_of, check_changes


@pytest.fixture
def table(tmp_path: Path) -> EmbeddedTable:
    return made(tmp_path / "t")


def test_the_log_has_the_file_removed_as_it_was_and_added_as_it_is(table: EmbeddedTable) -> None:
    mark(table, FEW)
    mark(table, MANY)
    (first,) = actions(table, 1, "add")
    (remove,) = actions(table, 2, "remove")
    (add,) = actions(table, 2, "add")
    assert "deletionVector" not in actions(table, 1, "remove")[0]
    assert remove["path"] == add["path"] == first["path"] == actions(table, 0, "add")[0]["path"]
    assert remove["deletionVector"] == first["deletionVector"]
    assert first["deletionVector"]["storageType"] == "i"
    assert add["deletionVector"]["storageType"] == "u"
    assert add["deletionVector"]["cardinality"] == len(FEW | MANY)
    before, after = json.loads(actions(table, 0, "add")[0]["stats"]), json.loads(add["stats"])
    assert after == {**before, "tightBounds": False}
    assert remove["dataChange"] is add["dataChange"] is True
    assert len(vector_files(table)) == 1


def test_rows_of_a_file_are_counted_both_ways(table: EmbeddedTable) -> None:
    mark(table, MANY)
    file = only_file(table)
    assert file.deleted == MANY
    assert (file.rows, file.physical_rows) == (10_000 - len(MANY), 10_000)
    assert (file.bounds_of("k").low, file.bounds_of("k").high) == (0, 9_999)
    assert table.snapshot(1).rows == file.rows


def test_rows_that_are_deleted_already_are_no_change(table: EmbeddedTable) -> None:
    mark(table, FEW)
    mark(table, FEW, transactions=(("app", 1),))
    assert actions(table, 2, "add") == actions(table, 2, "remove") == []
    assert check_changes(table, 1, 2).empty
    assert table.transaction("app") == 1


@pytest.mark.parametrize("rows", [range(10_000), range(1, 10_000)])
def test_long_runs_of_rows_are_short_vectors(table: EmbeddedTable, rows: range) -> None:
    mark(table, Positions(rows))
    assert bag_of(table.snapshot(1)).total() == 10_000 - len(rows)
    assert [a["deletionVector"]["storageType"] for a in actions(table, 1, "add")] in ([], ["i"])


def test_a_commit_of_many_vectors_writes_one_file(tmp_path: Path) -> None:
    table = made(tmp_path / "t", 0)
    for start in range(0, 400, 10):
        data = {"k": range(start, start + 10), "s": ["x"] * 10}
        write_deltalake(table.uri, pa.table(data), mode="append")
    base = table.head().version
    each = tuple(Mark(file, Positions([3])) for file in table.snapshot(base).files)
    table.commit(Commit(base, "DELETE", "few", marks=each))
    assert vector_files(table) == set()
    assert table.snapshot(base + 1).rows == 360
    wide = made(tmp_path / "wide")
    for _ in range(3):
        write_deltalake(wide.uri, pa.table({"k": range(9_999), "s": ["x"] * 9_999}), mode="append")
    each = tuple(Mark(file, Positions(range(0, 9_000, 2))) for file in wide.snapshot(3).files)
    wide.commit(Commit(3, "DELETE", "many", marks=each))
    assert len(vector_files(wide)) == 1
    assert all(f.deleted == Positions(range(0, 9_000, 2)) for f in wide.snapshot(4).files)
    assert check_changes(wide, 3, 4).rows == 4 * 4_500


# protocol


def protocol(table: EmbeddedTable) -> tuple[int, int, set[str], set[str]]:
    known = DeltaTable(table.uri).protocol()
    read, written = set(known.reader_features or ()), set(known.writer_features or ())
    return known.min_reader_version, known.min_writer_version, read, written


def test_the_first_vector_raises_the_protocol(table: EmbeddedTable) -> None:
    assert protocol(table)[:2] == (1, 2)
    head = table.head()
    mark(table, FEW)
    vectors = {"deletionVectors"}
    assert protocol(table) == (3, 7, vectors, {*vectors, "appendOnly", "invariants"})
    after = table.head()
    assert after.id == head.id
    assert after.properties == {**head.properties, "delta.enableDeletionVectors": "true"}
    mark(table, MANY)
    assert actions(table, 2, "protocol") == actions(table, 2, "metaData") == []


@pytest.mark.parametrize(
    ("reader", "writer", "implied"),
    [
        (1, 3, {"checkConstraints"}),
        (1, 4, {"checkConstraints", "changeDataFeed", "generatedColumns"}),
        (2, 5, {"checkConstraints", "changeDataFeed", "generatedColumns", "columnMapping"}),
    ],
)
def test_what_an_older_protocol_asked_for_is_still_asked(
    table: EmbeddedTable, reader: int, writer: int, implied: set[str]
) -> None:
    log(table, {"protocol": {"minReaderVersion": reader, "minWriterVersion": writer}})
    mark(table, FEW)
    read = {"deletionVectors", *({"columnMapping"} if reader == 2 else ())}
    written = {"deletionVectors", "appendOnly", "invariants", *implied}
    assert protocol(table) == (3, 7, read, written)
    assert table.snapshot(2).rows == 10_000 - len(FEW)


def log(table: EmbeddedTable, action: dict[str, Any]) -> None:
    """A commit of another writer."""
    version = table.head().version + 1
    path = Path(table.uri) / f"_delta_log/{version:020d}.json"
    path.write_text(json.dumps(action) + "\n")


def test_what_forbids_marks_is_told_before(tmp_path: Path) -> None:
    frozen = made(tmp_path / "a", configuration={"delta.appendOnly": "true"})
    forbidden = made(tmp_path / "b", configuration={"delta.enableDeletionVectors": "false"})
    counted = made(tmp_path / "c")
    identity = {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["identityColumns"]}
    log(counted, {"protocol": identity})
    for table, why in [
        (frozen, "append-only"),
        (forbidden, "enableDeletionVectors = false"),
        (counted, "identityColumns"),
    ]:
        head = table.head().version
        assert why in table.why_not_mark()
        with pytest.raises(UnsupportedFeature, match=why):
            mark(table, FEW)
        assert table.head().version == head


def test_marks_that_contradict_the_commit_are_refused(table: EmbeddedTable) -> None:
    file = only_file(table)
    once = Mark(file, FEW)
    for wrong in (
        Commit(0, "X", "1", marks=(once, once)),
        Commit(0, "X", "2", marks=(once,), removes=(file,)),
        Commit(0, "X", "3", marks=(once,), data_change=False),
    ):
        with pytest.raises(ValueError, match="mark"):
            table.commit(wrong)
    with pytest.raises(CommitFailed, match="row 10000 is marked"):
        mark(table, Positions([10_000]))
    with pytest.raises(CommitFailed, match="has no file"):
        table.commit(Commit(0, "X", "4", marks=(Mark(DataFile("gone.parquet", 1), FEW),)))
    assert table.head().version == 0


def test_statistics_keep_every_digit() -> None:
    stats = (
        ' {"numRecords" : 3, "minValues":{"d":1.10,"tightBounds":true,"x":"a\\"}\\u2028"},"n":{}} '
    )
    assert marks.loosened(stats, 3) == (
        '{"numRecords":3,"minValues":{"d":1.10,"tightBounds":true,"x":"a\\"}\\u2028"},"n":{},'
        '"tightBounds":false}'
    )
    assert marks.loosened(None, 2) == '{"numRecords":2,"tightBounds":false}'
    assert marks.loosened('{"tightBounds":true}', 2) == '{"tightBounds":false,"numRecords":2}'


def test_a_file_without_statistics_is_counted_by_its_footer(table: EmbeddedTable) -> None:
    path = Path(table.uri) / f"_delta_log/{0:020d}.json"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        line.get("add", {}).pop("stats", None)
    path.write_text("\n".join(map(json.dumps, lines)))
    mark(table, FEW)
    assert json.loads(actions(table, 1, "add")[0]["stats"])["numRecords"] == 10_000
    assert only_file(table).rows == 9_998
