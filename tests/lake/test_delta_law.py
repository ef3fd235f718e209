"""rows(old) + changes(old, new) = rows(new), for random histories by us and by others."""

from __future__ import annotations

import tempfile
import uuid
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake
from hypothesis import given, settings
from hypothesis import strategies as st

from everview.facts.files import DataFile, Positions, Sign, TableFile
from everview.facts.tables import Commit, Lost, Mark, TableChanges
from everview.lake.delta.table import EmbeddedDelta, EmbeddedTable
from tests.lake.kits import ARROW
from tests.lake.reading import applied, bag_of, check_changes, signed_bag

ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from(["a", "b é/", None])), min_size=1, max_size=4
)
STEPS = st.one_of(
    st.tuples(st.just("append"), ROWS),
    st.tuples(st.just("our append"), ROWS),
    st.tuples(st.just("our update"), ROWS),
    st.tuples(st.just("our mark"), st.tuples(st.integers(0, 6), st.none() | ROWS)),
    st.tuples(st.just("our mark"), st.tuples(st.integers(0, 6), st.none() | ROWS)),
    st.tuples(st.just("our remove"), st.none()),
    st.tuples(st.just("overwrite"), ROWS),
    st.tuples(st.just("merge"), ROWS),
    st.tuples(st.sampled_from(["delete", "update"]), st.integers(0, 4)),
    st.tuples(st.sampled_from(["compact", "our compact", "our watermark"]), st.none()),
    st.tuples(st.just("restore"), st.integers(0, 5)),
)
HIT: Counter[str] = Counter()


def data(rows: list[tuple[int, str | None]]) -> pa.Table:
    return pa.Table.from_pylist([{"k": k, "s": s} for k, s in rows], ARROW)


class History:
    """A table and the operations that random histories consist of."""

    def __init__(self, path: Path, *, feed: bool, partitioned: bool) -> None:
        self.path = path
        configuration = {"delta.enableChangeDataFeed": "true"} if feed else {}
        by = ["s"] if partitioned else None
        write_deltalake(
            path, data([(0, "a"), (1, None)]), configuration=configuration, partition_by=by
        )
        self.table: EmbeddedTable = EmbeddedDelta().open(str(path))
        self.partitioned = partitioned

    def step(self, kind: str, argument: Any) -> None:
        table = DeltaTable(self.path)
        match kind:
            case "append" | "overwrite":
                write_deltalake(self.path, data(argument), mode=kind)
            case "delete":
                table.delete(f"k = {argument}")
            case "update":
                table.update(updates={"k": "k + 1"}, predicate=f"k = {argument}")
            case "compact":
                table.optimize.compact()
            case "restore":
                if argument < table.version():
                    table.restore(argument)
            case "merge":
                self._merge(table, argument)
            case _:
                self._ours(kind, argument)

    def _merge(self, table: DeltaTable, rows: list[tuple[int, str | None]]) -> None:
        source = data(list({k: (k, s) for k, s in rows}.values()))
        merge = table.merge(source, "t.k = u.k", source_alias="u", target_alias="t")
        merge.when_matched_update_all().when_not_matched_insert_all().execute()

    def _ours(self, kind: str, rows: Any) -> None:
        head = self.table.head().version
        files = self.table.snapshot(head).files
        token = uuid.uuid4().hex
        match kind:
            case "our append":
                commit = Commit(head, kind, token, adds=self._write("rows", rows or []))
            case "our update":
                commit = self._update(head, token, rows or [])
            case "our compact":
                everything = pa.concat_tables([self._read(f) for f in files] or [data([])])
                adds = self._write_table("rows", everything)
                commit = Commit(head, kind, token, adds, files, data_change=False)
            case "our mark":
                commit = self._mark(head, token, *rows)
            case "our remove":
                commit = Commit(head, kind, token, removes=files[:1])
            case _:
                commit = Commit(head, kind, token, transactions=(("app", head),))
        assert self.table.commit(commit) == head + 1

    def _mark(
        self, head: int, token: str, seed: int, rows: list[tuple[int, str | None]] | None
    ) -> Commit:
        """Delete rows of one or two files, and perhaps append some."""
        marks = []
        for file in self.table.snapshot(head).files[seed % 2 :][:2]:
            assert isinstance(file, DataFile)
            chosen = Positions(range(seed % 3, file.physical_rows or 0, 2 + seed % 2))
            marks.append(Mark(file, chosen))
        adds = self._write("rows", rows) if rows and not self.partitioned else ()
        return Commit(head, "our mark", token, adds, marks=tuple(marks))

    def _update(self, head: int, token: str, rows: list[tuple[int, str | None]]) -> Commit:
        """Replace the first file by other rows, and say so in change files."""
        removed = self.table.snapshot(head).files[:1]
        minus = self._write_table("minus", pa.concat_tables([self._read(f) for f in removed]))
        adds, plus = self._write("rows", rows), self._write("plus", rows)
        return Commit(head, "our update", token, adds, removed, minus, plus, has_change_files=True)

    def _read(self, file: TableFile) -> pa.Table:
        """The rows of a file that count."""
        assert isinstance(file, DataFile)
        rows = pq.ParquetFile(self.path / file.path).read().select(["k", "s"]).cast(ARROW)
        return rows.filter(pa.array([i not in file.deleted for i in range(rows.num_rows)]))

    def _write(self, part: str, rows: list[tuple[int, str | None]]) -> tuple[Any, ...]:
        return self._write_table(part, data(rows))

    def _write_table(self, part: str, rows: pa.Table) -> tuple[Any, ...]:
        folder = f"data/{uuid.uuid4().hex}/part={part}"
        (self.path / folder).mkdir(parents=True)
        pq.write_table(rows, self.path / folder / "f.parquet")
        return self.table.written(folder)


