"""Tables with deletion vectors of ours, read and written by other projects."""

from __future__ import annotations

import uuid
from importlib.util import find_spec
from pathlib import Path

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, QueryBuilder, write_deltalake
from deltalake.exceptions import DeltaProtocolError

from everview.errors import UnsupportedFeature
from everview.facts.files import DataFile, Positions
from everview.facts.tables import Commit, Mark
from everview.lake.delta.table import EmbeddedDelta, EmbeddedTable
from tests.lake.reading import bag_of, check_changes

ROWS = 3_000
VECTORS = {
    "short, in the log": [3, 4, 2_999],
    "long, in a file": range(0, ROWS, 2),
    "one run": range(100, 2_900),
    "all but one row": range(1, ROWS),
}


@pytest.fixture(params=VECTORS)
def marked(request: pytest.FixtureRequest, tmp_path: Path) -> EmbeddedTable:
    """Two partitions of two files with vectors, and a file without."""
    path = tmp_path / "t"
    for start in (0, 2 * ROWS):
        numbers = range(start, start + 2 * ROWS)
        data = {"k": numbers, "p": ["a"] * ROWS + ["b"] * ROWS}
        write_deltalake(path, pa.table(data), mode="append", partition_by=["p"])
    table = EmbeddedDelta().open(str(path))
    marks = tuple(Mark(f, Positions(VECTORS[request.param])) for f in table.snapshot(1).files)
    table.commit(Commit(1, "DELETE", "d", marks=marks))
    write_deltalake(path, pa.table({"k": [-1], "p": ["a"]}), mode="append")
    return table


def expected(table: EmbeddedTable) -> list[int]:
    counted = bag_of(table.snapshot(table.head().version))
    return sorted(int(k) for (k, _), n in counted.items() for _ in range(n))


def by_deltalake(path: str) -> list[int]:
    rows = QueryBuilder().register("t", DeltaTable(path)).execute("SELECT k FROM t ORDER BY k")
    return list(pa.table(rows.read_all())["k"].to_pylist())


def by_duckdb(path: str) -> list[int]:
    package = find_spec("duckdb_extension_delta")
    assert package is not None
    assert package.submodule_search_locations
    folder = package.submodule_search_locations[0]
    duck = duckdb.connect(config={"threads": 1})
    duck.execute(f"LOAD '{folder}/extensions/v{duckdb.__version__}/delta.duckdb_extension'")
    return [k for (k,) in duck.execute(f"SELECT k FROM delta_scan('{path}') ORDER BY k").fetchall()]


def by_polars(path: str) -> list[int]:
    return list(polars.scan_delta(path).collect()["k"].sort().to_list())


def check_readers(table: EmbeddedTable) -> None:
    rows = expected(table)
    assert by_deltalake(table.uri) == rows
    assert by_duckdb(table.uri) == rows
    assert by_polars(table.uri) == rows


def test_others_read_the_rows_that_are_left(marked: EmbeddedTable) -> None:
    check_readers(marked)


def test_the_arrow_reader_of_deltalake_refuses_by_name(marked: EmbeddedTable) -> None:
    with pytest.raises(DeltaProtocolError, match="deletionVectors"):
        DeltaTable(marked.uri).to_pyarrow_table()


def test_deltalake_goes_on_writing(marked: EmbeddedTable) -> None:
    table = DeltaTable(marked.uri)
    table.create_checkpoint()
    write_deltalake(table, pa.table({"k": [-2, -3], "p": ["c", "a"]}), mode="append")
    check_readers(marked)
    table.delete("k = -2")
    table.update(updates={"k": "k - 1"}, predicate="k < 0")
    table.optimize.compact()
    check_readers(marked)
    head = marked.head().version
    for old in range(head):
        check_changes(marked, old, head)


def test_marks_beside_the_writes_of_deltalake(marked: EmbeddedTable) -> None:
    DeltaTable(marked.uri).create_checkpoint()
    head = marked.head().version
    first = marked.snapshot(head).files[0]
    assert isinstance(first, DataFile)
    left = sorted(set(range(first.physical_rows or 0)) - set(first.deleted))
    marked.commit(Commit(head, "DELETE", "more", marks=(Mark(first, Positions(left[:1])),)))
    check_readers(marked)
    check_changes(marked, head, head + 1)


def rewrite_all(table: EmbeddedTable) -> None:
    """What OPTIMIZE does: the live rows in files without vectors."""
    base = table.head().version
    snapshot = table.snapshot(base)
    folder = f"data/{uuid.uuid4().hex}"
    for part in ("a", "b"):
        keys = [int(k) for (k, p), _ in bag_of(snapshot).items() if p == repr(part)]
        target = Path(table.uri) / folder / f"p={part}"
        target.mkdir(parents=True)
        pq.write_table(pa.table({"k": pa.array(keys, pa.int64())}), target / "f.parquet")
    adds, removes = table.written(folder), snapshot.files
    table.commit(Commit(base, "OPTIMIZE", uuid.uuid4().hex, adds, removes, data_change=False))


def test_a_rewritten_table_opens_to_every_reader_once_its_log_names_no_vector(
    marked: EmbeddedTable,
) -> None:
    rows = expected(marked)
    rewrite_all(marked)
    check_readers(marked)
    head = marked.head().version
    with pytest.raises(UnsupportedFeature, match=r"version 2 .*names deletion vectors"):
        marked.drop_vectors(head, "drop")
    marked.checkpoint()
    for version in range(head):
        (Path(marked.uri) / f"_delta_log/{version:020d}.json").unlink()
    with pytest.raises(UnsupportedFeature, match=r"names deletion vectors"):
        marked.drop_vectors(head, "drop")
    forget_tombstones(marked)
    assert marked.drop_vectors(head, "drop") == head + 1
    protocol = DeltaTable(marked.uri).protocol()
    assert (protocol.min_reader_version, protocol.min_writer_version) == (1, 2)
    assert "delta.enableDeletionVectors" not in marked.head().properties
    assert sorted(DeltaTable(marked.uri).to_pyarrow_table()["k"].to_pylist()) == rows
    assert check_changes(marked, head, head + 1).empty
    check_readers(marked)


def forget_tombstones(table: EmbeddedTable) -> None:
    """As after the retention: another checkpoint and the log from there, without removed files."""
    head = table.head().version
    log = Path(table.uri) / "_delta_log"
    (log / f"{head:020d}.json").unlink()
    path = log / f"{head:020d}.checkpoint.parquet"
    rows = pq.read_table(path)
    pq.write_table(rows.filter(pa.compute.is_null(rows["remove"])), path)
