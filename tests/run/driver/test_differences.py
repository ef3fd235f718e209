"""The difference of two sets of files against that of their rows as counted bags."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from everview.facts.files import ChangeFile, DataFile, InlineFile, Positions, RowSelection, Sign
from everview.facts.schema import Field, Schema
from everview.facts.tables import TableChanges
from everview.run.driver import net_changes as module
from everview.run.driver.net_changes import net_changes

ARRAY = '{"containsNull":true,"elementType":"double","type":"array"}'
SCHEMA = Schema(
    (
        Field("k", "long"),
        Field("s", "string"),
        Field("d", "decimal(10,2)"),
        Field("f", "double"),
        Field("a", ARRAY),
        Field("p", "date"),
    )
)
INSIDE = pa.schema(
    [
        ("k", pa.int64()),
        ("s", pa.string()),
        ("d", pa.decimal128(10, 2)),
        ("f", pa.float64()),
        ("a", pa.list_(pa.float64())),
    ]
)
DAYS = (None, "2026-01-01", "1500-03-01")


def drawn_row(random_: random.Random) -> tuple[Any, ...]:
    return (
        random_.choice([None, 1, 2, 3, 4]),
        random_.choice([None, "", "a"]),
        random_.choice([None, Decimal("7.00")]),
        random_.choice([None, 0.0, -0.0, float("nan")]),
        random_.choice([None, [], [-0.0], [0.0], [float("nan"), None]]),
    )


class Folder:
    """Files of changes, and the rows in them that count, with their signs."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.files: list[ChangeFile] = []
        self.rows: Counter[str] = Counter()

    def write(
        self,
        sign: Sign,
        rows: list[tuple[Any, ...]],
        selection: RowSelection | None = None,
        day: str | None = None,
    ) -> None:
        name = f"{len(self.files):03}"
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(INSIDE)
        arrays = [pa.array(c, f.type) for c, f in zip(columns, INSIDE, strict=True)]
        pq.write_table(pa.table(arrays, schema=INSIDE), self._path / name)
        counting = [r for i, r in enumerate(rows) if _counts(i, selection)]
        file = DataFile(name, 100, len(counting), (("p", day),), selection=selection)
        self.files.append(ChangeFile(file, sign))
        parsed = None if day is None else datetime.date.fromisoformat(day)
        for row in counting:
            self.rows[repr((*row, parsed))] += 1 if sign is Sign.PLUS else -1

    def open(self, name: str) -> pa.NativeFile:
        return pa.OSFile(str(self._path / name))

    def net(self, names: tuple[str, ...] = SCHEMA.names) -> TableChanges | None:
        changes = TableChanges("id", "uri", 1, 2, SCHEMA, tuple(self.files))
        return net_changes(changes, names, self.open)


def _counts(place: int, selection: RowSelection | None) -> bool:
    if selection is None:
        return True
    return (place in selection.rows) == (selection.kind == "only")


def inline(changes: TableChanges) -> Counter[str]:
    found: Counter[str] = Counter()
    for change in changes.files:
        assert isinstance(change.file, InlineFile)
        for row in change.file.values:
            found[repr(row)] += 1 if change.sign is Sign.PLUS else -1
    return found


def net(rows: Counter[str]) -> dict[str, int]:
    return {row: n for row, n in rows.items() if n}


@pytest.mark.parametrize("seed", range(150))
def test_netting_keeps_the_sum_of_the_signed_rows(tmp_path: Path, seed: int) -> None:
    random_ = random.Random(seed)
    folder = Folder(tmp_path)
    before = [drawn_row(random_) for _ in range(random_.choice([0, 1, 40]))]
    after = [r if random_.random() < 0.9 else drawn_row(random_) for r in before]
    after += [drawn_row(random_) for _ in range(random_.choice([0, 0, 3]))]
    match seed % 3:
        case 1:
            random_.shuffle(after)
        case 2 if after:
            after.insert(random_.randrange(len(after)), drawn_row(random_))
    for sign, rows in ((Sign.MINUS, before), (Sign.PLUS, after)):
        half = len(rows) // 2
        day = random_.choice(DAYS) if seed % 5 == 0 else DAYS[1]
        some = Positions(i for i in range(half) if random_.random() < 0.1)
        folder.write(sign, rows[:half], RowSelection(some, "without"), day)
        folder.write(sign, rows[half:], None, DAYS[1])
    found = folder.net()
    if found is None:
        total = sum(c.file.rows or 0 for c in folder.files)
        assert 2 * sum(map(abs, net(folder.rows).values())) > total
        return
    left = inline(found)
    assert net(left) == net(folder.rows)
    assert sum(map(abs, left.values())) == found.rows, "a row is among those that go and come"


