"""Commits that write deletion vectors: what the log says after them, and what they survive."""

from __future__ import annotations

import json
import time
import uuid
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from everview.errors import CommitFailed, UnsupportedFeature
from everview.facts.files import DataFile, Positions, Sign
from everview.facts.tables import Changes, Commit, Mark
from everview.lake.delta import commit_file, marks
from everview.lake.delta.table import EmbeddedDelta, EmbeddedTable
from tests.lake.reading import bag_of, check_changes
from tests.lake.vectors import VectorTable

FEW = Positions([1, 5])
MANY = Positions(range(0, 10_000, 3))


@pytest.fixture
def table(tmp_path: Path) -> EmbeddedTable:
    return made(tmp_path / "t")


def made(path: Path, rows: int = 10_000, **options: Any) -> EmbeddedTable:
    """Version 0: one file of the numbers from 0."""
    names = pa.array([f"é{i % 7}" for i in range(rows)], pa.string())
    data = {"k": pa.array(range(rows), pa.int64()), "s": names}
    write_deltalake(path, pa.table(data), **options)
    return EmbeddedDelta().open(str(path))


def only_file(table: EmbeddedTable) -> DataFile:
    (file,) = table.snapshot(table.head().version).files
    assert isinstance(file, DataFile)
    return file


def mark(table: EmbeddedTable, rows: Positions, **more: Any) -> int:
    base = table.head().version
    marked = (Mark(only_file(table), rows),)
    return table.commit(Commit(base, "DELETE", uuid.uuid4().hex, marks=marked, **more))


def actions(table: EmbeddedTable, version: int, kind: str) -> list[dict[str, Any]]:
    text = (Path(table.uri) / f"_delta_log/{version:020d}.json").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    return [line[kind] for line in lines if kind in line]


def vector_files(table: EmbeddedTable) -> set[str]:
    return {p.name for p in (Path(table.uri) / "_dv").glob("*")}


# what the log says


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


# changes


def signs(changes: Changes) -> list[tuple[Sign, str, int | None]]:
    return [
        (c.sign, c.file.selection.kind if c.file.selection else "whole", c.file.rows)
        for c in changes.files
        if isinstance(c.file, DataFile)
    ]


def test_marks_of_several_commits_are_one_selection(table: EmbeddedTable) -> None:
    mark(table, FEW)
    mark(table, MANY)
    changes = check_changes(table, 0, 2)
    assert signs(changes) == [(Sign.MINUS, "only", len(FEW | MANY))]
    assert changes.ways == (("deletion vectors", 2),)
    assert signs(check_changes(table, 1, 2)) == [(Sign.MINUS, "only", len(MANY - FEW))]
    assert check_changes(table, 0, 2).delete_only


def test_a_compaction_after_marks_is_no_change(table: EmbeddedTable) -> None:
    mark(table, MANY)
    DeltaTable(table.uri).optimize.compact()
    compacted = table.head().version
    base = table.snapshot(compacted)
    if compacted == 1:  # one file alone is not compacted by the library
        rewrite(table, data_change=False)
        base = table.snapshot(2)
    assert base.rows == 10_000 - len(MANY)
    changes = check_changes(table, 0, base.version)
    assert signs(changes) == [(Sign.MINUS, "only", len(MANY))]
    assert all(f.deleted == Positions() for f in base.files if isinstance(f, DataFile))


def rewrite(table: EmbeddedTable, *, data_change: bool) -> None:
    """The live rows of the table in one new file."""
    base = table.head().version
    snapshot = table.snapshot(base)
    kept = [(eval(k), eval(s)) for (k, s), n in bag_of(snapshot).items() for _ in range(n)]
    folder = f"data/{uuid.uuid4().hex}"
    (Path(table.uri) / folder).mkdir(parents=True)
    data = pa.table({"k": pa.array([k for k, _ in kept], pa.int64()), "s": [s for _, s in kept]})
    pa.parquet.write_table(data, Path(table.uri) / folder / "f.parquet")
    adds, removes = table.written(folder), snapshot.files
    table.commit(Commit(base, "OPTIMIZE", uuid.uuid4().hex, adds, removes, data_change=data_change))


def test_a_file_marked_and_removed_is_removed_as_it_was_before(table: EmbeddedTable) -> None:
    mark(table, FEW)
    table.commit(Commit(1, "DELETE", "all", removes=table.snapshot(1).files))
    assert table.snapshot(2).files == ()
    assert signs(check_changes(table, 0, 2)) == [(Sign.MINUS, "whole", 10_000)]
    assert signs(check_changes(table, 1, 2)) == [(Sign.MINUS, "without", 9_998)]


def test_a_restore_brings_marked_rows_back(table: EmbeddedTable) -> None:
    mark(table, FEW)
    rewrite(table, data_change=False)
    mark(table, MANY & Positions(range(9_000)))
    DeltaTable(table.uri).restore(0)
    for old in range(4):
        check_changes(table, old, 4)
    assert bag_of(table.snapshot(4)) == bag_of(table.snapshot(0))


