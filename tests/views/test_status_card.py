"""What status says on a card."""

from __future__ import annotations

import json
from dataclasses import replace

from everview.errors import NotATable
from everview.facts.schema import Field, Schema
from everview.facts.tables import CommitInfo
from everview.views.status import HEADER, Status, status_row, status_table
from everview.views.status_card import (
    definition_parts,
    plain_card,
    status_card,
    table_card,
    warehouse_card,
)
from tests.views.shop import CITY_SALES, SALES_AT_41
from tests.views.statuses import LATE, MINUTE, NOW


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
