"""What status says: one line, a table."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from everview.errors import Place, UnknownName
from everview.facts.refusals import RefusalKind
from everview.facts.schema import Field, Schema
from everview.facts.views import Layout, LayoutKind, Moment, SourceRecord, ViewRecord
from everview.lake.catalog import Entry
from everview.shape.shape import full_only
from everview.views.kept import how_kept, with_moment
from everview.views.outlook import Outlook
from everview.views.status import HEADER, recorded_as, status_of, status_row, status_table
from tests.views.shop import (
    BIG,
    CITIES,
    CITY_SALES,
    LOST_SALES,
    STILL_SALES,
    STILL_STORES,
    STORES,
    facts,
    shape,
)
from tests.views.statuses import FULL, LATE, MINUTE, NOW, receipt, status, told


def test_a_status_is_one_line() -> None:
    assert str(LATE) == (
        "city_sales · 200 rows · fresh as of 2 min ago · behind: sales +3 commits · AUTO"
        " · incremental 0.6 s · readable by others: yes, with a column __ev beside its own"
    )
    fresh = replace(LATE, behind={"sales": 0}, readable_reason="")
    assert "up to date" in str(fresh)
    assert str(fresh).endswith(" · readable by others: yes")


def test_a_view_with_a_limit_says_that_its_folder_holds_more() -> None:
    kind = shape(f"{CITY_SALES} ORDER BY total DESC LIMIT 3")
    given = facts("best", kind, STILL_SALES, STILL_STORES)
    found = told(given)
    assert found.rows == 3
    assert found.kept == "incremental, keyed by city; read with ORDER BY total DESC LIMIT 3"
    assert not found.readable_by_others
    assert str(found).endswith(
        "readable by others: no: its folder holds 200 rows, ORDER BY total DESC LIMIT 3 is "
        "applied on read"
    )


def test_the_table_is_what_a_person_asks_of_all_views() -> None:
    assert status_table((LATE, FULL), NOW + MINUTE) == [
        HEADER,
        (
            "city_sales",
            "3 min ago",
            "sales +3 commits",
            "AUTO",
            "incremental 0.6 s",
            "yes, with a column __ev beside its own",
        ),
        (
            "churn",
            "3 min ago",
            "events +96 commits",
            "AUTO",
            "full 0.6 s: rand() at 4:9",
            "no: LIMIT is applied on read",
        ),
    ]
    assert HEADER == (
        "view", "fresh as of", "behind", "policy", "last refresh", "readable by others",
    )  # fmt: skip


def test_a_refresh_that_only_checked_keeps_the_view_fresh() -> None:
    checked = receipt("skipped: nothing changed", at=NOW - 5_000)
    before = receipt("full", "first build", at=NOW - 3 * 86_400_000)
    found = status(STILL_SALES, STORES, receipts=(checked, before))
    assert found.fresh_as_of == NOW - 5_000
    assert found.last_refresh == before
    assert status_row(found, NOW)[1:5] == (
        "5 s ago",
        "stores +1 commit",
        "AUTO",
        "full 0.6 s 3 days ago: first build",
    )


def test_a_view_that_depends_on_the_clock_is_never_up_to_date() -> None:
    given = facts("city_sales", shape(CITY_SALES), STILL_SALES, STILL_STORES)
    moment = Moment("rand()", Place(4, 9, 4, "..."))
    record = replace(given.stored.record, full_only="why", moment=moment)
    found = told(replace(given, stored=replace(given.stored, record=record)))
    assert found.is_behind
    assert found.to_dict()["clock"] == "rand() (line 4, column 9)"
    assert status_row(found, NOW)[2] == "depends on the clock: rand() (line 4, column 9)"
    for said in (str(found), found._repr_html_()):
        assert "up to date" not in said
        assert "depends on the clock" in said
    only_shape = full_only(RefusalKind.UNREAD, "why", None, record.columns)
    known = with_moment(given.stored, replace(only_shape, moment=moment))
    assert known.record.moment == moment
    assert with_moment(given.stored, only_shape) == given.stored


def test_of_a_source_without_versions_nobody_says_that_the_view_is_up_to_date() -> None:
    given = facts("city_sales", shape(CITY_SALES), STILL_SALES, STILL_STORES)
    why = "`db.p` is a parquet table of the Spark session, without versions"
    outside = SourceRecord("db.p", "`db`.`p`", Schema((Field("a", "long"),)), ())
    record = replace(given.stored.record, full_only=why, outside=(outside,))
    found = told(replace(given, stored=replace(given.stored, record=record)))
    assert "up to date" not in str(found)
    assert status_row(found, NOW)[2] == f"next refresh in full: {why}"


def test_a_view_without_receipts() -> None:
    found = status(STILL_SALES, STILL_STORES)
    assert status_row(found, NOW)[1:5] == ("never", "-", "AUTO", "-")
    assert not found.is_behind
    old = replace(found, last_refresh={"strategy": "full", "reason": "", "seconds": {}})
    assert status_row(old, NOW)[4] == "full 0.00 s"


def test_a_full_refresh_to_come_is_announced_with_its_reason() -> None:
    lost = status(LOST_SALES, STILL_STORES, receipts=(receipt("incremental: groups"),))
    said = "next refresh in full: sales: the history before version 43 is gone (vacuumed)"
    assert lost.next_full == said.removeprefix("next refresh in full: ")
    assert status_row(lost, NOW)[2] == f"sales +3 commits; {said}"
    assert "full at next refresh" in lost._repr_html_()
    kind = shape(CITY_SALES)
    changed = facts("v", kind, STILL_SALES, distrust="changed by another writer")
    assert told(changed).next_full == "changed by another writer"
    full_only = replace(changed.stored.record, full_only="DISTINCT")
    always = replace(changed, stored=replace(changed.stored, record=full_only))
    assert told(always).next_full == "", "kept says so"


def test_commits_that_nobody_can_count_are_not_up_to_date() -> None:
    other = replace(LATE, behind={"sales": None, "stores": 0}, next_full="`sales` is another table")
    assert (other.is_behind, other.is_up_to_date) == (True, False)
    assert status_row(other, NOW)[2] == "next refresh in full: `sales` is another table"
    assert "full at next refresh" in other._repr_html_()
    assert json.loads(json.dumps(other.to_dict()))["behind"] == {"sales": None, "stores": 0}


def test_a_view_that_cannot_be_refreshed_says_why() -> None:
    given = facts("v", shape(CITY_SALES), STILL_SALES)
    entry, error = Entry("v", "view", "views/1"), UnknownName("`sales` is gone.")
    stuck = status_of(entry, given.stored, Outlook({"sales": None}, error=error), (), NOW)
    assert (stuck.is_behind, stuck.is_up_to_date) == (True, False)
    assert status_row(stuck, NOW)[2] == "EV-1002: `sales` is gone."


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        (CITY_SALES, "incremental, keyed by city"),
        (BIG, "incremental, a bag of rows"),
        ("SELECT count(*) AS n FROM sales", "incremental, one row"),
        (
            "SELECT store_id, first(amount) OVER (PARTITION BY store_id) AS n FROM sales",
            "incremental, rows by store_id",
        ),
        (
            f"{BIG} ORDER BY amount DESC LIMIT 9 OFFSET 1",
            "incremental, a bag of rows; read with ORDER BY __ev.by0_amount DESC LIMIT 9 OFFSET 1",
        ),
        (
            CITIES,
            "recomputed in full: a window without PARTITION BY is not maintained incrementally "
            "at line 2, column 20",
        ),
    ],
)
def test_how_a_view_is_kept(sql: str, text: str) -> None:
    kind = shape(sql)
    assert how_kept(kind) == text
    reason = getattr(kind, "reason", "")
    record = ViewRecord(sql, {}, Schema(()), (), kind.layout, reason, "0.1.0")
    assert recorded_as(record) == text.split(" at line")[0]


def test_a_hidden_key_is_not_named() -> None:
    record = ViewRecord(
        "", {}, Schema(()), (), Layout(LayoutKind.KEYED, ("__ev.h0",), Schema(())), "", "0.1.0"
    )
    assert recorded_as(record) == "incremental, keyed by 1 hidden key"
    grouped = replace(record, layout=Layout(LayoutKind.GROUPED, ("a", "__ev.h0"), Schema(())))
    assert recorded_as(grouped) == "incremental, rows by a, 1 hidden key"


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT year(city) AS y, count(*) AS n FROM stores GROUP BY year(city)", "keyed by y"),
        ("SELECT count(*) AS n FROM stores GROUP BY store_id + 1", "keyed by store_id + 1"),
        ("SELECT city AS town, count(*) AS n FROM stores GROUP BY city", "keyed by town"),
        (
            "SELECT city, row_number() OVER (PARTITION BY store_id * 2 ORDER BY city) AS n "
            "FROM stores",
            "rows by store_id * 2",
        ),
    ],
)
def test_a_key_is_named_as_the_view_names_it_or_as_it_is_computed(sql: str, text: str) -> None:
    assert how_kept(shape(sql)) == f"incremental, {text}"


def test_it_survives_json() -> None:
    assert json.loads(json.dumps(LATE.to_dict()))["fresh_as_of"] == NOW - 2 * MINUTE


def test_when_it_is_refreshed_stands_behind_the_policy() -> None:
    assert status_row(LATE, NOW)[3] == "AUTO"
    often = replace(LATE, schedule="EVERY 5 MINUTES, suspended")
    assert status_row(often, NOW)[3] == "AUTO, EVERY 5 MINUTES, suspended"
    assert often.to_dict()["schedule"] == "EVERY 5 MINUTES, suspended"


def test_refreshes_that_fail_are_told_beside_what_the_view_lacks() -> None:
    error = UnknownName("There is no table `sales`.\nNone.", remedy="Attach it.").to_dict()
    failing = {"tries": 3, "at": NOW, "next_try": NOW + MINUTE, "error": error}
    told_of = status_row(replace(LATE, failing=failing), NOW)[2]
    assert told_of == "sales +3 commits; failed 3 times: EV-1002: There is no table `sales`."
    once = replace(LATE, behind={}, failing={**failing, "tries": 1})
    assert status_row(once, NOW)[2] == "failed once: EV-1002: There is no table `sales`."
