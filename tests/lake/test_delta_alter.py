"""New columns and properties: one commit each, of a table that goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from deltalake.table import TableAlterer

from everview.errors import CommitConflict, CommitFailed, UnsupportedType
from everview.facts.schema import Field, Schema
from everview.facts.tables import Commit
from everview.lake.delta.table import EmbeddedDelta, EmbeddedTable
from tests.lake.kits import SCHEMA, DeltaKit, StorageBroken
from tests.lake.reading import bag_of, check_changes

NOTE = Schema((Field("note", "string"),))


@pytest.fixture
def kit(tmp_path: Path) -> DeltaKit:
    return DeltaKit(tmp_path)


@pytest.fixture
def table(kit: DeltaKit) -> EmbeddedTable:
    found = kit.lake.create(kit.uri(), SCHEMA, (), {"mine": "1"})
    found.commit(Commit(0, "INSERT", "a", adds=(kit.write_rows(found, [(1, "a")]),)))
    return found


def test_columns_come_at_the_end(kit: DeltaKit, table: EmbeddedTable) -> None:
    assert table.add_columns(NOTE, 1, "t") == 2
    assert table.snapshot(2).schema.names == ("k", "s", "note")
    assert table.snapshot(1).schema.names == ("k", "s")
    assert table.find_token("t", 1) == 2
    table.commit(Commit(2, "INSERT", "b", adds=(kit.write_rows(table, [(2, "b")]),)))
    assert sum(bag_of(table.snapshot(3)).values()) == 2
    check_changes(table, 0, 3)
    assert [c.operation for c in table.history(2)] == ["INSERT", "ADD COLUMNS"]
    assert not table.history(2)[1].data_change


def test_properties_are_set_and_others_stay(table: EmbeddedTable) -> None:
    assert table.set_properties({"other": "2"}, 1, "t") == 2
    assert {"mine": "1", "other": "2"}.items() <= table.head().properties.items()
    assert table.snapshot(2).schema == SCHEMA


def test_who_is_second_is_told_so(table: EmbeddedTable) -> None:
    table.add_columns(NOTE, 1, "t")
    with pytest.raises(CommitConflict):
        table.add_columns(Schema((Field("more", "string"),)), 1, "u")
    with pytest.raises(CommitConflict):
        table.set_properties({"a": "b"}, 1, "u")
    assert table.head().version == 2


def test_what_is_certain_after_an_error(
    table: EmbeddedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    land = TableAlterer.add_columns

    def landed(*args: Any, **kwargs: Any) -> None:
        land(*args, **kwargs)
        raise StorageBroken("no answer")

    monkeypatch.setattr(TableAlterer, "add_columns", landed)
    assert table.add_columns(NOTE, 1, "t") == 2

    def broken(*args: Any, **kwargs: Any) -> None:
        raise StorageBroken("no way")

    monkeypatch.setattr(TableAlterer, "add_columns", broken)
    with pytest.raises(CommitFailed):
        table.add_columns(Schema((Field("more", "string"),)), 2, "u")


def test_types_that_cannot_be_stored(table: EmbeddedTable) -> None:
    with pytest.raises(UnsupportedType):
        table.add_columns(Schema((Field("i", "interval day to second"),)), 1, "t")
    assert table.head().version == 1


def test_properties_of_a_table_that_names_features_leave_these_alone(tmp_path: Path) -> None:
    zoneless = Schema((Field("at", "timestamp_ntz"),))
    table = EmbeddedDelta().create(str(tmp_path / "t"), zoneless, (), {"mine": "1"})
    before = DeltaTable(table.uri).protocol()
    assert table.set_properties({"other": "2"}, 0, "t") == 1
    assert table.set_properties({"other": "2"}, 0, "t") == 1
    with pytest.raises(CommitConflict):
        table.set_properties({"other": "3"}, 0, "u")
    assert DeltaTable(table.uri).protocol() == before
    assert {"mine": "1", "other": "2"}.items() <= table.head().properties.items()
    assert table.snapshot(1).schema == zoneless
    assert not table.history(1)[0].data_change