def counted(changes: TableChanges) -> int:
    """The rows of all the change files, read."""
    whole = (replace(changes, files=(replace(c, sign=Sign.PLUS),)) for c in changes.files)
    return sum(signed_bag(one).total() for one in whole)


def possible(kind: str, history: History) -> bool:
    """Our own steps write one unpartitioned file, and an update needs one to replace."""
    if not kind.startswith("our"):
        return True
    if (
        kind in ("our update", "our remove")
        and not history.table.snapshot(history.table.head().version).files
    ):
        return False
    return not history.partitioned or kind in ("our watermark", "our mark", "our remove")


@pytest.mark.parametrize(
    ("feed", "partitioned"), [(False, False), (True, False), (False, True), (True, True)]
)
def test_changes_of_random_histories(feed: bool, partitioned: bool) -> None:
    @settings(max_examples=12, deadline=None)
    @given(st.lists(STEPS, min_size=3, max_size=6))
    def law(steps: list[tuple[str, Any]]) -> None:
        with tempfile.TemporaryDirectory() as root:
            history = History(Path(root) / "t", feed=feed, partitioned=partitioned)
            for kind, argument in steps:
                if possible(kind, history):
                    history.step(kind, argument)
            head = history.table.head().version
            for old in range(head + 1):
                snapshot = history.table.snapshot(old)
                assert snapshot.rows == bag_of(snapshot).total()
                changes = check_changes(history.table, old, head)
                assert changes.rows in (None, counted(changes))
                HIT.update(way for way, _ in changes.ways)
            for version in range(head):
                check_changes(history.table, version, version + 1)

    law()


def test_the_laws_met_every_way() -> None:
    """The histories above are worth nothing where they never use a way of reading changes."""
    assert set(HIT) >= {
        "appended files",
        "change files",
        "deletion vectors",
        "file difference",
        "no data change",
    }


def test_the_ends_tell_what_the_commits_tell(tmp_path: Path) -> None:
    """With the commit in the middle gone, the other way gives the same rows."""
    history = History(tmp_path / "t", feed=False, partitioned=False)
    steps: list[tuple[str, Any]] = [
        ("our update", [(3, None)]),
        ("append", [(2, "a"), (2, "a")]),
        ("our compact", None),
        ("delete", 2),
        ("our append", [(4, "a")]),
    ]
    for step in steps:
        history.step(*step)
    table = history.table
    before, by_commits = bag_of(table.snapshot(1)), table.changes(1, 5)
    table.checkpoint()
    (tmp_path / f"t/_delta_log/{3:020d}.json").unlink()
    by_ends = table.changes(1, 5)
    assert not isinstance(by_commits, Lost)
    assert not isinstance(by_ends, Lost)
    after = bag_of(table.snapshot(5))
    assert applied(before, by_commits) == applied(before, by_ends) == after
    assert by_commits.ways != by_ends.ways
