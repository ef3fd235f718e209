"""Views that are refreshed often: their files stay few, their rows right."""

from __future__ import annotations

import uuid
from itertools import count

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import everview as ev
from everview.choose import compaction
from everview.facts.files import DataFile, Positions
from everview.facts.receipts import Receipt
from everview.facts.tables import Commit, Mark, Snapshot
from everview.run.driver import way
from everview.run.faults import COMPACT_PLACE
from everview.run.refresh import compact

LARGE = "SELECT id, city, amount FROM sales WHERE amount >= 0"
BY_CITY = "SELECT city, count(*) AS n, sum(amount) AS total FROM large GROUP BY city"
FEW = 4


@pytest.fixture
def narrow(wh: ev.Warehouse, sales: ev.Table, monkeypatch: pytest.MonkeyPatch) -> ev.View:
    """A view whose rows are marked however small its files are, and compacted soon."""
    monkeypatch.setattr(way, "MOST_REWRITTEN", 0)
    monkeypatch.setattr(compaction, "MOST_SMALL", FEW)
    return wh.create_materialized_view("large", LARGE, policy="INCREMENTAL")


def _at_head(handle: ev.Table | ev.View) -> Snapshot:
    table = handle._world.open(handle._entry)
    return table.snapshot(table.head().version)


def _change(sales: ev.Table, number: int) -> None:
    """A row comes, and now and then one of the largest file goes: written without Spark."""
    table, snapshot = sales._world.open(sales._entry), _at_head(sales)
    token = uuid.uuid4().hex
    row = pa.table({"id": [number], "city": [f"City {number % 3}"], "amount": [number]})
    with table.create_file(f"data/{token}/0.parquet") as stream:
        pq.write_table(row, stream)
    live = (f for f in snapshot.files if isinstance(f, DataFile))
    largest = max(live, key=lambda f: (f.rows or 0, f.path))
    first = next(i for i in count() if i not in largest.deleted)
    gone = number % 3 == 0
    adds = table.written(f"data/{token}")
    marks = (Mark(largest, Positions([first])),) if gone else ()
    table.commit(Commit(snapshot.version, "WRITE", token, adds=adds, marks=marks))


def test_files_stay_few_over_many_narrow_refreshes(
    wh: ev.Warehouse, sales: ev.Table, narrow: ev.View
) -> None:
    above = wh.create_materialized_view("by_city", BY_CITY, policy="INCREMENTAL")
    receipts = []
    for number in range(100, 160):
        _change(sales, number)
        receipts.append(narrow.refresh())
        assert len(_at_head(narrow).files) <= FEW
        if number % 20 == 19:
            assert not above.refresh().is_full
            assert above.verify().outcome == "exact"
    assert narrow.verify().outcome == "exact"
    done = [r for r in receipts if r.compacted is not None]
    assert len(done) > 5
    assert not any(r.is_full for r in receipts)
    assert "compacted 5 files into 1" in str(done[0])
    assert Receipt.from_dict(done[0].to_dict()) == done[0]
    operations = [c.metadata.get("operation") for c in _history(narrow)]
    assert operations.count("OPTIMIZE") == len(done)
    assert narrow.refresh().way.is_skipped


def _history(view: ev.View):  # type: ignore[no-untyped-def]
    return view._world.open(view._entry).history()


def test_a_compaction_that_fails_fails_no_refresh(
    wh: ev.Warehouse, sales: ev.Table, narrow: ev.View, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = []

    def probe(place: str) -> None:
        if place == COMPACT_PLACE:
            reached.append(place)
            raise RuntimeError("no room on the disk")

    monkeypatch.setattr(wh._world, "probe", probe)
    for number in range(100, 106):
        _change(sales, number)
        assert narrow.refresh().compacted is None
    assert reached
    monkeypatch.undo()
    monkeypatch.setattr(compaction, "MOST_SMALL", FEW)
    monkeypatch.setattr(compact, "MOST_BY_DRIVER", 0)  # so Spark does it
    _change(sales, 106)
    receipt = narrow.refresh()
    assert receipt.compacted is not None
    assert len(_at_head(narrow).files) <= FEW
    assert narrow.verify().outcome == "exact"
