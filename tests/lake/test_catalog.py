"""The catalog: names in one small table, changed by compare-and-swap."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from everview.errors import CommitConflict, NameTaken, NotATable
from everview.lake import catalog as module
from everview.lake.catalog import Catalog, Entries, Entry, warehouse_state
from everview.lake.delta.opened import OPENED
from everview.lake.delta.table import EmbeddedDelta
from tests.lake.kits import StorageBroken

A = Entry("a", "table", "tables/1")
B = Entry("b", "view", "views/2", comment='it\'s "é"\n', policy="AUTO")
C = Entry("c", "attached", "s3://bucket/c")


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    made = Catalog(str(tmp_path / "shop"))
    made.create()
    return made


def test_a_new_catalog_is_empty(catalog: Catalog) -> None:
    assert catalog.exists()
    assert catalog.read() == Entries(0, ())


def test_what_is_written_is_read_sorted_by_name(catalog: Catalog) -> None:
    assert catalog.write((C, A, B), 0) == 1
    assert catalog.read() == Entries(1, (A, B, C))
    assert catalog.read().get("b") == B
    assert catalog.read().get("x") is None
    assert catalog.write((), 1) == 2
    assert catalog.read() == Entries(2, ())


def test_a_warehouse_has_one_catalog(catalog: Catalog) -> None:
    with pytest.raises(NameTaken):
        catalog.create()


def test_a_place_without_a_catalog(tmp_path: Path) -> None:
    nowhere = Catalog(str(tmp_path / "nowhere"))
    assert not nowhere.exists()
    with pytest.raises(NotATable):
        nowhere.read()


def test_a_stale_base_is_a_conflict(catalog: Catalog) -> None:
    catalog.write((A,), 0)
    with pytest.raises(CommitConflict):
        catalog.write((B,), 0)
    assert catalog.read() == Entries(1, (A,))


def test_a_lost_acknowledgement_is_a_success(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = module.write_deltalake

    def landed(*args: Any, **kwargs: Any) -> None:
        write(*args, **kwargs)
        raise StorageBroken("no answer")

    monkeypatch.setattr(module, "write_deltalake", landed)
    assert catalog.write((A,), 0) == 1
    assert catalog.read() == Entries(1, (A,))


def test_a_change_is_decided_again_on_what_the_other_writer_left(catalog: Catalog) -> None:
    seen: list[Entries] = []

    def add(current: Entries) -> tuple[Entry, ...]:
        if not seen:
            catalog.write((A,), current.version)
        seen.append(current)
        return (*current.entries, B)

    assert catalog.change(add) == Entries(2, (A, B))
    assert [s.version for s in seen] == [0, 1]


def test_a_change_that_changes_nothing_commits_nothing(catalog: Catalog) -> None:
    catalog.write((A, B), 0)
    assert catalog.change(lambda current: current.entries[::-1]).version == 1
    assert catalog.read().version == 1


def test_a_change_gives_up_after_a_number_of_conflicts(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PAUSE", 0)
    calls = 0

    def overtaken(current: Entries) -> tuple[Entry, ...]:
        nonlocal calls
        calls += 1
        catalog.write((Entry(f"n{calls}", "table", "t"),), current.version)
        return (A,)

    with pytest.raises(CommitConflict):
        catalog.change(overtaken)
    assert calls == 10
    assert catalog.read().version == 10


def test_an_error_of_the_decision_commits_nothing(catalog: Catalog) -> None:
    def refuse(current: Entries) -> tuple[Entry, ...]:
        raise NameTaken("a")

    with pytest.raises(NameTaken):
        catalog.change(refuse)
    assert catalog.read().version == 0


def test_no_change_of_many_writers_is_lost(catalog: Catalog) -> None:
    def add(number: int) -> None:
        entry = Entry(f"n{number}", "table", f"tables/{number}")
        Catalog(f"file://{catalog.uri}").change(lambda current: (*current.entries, entry))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(4)))
    assert [e.name for e in catalog.read().entries] == ["n0", "n1", "n2", "n3"]


def test_the_state_of_a_folder(tmp_path: Path, catalog: Catalog) -> None:
    assert warehouse_state(str(tmp_path / "shop")) == "warehouse"
    assert warehouse_state(f"file://{tmp_path}/shop/") == "warehouse"
    assert warehouse_state(str(tmp_path / "nowhere")) == "empty"
    (tmp_path / "folder").mkdir()
    assert warehouse_state(str(tmp_path / "folder")) == "empty"
    (tmp_path / "folder/notes.txt").write_text("mine")
    assert warehouse_state(str(tmp_path / "folder")) == "other"
    (tmp_path / "parent/child").mkdir(parents=True)
    assert warehouse_state(str(tmp_path / "parent")) == "other"


def test_a_creation_that_died_leaves_an_empty_place(tmp_path: Path) -> None:
    (tmp_path / "shop/_everview/catalog").mkdir(parents=True)
    assert warehouse_state(str(tmp_path / "shop")) == "empty"
    Catalog(str(tmp_path / "shop")).create()
    assert warehouse_state(str(tmp_path / "shop")) == "warehouse"


def test_the_catalog_is_read_after_a_checkpoint(catalog: Catalog) -> None:
    catalog.write((A,), 0)
    EmbeddedDelta().open(f"{catalog.uri}/_everview/catalog").checkpoint()
    OPENED.clear()
    assert catalog.read() == Entries(1, (A,))


def test_a_catalog_gets_the_columns_of_when_as_soon_as_they_say_something(
    catalog: Catalog,
) -> None:
    catalog.write((A, B), 0)
    assert "when" not in columns(catalog)
    every = replace(B, when="EVERY 5 MINUTES")
    catalog.write((A, every), 1)
    assert columns(catalog) >= {"when", "policy"}
    assert catalog.read().entries == (A, every)
    waiting = replace(every, suspended="yes")
    catalog.write((A, waiting), 2)
    assert Catalog(catalog.uri).read().entries == (A, waiting)
    catalog.write((A, B), 3)  # nothing is said any more, and nothing is left of it
    assert catalog.read().entries == (A, B)


def test_of_two_that_give_it_the_columns_one_is_first(catalog: Catalog) -> None:
    catalog.write((A, B), 0)
    catalog.write((A, replace(B, suspended="yes")), 1)
    with pytest.raises(CommitConflict):
        catalog.write((A, replace(B, when="IMMEDIATE")), 1)
    assert catalog.read().entries == (A, replace(B, suspended="yes"))


def columns(catalog: Catalog) -> set[str]:
    table = EmbeddedDelta({}).open(f"{catalog.uri}/_everview/catalog")
    return set(table.snapshot(table.head().version).schema.names)
