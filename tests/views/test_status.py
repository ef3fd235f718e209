"""What status says: one line, a table, a card."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from everview.errors import NotATable, Place, UnknownName
from everview.facts.refreshes import RefreshFacts, SourceFacts
from everview.facts.refusals import Kind
from everview.facts.schema import Field, Schema
from everview.facts.tables import CommitInfo
from everview.facts.views import Layout, LayoutKind, Moment, SourceRecord, ViewRecord
from everview.lake.catalog import Entry
from everview.shape.shape import full_only
from everview.views.kept import how_kept, with_moment
from everview.views.outlook import Outlook, why_full
from everview.views.status import (
    HEADER,
    Status,
    recorded_as,
    status_of,
    status_row,
    status_table,
)
from everview.views.status_card import (
    definition_parts,
    plain_card,
    status_card,
    table_card,
    warehouse_card,
)
from tests.views.shop import (
    BIG,
    CITIES,
    CITY_SALES,
    LOST_SALES,
    SALES,
    SALES_AT_41,
    STILL_SALES,
    STILL_STORES,
    STORES,
    facts,
    shape,
)

NOW = 1_790_000_000_000
MINUTE = 60_000


def receipt(strategy: str, reason: str = "", at: int = NOW - 2 * MINUTE) -> dict[str, Any]:
    seconds = {"changes": 0.4, "write": 0.2}
    return {"strategy": strategy, "reason": reason, "seconds": seconds, "timestamp": at}


def status(*sources: SourceFacts, receipts: tuple[dict[str, Any], ...] = ()) -> Status:
    return told(facts("city_sales", shape(CITY_SALES), *sources), receipts)


def told(given: RefreshFacts, receipts: tuple[dict[str, Any], ...] = ()) -> Status:
    """What status says of these facts, all sources being the tables that the view read."""
    behind = {s.name: s.new - (s.old or 0) for s in given.sources}
    entry = Entry(given.view, "view", "views/1", "for the morning", given.policy)
    return status_of(entry, given.stored, Outlook(behind, why_full(given)), receipts, NOW)


LATE = status(SALES, STILL_STORES, receipts=(receipt("incremental: groups"),))
FULL = replace(
    LATE,
    view="churn",
    behind={"events": 96},
    last_refresh=receipt("full", "rand() at 4:9"),
    readable_by_others=False,
    readable_reason="LIMIT is applied on read",
)


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
    only_shape = full_only(Kind.UNREAD, "why", None, record.columns)
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


# Cards


def test_the_card_of_a_view() -> None:
    columns = Schema(
        (Field("city", "string"), Field("tags", '{"type":"array","elementType":"string"}'))
    )
    html = status_card(LATE, status_row(LATE, NOW), definition_parts(CITY_SALES, columns))
    for said in (
        "3 commits behind",
        "200 rows",
        "for the morning",
        "sales v41, stores v7",
        "nested",
        "<summary>definition</summary>",
        "FROM sales JOIN stores",
    ):
        assert said in html, said
    assert "up to date" in replace(LATE, behind={})._repr_html_()


def test_the_card_of_a_table() -> None:
    commits = [CommitInfo(41, NOW - MINUTE, "WRITE", {"rows": {"insert": 1200}}, True)]
    html = table_card("sales", "attached table", SALES_AT_41, commits, NOW)
    for said in ("9,999,828 rows", "600.0 MB in 212 files", "60 s ago", "1,200 inserted"):
        assert said in html, said
    assert "operation" not in table_card("sales", "table", SALES_AT_41, (), NOW)
    wide = replace(SALES_AT_41, schema=Schema(tuple(Field(f"c{i}", "long") for i in range(40))))
    assert "the first 30 of 40 columns" in table_card("sales", "table", wide, (), NOW)


def test_the_card_of_a_warehouse() -> None:
    html = warehouse_card("s3://lake", status_table((LATE,), NOW), [("sales", "table", "1")])
    assert "1 table, 1 view" in html
    assert "sales +3 commits" in html
    assert "0 tables, 0 views" in warehouse_card("x", [HEADER], ())


def test_names_cannot_run_in_a_notebook() -> None:
    evil = replace(LATE, view="<script>", comment="<script>", kept="<script>")
    for html in (
        evil._repr_html_(),
        warehouse_card("<script>", status_table((evil,), NOW), [("<script>",)]),
        table_card("<script>", "<script>", SALES_AT_41, (), NOW),
        plain_card("<script>", "<script>", "<script>"),
    ):
        assert "<script" not in html


def test_an_error_has_a_row_a_line_and_a_card() -> None:
    error = NotATable("Its folder is gone.", remedy="Say where it is.").to_dict()
    status = Status("v", "AUTO", "", {"t": 3}, {}, None, "", None, asked_at=NOW, error=error)
    assert status_row(status, NOW)[:3] == ("v", "never", "EV-4004: Its folder is gone.")
    assert "EV-4004: Its folder is gone." in str(status)
    assert "up to date" not in str(status)
    card = status._repr_html_()
    assert "Say where it is." in card
    assert "up to date" not in card
    assert json.loads(json.dumps(status.to_dict()))["error"]["code"] == "EV-4004"