def test_changes_are_told_by_the_ends_where_a_vector_between_is_gone(table: EmbeddedTable) -> None:
    mark(table, MANY)
    mark(table, Positions(range(1, 9_999, 2)))
    between = actions(table, 1, "add")[0]["deletionVector"]
    (name,) = [
        p
        for p in (Path(table.uri) / "_dv").iterdir()
        if p.stat().st_size == between["sizeInBytes"] + 9
    ]
    name.unlink()
    changes = check_changes(table, 0, 2)
    assert changes.ways == (("file difference", 2),)
    assert "vacuumed" in getattr(table.changes(1, 2), "reason", "")


def test_marks_go_on_from_a_checkpoint(tmp_path: Path) -> None:
    table = made(tmp_path / "t", partition_by=["s"])
    base = table.snapshot(0)
    first = base.files[0]
    table.commit(Commit(0, "D", "1", marks=tuple(Mark(f, FEW) for f in base.files)))
    table.checkpoint()
    table.commit(Commit(1, "D", "2", marks=(Mark(first, Positions([9])),)))
    table.checkpoint()
    for version in range(2):
        (tmp_path / f"t/_delta_log/{version:020d}.json").unlink()
    table.commit(Commit(2, "D", "3", marks=(Mark(first, Positions([10])),)))
    assert [f.deleted for f in table.snapshot(3).files if isinstance(f, DataFile)] == [
        FEW | Positions([9, 10] if f.path == first.path else []) for f in base.files
    ]
    (add,) = actions(table, 3, "add")
    assert json.loads(add["stats"])["numRecords"] == first.rows
    assert add["partitionValues"] == dict(first.partition)
    check_changes(table, 2, 3)


# faults and leftovers


class Died(Exception):
    """The process ends here."""


@pytest.mark.parametrize("lands", [False, True])
@pytest.mark.parametrize("place", ["vectors", "commit"])
def test_a_death_leaves_the_old_or_the_new_rows(
    table: EmbeddedTable, monkeypatch: pytest.MonkeyPatch, place: str, lands: bool
) -> None:
    """Before and after each file that a commit with vectors puts."""
    module = marks if place == "vectors" else commit_file
    put = module.put_if_absent

    def dying(*args: Any) -> None:
        if lands:
            put(*args)
        raise Died(place)

    with monkeypatch.context() as patch:
        patch.setattr(module, "put_if_absent", dying)
        if (place, lands) == ("commit", True):
            assert mark(table, MANY) == 1, "it is found by its token"
        else:
            with pytest.raises(CommitFailed, match=place):
                mark(table, MANY)
    landed = table.head().version
    assert bag_of(table.snapshot(landed)).total() == 10_000 - landed * len(MANY)
    if not landed:
        mark(table, MANY)
    live = actions(table, 1, "add")[0]["deletionVector"]["cardinality"]
    assert live == len(MANY)
    time.sleep(0.01)
    table.vacuum(0, dry_run=False)
    assert len(vector_files(table)) == 1, "the leftover is gone, the vector in use is not"
    assert bag_of(table.snapshot(1)).total() == 10_000 - len(MANY)


def test_vacuum_keeps_the_vectors_of_versions_within_the_retention(table: EmbeddedTable) -> None:
    mark(table, MANY)
    mark(table, Positions(range(1, 9_999, 2)))
    assert len(vector_files(table)) == 2
    assert table.vacuum(1, dry_run=False) == ()
    check_changes(table, 1, 2)
    time.sleep(0.01)
    doomed = table.vacuum(0, dry_run=True)
    assert len(doomed) == 1
    table.checkpoint()
    (Path(table.uri) / f"_delta_log/{1:020d}.json").unlink()
    assert table.vacuum(0, dry_run=False) == doomed
    assert len(vector_files(table)) == 1
    assert bag_of(table.snapshot(2)).total() == table.snapshot(2).rows
    rewrite(table, data_change=False)
    time.sleep(0.01)
    table.vacuum(0, dry_run=False)
    assert vector_files(table) == set()


def test_vacuum_keeps_the_vectors_of_other_writers(table: EmbeddedTable) -> None:
    """They lie at the root, where the library takes them for files that nobody needs."""
    mark(table, MANY)
    (ours,) = (Path(table.uri) / "_dv").iterdir()
    theirs = ours.rename(Path(table.uri) / ours.name)
    path = Path(table.uri) / f"_delta_log/{1:020d}.json"
    path.write_text(path.read_text().replace('"pathOrInlineDv": "_dv', '"pathOrInlineDv": "'))
    assert table.snapshot(1).rows == 10_000 - len(MANY)
    assert theirs.name in DeltaTable(table.uri).vacuum(
        0, dry_run=True, enforce_retention_duration=False, full=True
    )
    table.vacuum(0, dry_run=False)
    assert theirs.exists()


# vectors of other writers


def test_rows_are_marked_beside_vectors_of_another_writer(tmp_path: Path) -> None:
    table = made(tmp_path / "t")
    foreign = VectorTable(tmp_path / "t")
    foreign.delete(foreign.files()[0], {2, 70})
    mark(table, FEW)
    assert only_file(table).deleted == Positions([1, 2, 5, 70])
    rewrite(table, data_change=False)
    assert table.snapshot(3).rows == 9_996
    for old in range(3):
        check_changes(table, old, 3)