def test_nothing_is_left_of_equal_rows_in_another_order(tmp_path: Path) -> None:
    rows = [drawn_row(random.Random(seed)) for seed in range(200)]
    folder = Folder(tmp_path)
    folder.write(Sign.MINUS, rows)
    folder.write(Sign.PLUS, rows[::-1])
    found = folder.net()
    assert found is not None
    assert found.empty


def test_only_the_columns_that_count_are_compared(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write(Sign.MINUS, [(i, "a", None, 0.0, None) for i in range(9)])
    folder.write(Sign.PLUS, [(i, "b" if i else "c", None, i / 2, None) for i in range(9)])
    found = folder.net(("k",))
    assert found is not None
    assert found.empty
    assert found.schema.names == ("k",)
    assert folder.net(("k", "s")) is None, "all rows stay"


def test_many_rows_that_stay_are_read_where_they_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_NETTED_ROWS", 1)
    folder = Folder(tmp_path)
    before = [(i, "a", None, 0.0, None) for i in range(10)]
    folder.write(Sign.MINUS, before, RowSelection(Positions([0]), "without"))
    folder.write(Sign.PLUS, [*before[2:], (10, "b", None, None, None)])
    found = folder.net()
    assert found is not None
    assert [(c.sign, c.file.rows) for c in found.files] == [(Sign.MINUS, 1), (Sign.PLUS, 1)]
    files = [c.file for c in found.files]
    assert [f.path for f in files] == ["000", "001"]
    chosen = [f.selection for f in files if isinstance(f, DataFile)]
    assert chosen == [RowSelection(Positions([1]), "only"), RowSelection(Positions([8]), "only")]


def test_a_feed_stays_as_it_is(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write(Sign.MINUS, [(1, "a", None, None, None)])
    folder.write(Sign.PLUS, [(1, "a", None, None, None)])
    feed = ChangeFile(DataFile("feed", 10, 1), Sign.FEED)
    folder.files.append(feed)
    found = folder.net()
    assert found is not None
    assert found.files == (feed,)


def _one_of_each(folder: Folder, path: Path, table: pa.Table, **options: Any) -> None:
    for sign, name in ((Sign.MINUS, "before"), (Sign.PLUS, "after")):
        pq.write_table(table, path / name, **options)
        folder.files.append(ChangeFile(DataFile(name, 10, table.num_rows), sign))


def test_what_spark_may_read_otherwise_is_left_to_it(tmp_path: Path) -> None:
    rows = {"k": pa.array([1, 2])}
    for table in (
        pa.table({"K": rows["k"]}),
        pa.table(rows, metadata={"org.apache.spark.legacyDateTime": ""}),
        pa.table({"k": pa.array(["no number", "x"])}),
    ):
        folder = Folder(tmp_path)
        _one_of_each(folder, tmp_path, table.replace_schema_metadata(table.schema.metadata))
        assert folder.net(("k",)) is None, table.schema
    folder = Folder(tmp_path)
    _one_of_each(folder, tmp_path, pa.table(rows))
    found = folder.net(("k",))
    assert found is not None
    assert found.empty


def test_moments_in_the_old_form_are_the_same_moments(tmp_path: Path) -> None:
    moment = datetime.datetime(9000, 1, 1, tzinfo=datetime.UTC)
    schema = Schema((Field("t", "timestamp"),))
    files = []
    for sign, name, old in ((Sign.MINUS, "before", True), (Sign.PLUS, "after", False)):
        table = pa.table({"t": pa.array([moment], pa.timestamp("us", "UTC"))})
        pq.write_table(table, tmp_path / name, use_deprecated_int96_timestamps=old)
        files.append(ChangeFile(DataFile(name, 10, 1), sign))
    changes = TableChanges("id", "uri", 1, 2, schema, tuple(files))
    found = net_changes(changes, ("t",), lambda name: pa.OSFile(str(tmp_path / name)))
    assert found is not None
    assert found.empty
