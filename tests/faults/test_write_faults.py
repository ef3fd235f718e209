"""A statement that dies at any of its named places is all or nothing; with a token, once."""

from __future__ import annotations

import pytest

import everview as ev
from everview.facts.tables import Lost
from everview.run.dml import marking
from everview.run.faults import WRITE_PLACES
from tests.api.bags import bag, frame
from tests.api.shop import SALES, add_sales
from tests.faults.crash import crash_at, opened_again, staged_files
from tests.faults.statements import AFTER, BEFORE, STATEMENTS

CASES = [(name, place) for name, (_, places) in STATEMENTS.items() for place in places]

MARKING = ("delete", "update", "merge")


def test_every_named_place_is_among_the_cases() -> None:
    assert {f"write: {place}" for _, place in CASES} == set(WRITE_PLACES)


@pytest.mark.parametrize(("name", "place"), CASES)
def test_a_crash_of_a_statement(shop: ev.Warehouse, table: ev.Table, name: str, place: str) -> None:
    statement, _ = STATEMENTS[name]
    with crash_at(shop, f"write: {place}"):
        statement(table, "token")
    assert staged_files(shop) == []
    after = opened_again(shop).table(table.name)
    landed = place == "committed"
    assert bag(after.to_df()) == bag(AFTER[name] if landed else BEFORE)
    assert after.version == (2 if landed else 1)
    for _ in range(2):
        assert statement(after, "token") == 2
    assert bag(after.to_df()) == bag(AFTER[name])
    assert staged_files(shop) == []


@pytest.mark.parametrize(("name", "place"), [c for c in CASES if c[0] in MARKING])
def test_a_crash_of_a_statement_that_marks_rows(
    shop: ev.Warehouse, table: ev.Table, name: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marking, "MOST_REWRITTEN", 0)
    monkeypatch.setattr(marking, "MOST_SHARE", 1.0)
    add_sales(table, (7, "Oslo", 70))
    statement, _ = STATEMENTS[name]
    with crash_at(shop, f"write: {place}"):
        statement(table, "token")
    assert staged_files(shop) == []
    after = opened_again(shop).table(table.name)
    landed = place == "committed"
    assert bag(after.to_df()) == bag([*(AFTER[name] if landed else BEFORE), (7, "Oslo", 70)])
    for _ in range(2):
        assert statement(after, "token") == 3
    assert bag(after.to_df()) == bag([*AFTER[name], (7, "Oslo", 70)])
    changes = shop._world.open(after._entry).changes(2, 3)
    assert not isinstance(changes, Lost)
    assert "change files" not in dict(changes.ways)


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_crash_before_the_commit_needs_no_token(
    shop: ev.Warehouse, table: ev.Table, name: str
) -> None:
    statement, _ = STATEMENTS[name]
    with crash_at(shop, "write: commit"):
        statement(table, None)
    assert table.vacuum(0, force=True), "files that were written and never committed"
    assert bag(table.to_df()) == bag(BEFORE)
    statement(table, None)
    assert bag(table.to_df()) == bag(AFTER[name])


@pytest.mark.parametrize("place", ["write: commit", "write: committed"])
def test_a_crash_of_a_compaction(shop: ev.Warehouse, table: ev.Table, place: str) -> None:
    add_sales(table, (4, "Oslo", 40))
    before = bag(table.to_df())
    with crash_at(shop, place):
        table.compact()
    assert bag(table.to_df()) == before
    table.compact()
    assert bag(table.to_df()) == before


@pytest.mark.parametrize("place", ["write", "commit", "committed"])
def test_a_crash_of_a_creation_leaves_no_table(shop: ev.Warehouse, place: str) -> None:
    before = shop.tables()
    with crash_at(shop, f"write: {place}"):
        shop.create_table("orders", frame(shop.spark, SALES, *BEFORE))
    assert opened_again(shop).tables() == before
    shop.create_table("orders", frame(shop.spark, SALES, *BEFORE))
    assert bag(shop.table("orders").to_df()) == bag(BEFORE)
    shop.table("orders").drop()
