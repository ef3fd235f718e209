"""What receipts and verifications say, as text, as stored values and as cards."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from everview.facts.methods import Method, Variant, Way
from everview.facts.receipt_text import read_text, receipt_lines
from everview.facts.receipts import Read, Receipt, Verification

RECEIPT = Receipt(
    view="city_sales",
    method=Method(Way.INCREMENTAL, Variant.GROUPS),
    reason="reads 1 % of the bytes",
    watermark_before={"sales": 41, "stores": 7},
    watermark_after={"sales": 44, "stores": 7},
    rows_updated=31,
    read={"sales": Read(10_055, 400_000, 10_055), "stores": Read(1_000, 40_000)},
    actions=2,
    seconds={"changes": 0.4, "write": 0.2},
    estimates={"incremental: groups": {"seconds": 0.6}, "full": {"seconds": 4.0}},
    rows=200,
    recompute_seconds=4.1,
)
FULL = replace(
    RECEIPT,
    method=Method(Way.FULL),
    reason="DISTINCT is not maintained incrementally (line 1, column 8)",
    rows_inserted=1200,
    rows_updated=0,
    rows_deleted=1199,
    read={"sales": Read(9_000, 100)},
    estimates={"full": {"seconds": 4.0}},
    recompute_seconds=None,
)
SKIPPED = Receipt("v", Method(Way.SKIPPED), "no source has a new version", {}, {})


def test_a_receipt_is_one_line_and_its_reason() -> None:
    assert str(RECEIPT).splitlines() == [
        "city_sales  incremental  0.6 s  31 of 200 rows changed"
        "  read 10,055 changes + 1,000 stores rows  (recompute: 4.1 s)",
        "  reads 1 % of the bytes (estimated 0.6 s, full 4.0 s)"
        " · exact at sales v41 -> v44, stores v7",
    ]
    assert RECEIPT.changed


def test_a_full_refresh_says_what_it_wrote_and_why() -> None:
    assert str(FULL).splitlines() == [
        "city_sales  full  0.6 s  1,200 rows written  read 9,000 sales rows",
        "  DISTINCT is not maintained incrementally (line 1, column 8)"
        " · exact at sales v41 -> v44, stores v7",
    ]


@pytest.mark.parametrize(
    ("counts", "rows", "text"),
    [
        ((0, 1, 0), 200, "1 of 200 rows changed"),
        ((2, 31, 0), 200, "33 of 200 rows changed (2 new, 31 updated)"),
        ((0, 0, 1), 199, "1 of 200 rows changed (1 gone)"),
        ((0, 0, 168), 0, "168 of 168 rows changed (168 gone)"),
        ((168, 0, 0), 168, "168 of 168 rows changed (168 new)"),
        ((0, 0, 0), 0, "no rows changed"),
        ((1, 0, 0), None, "1 row changed (1 new)"),
        ((0, 1200, 0), None, "1,200 rows changed"),
        ((0, 0, 0), 200, "none of 200 rows changed"),
        ((0, 0, 0), None, "no rows changed"),
    ],
)
def test_how_many_rows_changed(counts: tuple[int, int, int], rows: int | None, text: str) -> None:
    new, updated, gone = counts
    receipt = replace(
        RECEIPT, rows_inserted=new, rows_updated=updated, rows_deleted=gone, rows=rows
    )
    assert f"0.6 s  {text}  read" in str(receipt)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        ({}, "nothing"),
        ({"sales": Read(1, 9, 1)}, "1 change"),
        ({"sales": Read(12, 9, 5), "u": Read(3, 9, 3)}, "8 changes + 7 sales rows"),
        ({"sales": Read(None, 4_000, None), "u": Read(3, 9)}, "4.0 kB of sales + 3 u rows"),
        ({"sales": Read(5, 9)}, "5 sales rows"),
    ],
)
def test_what_was_read(read: dict[str, Read], text: str) -> None:
    assert read_text(read) == text


def test_a_skipped_refresh_is_one_short_line() -> None:
    assert str(SKIPPED) == "v  skipped  nothing changed"
    assert not SKIPPED.changed
    assert SKIPPED.total_seconds == 0
    moved = replace(
        SKIPPED,
        method=Method(Way.MOVED),
        reason="new versions of sales hold no change of rows",
        watermark_before={"sales": 1},
        watermark_after={"sales": 2},
    )
    assert str(moved).splitlines()[1:] == [
        "  new versions of sales hold no change of rows · exact at sales v1 -> v2"
    ]


def test_the_views_below_come_with_their_lines() -> None:
    lines = str(replace(SKIPPED, below=(RECEIPT, FULL))).splitlines()
    assert lines[1].startswith("  first city_sales  incremental  0.6 s  31 of 200 rows changed")
    assert lines[2].startswith("  first city_sales  full         0.6 s  1,200 rows written")


def test_several_receipts_stand_in_columns() -> None:
    lines = receipt_lines((RECEIPT, replace(FULL, view="a"), SKIPPED))
    for words in (("incr", "full", "skip"), ("31", "1,200", "noth")):
        assert len({line.index(w) for line, w in zip(lines, words, strict=True)}) == 1
    assert receipt_lines(()) == []


def test_a_receipt_survives_json() -> None:
    above = replace(SKIPPED, below=(RECEIPT,))
    assert Receipt.from_dict(json.loads(json.dumps(above.to_dict()))) == above


@pytest.mark.parametrize(
    ("method", "text", "way", "variant"),
    [
        (Method(Way.SKIPPED), "skipped: nothing changed", "skipped", None),
        (Method(Way.ALREADY_DONE), "skipped: already done", "already done", None),
        (Method(Way.MOVED), "skipped: nothing changed", "moved", None),
        (Method(Way.FULL), "full", "full", None),
        *(
            (Method(Way.INCREMENTAL, v), f"incremental: {v.value}", "incremental", v.value)
            for v in Variant
        ),
    ],
)
def test_how_a_view_was_refreshed_is_stored_as_text_and_as_values(
    method: Method, text: str, way: str, variant: str | None
) -> None:
    moved = {"sales": 2 if method.way in (Way.SKIPPED, Way.ALREADY_DONE) else 1}
    receipt = replace(SKIPPED, method=method, watermark_before=moved, watermark_after={"sales": 2})
    raw = receipt.to_dict()
    assert (raw["strategy"], raw["way"], raw["variant"]) == (text, way, variant)
    assert (receipt.strategy, receipt.way, receipt.variant) == (text, method.way, method.variant)
    older = {k: v for k, v in raw.items() if k not in ("way", "variant")}
    assert "method" not in raw
    assert Receipt.from_dict(raw) == Receipt.from_dict(older) == receipt


def test_a_way_of_a_later_version_is_read_by_its_text() -> None:
    raw = {**RECEIPT.to_dict(), "way": "by magic", "variant": "spells"}
    assert Receipt.from_dict({**raw, "strategy": "full"}).is_full
    unknown = Receipt.from_dict({**raw, "strategy": "incremental: spells"})
    assert (unknown.way, unknown.variant) == (Way.INCREMENTAL, None)


def test_only_an_incremental_refresh_has_a_variant() -> None:
    with pytest.raises(ValueError, match="no variant"):
        Method(Way.FULL, Variant.ROWS)


def test_a_receipt_of_an_older_form_is_read() -> None:
    raw: dict[str, Any] = json.loads(json.dumps(RECEIPT.to_dict()))
    for key in ("rows", "recompute_seconds", "below", "estimates"):
        del raw[key]
    del raw["read"]["stores"]["changes"]
    stored = {"version": 3, "timestamp": 1, **raw}
    found = Receipt.from_dict(stored)
    assert (found.rows, found.recompute_seconds, found.below) == (None, None, ())
    assert found.read["stores"] == Read(1_000, 40_000)
    assert "31 rows changed" in str(found)
    assert Receipt.from_dict({k: v for k, v in raw.items() if k != "read"}).read == {}


def test_reads_add_up_and_unknown_stays_unknown() -> None:
    assert Read(1, 2) + Read(3, 4, 3) == Read(4, 6, 3)
    assert Read(None, 2) + Read(3, 4) == Read(None, 6)
    assert (Read(1, 2, None) + Read(3, 4)).changes is None


# Verifications

RIGHT = Verification("v", "exact", 1200, 0, 0, (), (), {"sales": 4})
WRONG = Verification("v", "wrong", 2, 1, 2, ("a=1",), ("a=2", "a=3"), {"sales": 4}, seconds=1.24)


def test_a_verification_that_is_right() -> None:
    assert RIGHT
    assert str(RIGHT) == "v  exact  1,200 rows, recomputed at sales v4"
    assert RIGHT.to_dict()["ok"] is True
    with_tail = replace(RIGHT, how="all but ties", as_now=("x",))
    assert str(with_tail).splitlines()[1:] == [
        "  compared: all but ties",
        "  without versions, read as it is now: x",
    ]
    assert "all but ties" in with_tail._repr_html_()


def test_exact_is_said_only_where_every_column_was_compared() -> None:
    some = replace(
        RIGHT, outcome="consistent", compared=("a", "b"), possible=("c",), left_out=("d", "e")
    )
    assert some
    assert some.ok
    assert str(some).splitlines() == [
        "v  consistent: 2 of 5 columns compared  1,200 rows, recomputed at sales v4",
        "  order decides, one of the possible answers is stored: c",
        "  not compared: d, e",
    ]
    assert "exact" not in str(some)
    html = some._repr_html_()
    assert "consistent: 2 of 5 columns compared" in html
    assert "d, e" in html


def test_a_view_with_nothing_to_compare_with_is_neither_exact_nor_wrong() -> None:
    found = Verification("v", "not comparable", 3, why_not="rand() at line 1 gives other values")
    assert found.ok
    assert str(found) == "v  not comparable  rand() at line 1 gives other values"
    assert found.to_dict()["outcome"] == "not comparable"
    html = found._repr_html_()
    assert "not comparable" in html
    assert "rand() at line 1" in html
    assert "copies counted" not in html


def test_a_verification_that_is_wrong_shows_rows_and_what_to_do() -> None:
    assert not WRONG
    assert str(WRONG).splitlines() == [
        "v  WRONG  1 row missing, 2 unexpected, at sales v4  1.2 s",
        "  missing     a=1",
        "  unexpected  a=2",
        "  unexpected  a=3",
        "  wh.view('v').refresh(full=True) rebuilds it.",
    ]


# Cards


def test_the_card_of_a_receipt_has_its_numbers_and_reason() -> None:
    html = replace(RECEIPT, below=(FULL,))._repr_html_()
    for said in (
        "city_sales",
        "incremental: groups",
        "31 of 200 rows changed in 0.6 s",
        "reads 1 % of the bytes (estimated 0.6 s, full 4.0 s)",
        "10,055 changes + 1,000 stores rows",
        "changes 0.4 s · write 0.2 s",
        "sales v41 -&gt; v44, stores v7",
        "last recompute",
        "1,200 rows written",
    ):
        assert said in html, said
    assert "width:14.6%" in html


def test_a_skipped_card_has_no_numbers() -> None:
    html = SKIPPED._repr_html_()
    assert "no source has a new version" in html
    assert "rows changed" not in html


def test_the_card_of_a_verification() -> None:
    assert "exact" in RIGHT._repr_html_()
    html = WRONG._repr_html_()
    for said in ("WRONG", "- a=1\n+ a=2\n+ a=3", "1 row missing, 2 unexpected in 1.2 s", "repair"):
        assert said in html, said


@pytest.mark.parametrize("value", [RECEIPT, FULL, SKIPPED, RIGHT, WRONG])
def test_names_cannot_run_in_a_notebook(value: Receipt | Verification) -> None:
    html = replace(value, view="<script>alert(1)</script>")._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
