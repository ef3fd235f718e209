"""A commit that lands while the call raises, and one that raises before it lands: applied once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import everview as ev
from everview.errors import CommitFailed, CommitUnknown
from everview.lake import catalog
from everview.lake.delta import commit
from everview.lake.delta.table import EmbeddedTable
from tests.api.bags import assert_exact, bag, refused
from tests.api.shop import SALES, add_sales
from tests.faults.crash import opened_again, staged_files
from tests.faults.definitions import GROUPS, ROWS, VIEWS
from tests.faults.statements import AFTER, BEFORE, STATEMENTS


def lost_once(real: Callable[..., Any], *, landed: bool) -> Callable[..., Any]:
    """The first call raises, after or before it did its work; later ones are as always."""
    raised: list[bool] = []

    def call(*given: Any) -> Any:
        if raised:
            return real(*given)
        raised.append(True)
        if landed:
            real(*given)
        raise ConnectionResetError("the connection was reset")

    return call


@pytest.mark.parametrize("name", VIEWS)
def test_storage_loses_the_answer_to_a_refresh(
    shop: ev.Warehouse, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    view = shop.view(name)
    add_sales(shop.table("sales"), (1, "Bern", 2000), (2, f"For {name}", 5))
    monkeypatch.setattr(commit, "_write", lost_once(commit._write, landed=True))
    receipt = view.refresh()
    assert receipt.changed, "the token was found in the log: the refresh has happened"
    assert_exact(shop, name, VIEWS[name])
    assert view.refresh().strategy.startswith("skipped")
    assert view.verify().ok


@pytest.mark.parametrize("name", VIEWS)
def test_storage_fails_before_a_refresh_lands(
    shop: ev.Warehouse, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    view = shop.view(name)
    view.refresh()
    before = bag(view.to_df())
    add_sales(shop.table("sales"), (1, "Bern", 3000), (2, f"Again for {name}", 5))
    monkeypatch.setattr(commit, "_write", lost_once(commit._write, landed=False))
    with refused(CommitFailed, "did not land", "connection was reset"):
        view.refresh()
    assert bag(view.to_df()) == before
    assert staged_files(shop) == []
    assert view.refresh().changed
    assert_exact(shop, name, VIEWS[name])


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("landed", [True, False])
def test_a_refresh_whose_commit_raises_is_not_applied_twice(
    shop: ev.Warehouse, monkeypatch: pytest.MonkeyPatch, name: str, landed: bool
) -> None:
    view = shop.view(name)
    view.refresh()
    new = 1000 * shop.table("sales").version
    add_sales(shop.table("sales"), (new, "Bern", new), (new, "Bern", new))
    shop.table("sales").delete(f"id = {new // 1000}")
    real = EmbeddedTable.commit
    monkeypatch.setattr(EmbeddedTable, "commit", lost_once(real, landed=landed))
    with pytest.raises(ConnectionResetError):
        view.refresh()
    assert staged_files(shop) == []
    again = opened_again(shop).view(name)
    assert again.verify().ok
    assert again.refresh().strategy.startswith("skipped") == landed
    assert_exact(shop, name, VIEWS[name])
    assert again.verify().ok


@pytest.mark.parametrize("name", STATEMENTS)
def test_storage_loses_the_answer_to_a_statement(
    shop: ev.Warehouse, table: ev.Table, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    statement, _ = STATEMENTS[name]
    monkeypatch.setattr(commit, "_write", lost_once(commit._write, landed=True))
    assert statement(table, None) == 2, "found by its own token: no caller's token is needed"
    assert bag(table.to_df()) == bag(AFTER[name])


@pytest.mark.parametrize("name", STATEMENTS)
@pytest.mark.parametrize("landed", [True, False])
def test_a_statement_whose_commit_raises_is_applied_once_by_its_token(
    table: ev.Table, monkeypatch: pytest.MonkeyPatch, name: str, landed: bool
) -> None:
    statement, _ = STATEMENTS[name]
    real = EmbeddedTable.commit
    monkeypatch.setattr(EmbeddedTable, "commit", lost_once(real, landed=landed))
    with pytest.raises(ConnectionResetError):
        statement(table, "token")
    assert bag(table.to_df()) == bag(AFTER[name] if landed else BEFORE)
    assert statement(table, "token") == 2
    assert bag(table.to_df()) == bag(AFTER[name])


def test_a_lost_answer_is_found_behind_commits_of_others(
    shop: ev.Warehouse, table: ev.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = opened_again(shop).table(table.name)
    real = commit._write

    def landed_then_overtaken(*given: Any) -> None:
        monkeypatch.setattr(commit, "_write", real)
        real(*given)
        add_sales(other, (8, "Oslo", 80))
        raise ConnectionResetError("the connection was reset")

    monkeypatch.setattr(commit, "_write", landed_then_overtaken)
    assert add_sales(table, (7, "Oslo", 70)) == 2
    assert bag(table.to_df()) == bag([*BEFORE, (7, "Oslo", 70), (8, "Oslo", 80)])


def test_a_log_that_cannot_be_read_leaves_it_unknown_and_deletes_nothing(
    shop: ev.Warehouse, table: ev.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(*given: Any) -> Any:
        raise ConnectionResetError("still no connection")

    with monkeypatch.context() as patch:
        patch.setattr(commit, "_write", lost_once(commit._write, landed=True))
        patch.setattr(commit, "search_token", unreadable)
        with refused(CommitUnknown, "still no connection"):
            add_sales(table, (7, "Oslo", 70), token="mine")
    assert bag(table.to_df()) == bag([*BEFORE, (7, "Oslo", 70)]), "its files are there"
    assert add_sales(table, (7, "Oslo", 70), token="mine") == 2
    assert bag(table.to_df()) == bag([*BEFORE, (7, "Oslo", 70)])


@pytest.mark.parametrize("landed", [True, False])
def test_an_answer_lost_by_the_catalog(
    shop: ev.Warehouse, monkeypatch: pytest.MonkeyPatch, landed: bool
) -> None:
    before = shop.tables()
    monkeypatch.setattr(catalog, "_overwrite", lost_once(catalog._overwrite, landed=landed))
    if landed:
        shop.create_table("orders", SALES)
    else:
        with refused(CommitFailed, "did not land"):
            shop.create_table("orders", SALES)
        assert shop.tables() == before
        shop.create_table("orders", SALES)
    assert sorted(shop.tables()) == sorted([*before, "orders"])
    shop.table("orders").drop()


@pytest.mark.parametrize("landed", [True, False])
def test_an_answer_lost_by_a_replacement(
    wh: ev.Warehouse, monkeypatch: pytest.MonkeyPatch, landed: bool
) -> None:
    view = wh.create_materialized_view("v", GROUPS, comment="old")
    path = view.path
    monkeypatch.setattr(commit, "_write", lost_once(commit._write, landed=landed))
    if landed:
        wh.create_materialized_view("v", ROWS, comment="new", replace=True)
    else:
        with refused(CommitFailed, "did not land", "connection was reset"):
            wh.create_materialized_view("v", ROWS, comment="new", replace=True)
        assert_exact(wh, "v", GROUPS)
        assert view.status().comment == "old"
        wh.create_materialized_view("v", ROWS, comment="new", replace=True)
    assert (view.path, view.status().comment) == (path, "new")
    assert [r["version"] for r in view.history()] == [2, 1], "applied once"
    assert_exact(wh, "v", ROWS)
    assert view.verify().ok
    assert view.refresh().strategy.startswith("skipped")
