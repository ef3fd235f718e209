"""What explain says: golden texts, the value behind them, and the card."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from everview.algebra.notation.plans import Node
from everview.errors import Place
from everview.facts.files import DataFile, Sign
from everview.facts.methods import Method, Variant, Way
from everview.facts.refreshes import SourceFacts
from everview.facts.tables import TableChanges
from everview.views.explanation import ExplainedStep, Explanation, rebuild_explanation
from tests.views.shop import (
    BIG,
    CITIES,
    CITY_SALES,
    LOST_SALES,
    MANY_SALES,
    SALES,
    STILL_SALES,
    STILL_STORES,
    STORES,
    changes,
    explained,
)

HEAD = """\
city_sales · policy AUTO · keyed by city · exact at sales v41, stores v7
  self-maintainable for no change
"""
SOURCES = """\
  sales   v41 -> v44  +10,040 -52 rows  3 commits  read from appended files (2), change files (1), 400.0 kB
  stores  v7          unchanged
"""  # noqa: E501
INCREMENTAL = f"""\
{HEAD}{SOURCES}
incremental (about 0.3 s) rather than full (about 10 s): reads less than 1 % of the bytes
  Δcity_sales = γ city, Σw, Σw·amount ( Δsales ⋈ stores_new )
  key: (city)
  left out: stores did not change: no term, and one version is read
  1  changes  compute the view's changes
                changes of sales  2 files, 400.0 kB, 10,092 rows
                stores at v7      1 file, 40.0 kB, 1,000 rows
  2  write    replace the stored rows of every touched key  1 of 1 file, 40.0 kB
  3  commit   publish rows and watermark in one commit      compare-and-swap on v12
not chosen: full, reads 600.4 MB and writes 40.0 kB · refused: none"""
FULL_ONLY = """\
cities · policy AUTO · recomputed in full · exact at stores v7
  stores  v7 -> v8  +3 -3 rows  1 commit  read from change files, 1.8 kB

full (about 0.3 s): a window without PARTITION BY is not maintained incrementally (line 2, column 20)
  line 2, column 20:
        FROM (SELECT city, rank() OVER (ORDER BY city) AS n FROM stores) AS x
                           ^^^^
  to make it incremental: leave it out of the view, and write it in the query that reads the view
  1  write   recompute everything                      stores at v8  1 file, 40.0 kB, 1,000 rows
  2  commit  publish rows and watermark in one commit  compare-and-swap on v12
refused: incremental"""  # noqa: E501
LOST = f"""\
{HEAD}  sales   v41 -> v44                        the history before version 43 is gone (vacuumed)
  stores  v7 -> v8    +3 -3 rows  1 commit  read from change files, 1.8 kB

full (about 10 s): sales: the history before version 43 is gone (vacuumed)
  1  write   recompute everything
               sales at v44  214 files, 600.4 MB, 10,009,850 rows
               stores at v8  1 file, 40.0 kB, 1,000 rows
  2  commit  publish rows and watermark in one commit  compare-and-swap on v12
refused: incremental"""
SKIPPED = f"""\
{HEAD}  sales   v41  unchanged
  stores  v7   unchanged

skipped: no source has a new version"""


@pytest.mark.parametrize(
    ("sql", "sources", "text"),
    [
        (CITY_SALES, (SALES, STILL_STORES), INCREMENTAL),
        (CITIES, (STORES,), FULL_ONLY),
        (CITY_SALES, (LOST_SALES, STORES), LOST),
        (CITY_SALES, (STILL_SALES, STILL_STORES), SKIPPED),
    ],
)
def test_golden_texts(sql: str, sources: tuple[SourceFacts, ...], text: str) -> None:
    found = explained("cities" if sql is CITIES else "city_sales", sql, *sources)
    assert found.text.split("\n\nsources read besides")[0] == text
    assert str(replace(found, full=True)) == found.text
    assert " ".join(str(found).split()) == " ".join(text.split()), "folded, nothing is lost"
    assert max(map(len, str(found).splitlines())) <= 100


def test_a_tail_is_shown_with_what_it_is_applied_to() -> None:
    found = explained(
        "best", f"{CITY_SALES} ORDER BY total DESC, city LIMIT 3", SALES, STILL_STORES
    )
    assert found.strategy == "incremental: groups"
    assert str(found).splitlines()[:3] == [
        "best · policy AUTO · keyed by city · exact at sales v41, stores v7",
        "  read with ORDER BY total DESC, city LIMIT 3; the rows below it are stored",
        "  self-maintainable for no change",
    ]
    assert "ORDER BY total DESC, city LIMIT 3" in found._repr_html_()


def test_full_by_cost_says_what_is_cheaper() -> None:
    found = explained("city_sales", CITY_SALES, MANY_SALES, STORES)
    assert "full (about 10 s) rather than incremental (about 11 s): 1 action rather" in str(found)
    assert found.not_chosen == Method(Way.INCREMENTAL, Variant.GROUPS)
    assert "not chosen: incremental, reads 600.5 MB and writes 40.0 kB" in str(found)


def test_a_policy_is_a_reason() -> None:
    text = str(explained("city_sales", CITY_SALES, MANY_SALES, STORES, policy="INCREMENTAL"))
    assert "incremental (about 11 s) rather than full (about 10 s): the policy is INCREM" in text
    assert "( Δsales ⋈ stores_new  +  Δstores ⋈ sales_old )" in text
    assert "stores at v8       1 file, 40.0 kB, 1,000 rows\n" in text
    assert "sales at v41       212 files, 600.0 MB, 9,999,828 rows\n" in text


def test_the_queries_come_last_under_a_heading() -> None:
    found = explained("city_sales", CITY_SALES, SALES, STILL_STORES)
    assert len(found.queries) == 1
    assert found.text.endswith("\n\nSQL\n" + found.queries[0])
    assert "SELECT" not in str(found), "printed it fits a screen"
    assert found.queries[0].startswith("-- changes\nSELECT")


def test_as_json_it_has_texts_and_the_values_beside_them() -> None:
    found = explained("city_sales", CITY_SALES, MANY_SALES, STORES).to_dict()
    assert (found["strategy"], found["way"], found["variant"]) == ("full", "full", None)
    assert found["not_chosen"] == "incremental: groups"
    assert found["steps"][0] == "write: recompute everything"
    assert len(found["steps"]) == len(found["details"])
    assert "method" not in found
    bag = explained("big", BIG, SALES, STILL_STORES).to_dict()
    how = tuple(bag[key] for key in ("strategy", "way", "variant"))
    assert how == ("incremental: rows", "incremental", "rows")
    refused = explained("cities", CITIES, SALES, STORES).to_dict()
    assert refused["refusals"][0].startswith("incremental: ")


def test_a_bag_with_deletions_looks_for_their_copies() -> None:
    found = explained("big", BIG, SALES, STILL_STORES)
    assert [s.name for s in found.steps] == ["changes", "copies", "write", "commit"]
    assert tuple(s.details for s in found.steps[1:]) == (
        ("in 1 of 1 file, 40.0 kB",),
        ("1 of 1 file, 40.0 kB",),
        ("compare-and-swap on v12",),
    )


def test_the_tree_is_the_plan_with_what_its_leaves_hold() -> None:
    found = explained("city_sales", CITY_SALES, SALES, STILL_STORES)
    assert found.tree == Node(
        "γ city, Σw, Σw·amount",
        (
            Node(
                "⋈ store_id",
                (
                    Node("Δsales  2 files, 400.0 kB, 10,092 rows · broadcast"),
                    Node("stores_new  1 file, 40.0 kB, 1,000 rows"),
                ),
            ),
        ),
    )
    assert explained("cities", CITIES, STORES).tree is None


def test_a_leaf_read_by_two_terms_is_listed_once() -> None:
    sql = "SELECT x.amount FROM sales AS x JOIN sales AS y ON x.sale_id = y.item_id"
    found = explained("v", sql, SALES, policy="INCREMENTAL")
    assert found.steps[0].details[:1] == (
        "changes of sales  2 files, 400.0 kB, 10,092 rows, read 2 times",
    )


def test_rows_that_are_not_counted_are_not_guessed() -> None:
    assert isinstance(SALES.changes, TableChanges)
    feed = replace(SALES, changes=changes("sales", 41, 44, (Sign.FEED, 9_000, 5)))
    files = tuple(replace(f, file=DataFile("c", 9, None)) for f in SALES.changes.files)
    unknown = replace(SALES, changes=replace(SALES.changes, files=files))
    none = replace(SALES, changes=replace(SALES.changes, files=(), ways=()))
    for source in (feed, unknown):
        text = str(explained("v", CITY_SALES, source, STILL_STORES))
        assert "v41 -> v44  rows not counted  3 commits" in text
    assert "v41 -> v44  no rows    3 commits  0 B" in str(
        explained("v", CITY_SALES, none, STILL_STORES)
    )


def test_a_first_build() -> None:
    never = replace(SALES, old=None, at_old=None, changes=LOST_SALES.changes)
    found = explained("v", CITY_SALES, never, replace(STORES, old=None))
    assert found.exact_at == {}
    assert "sales   v44" in str(found)


def test_a_rebuild_says_why() -> None:
    found = rebuild_explanation("v", "`t` is another table than before")
    assert str(found).splitlines() == [
        "v",
        "",
        "full: built anew: `t` is another table than before",
        "  1  write   recompute everything",
        "  2  commit  publish the rows with the definition as the next version",
    ]
    assert "built anew" in found._repr_html_()


def test_it_survives_json() -> None:
    for found in (
        explained("city_sales", CITY_SALES, SALES, STORES, policy="INCREMENTAL"),
        explained("cities", CITIES, STORES),
    ):
        raw = json.loads(json.dumps(found.to_dict()))
        assert raw["text"] == found.text
        assert raw["sources"][0]["new"] == found.sources[0].new


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            explained("city_sales", CITY_SALES, SALES, STILL_STORES),
            (
                "about 0.3 s rather than 10 s",
                "Δcity_sales = γ city, Σw, Σw·amount ( Δsales ⋈ stores_new )",
                '<span class="ev-delta">Δsales</span>',
                "+10,040 -52 rows",
                "replace the stored rows of every touched key: 1 of 1 file, 40.0 kB",
                "<summary>SQL</summary>",
            ),
        ),
        (
            explained("cities", CITIES, STORES),
            ("line 2, column 20:\n", "^^^^", "leave it out of the view", "about 0.3 s"),
        ),
        (
            explained("city_sales", CITY_SALES, STILL_SALES, STILL_STORES),
            ("skipped", "no source has a new version"),
        ),
    ],
)
def test_the_card(found: Explanation, said: tuple[str, ...]) -> None:
    html = found._repr_html_()
    for words in said:
        assert words in html, words
    evil = replace(found, view="<script>", reason="<script>")._repr_html_()
    assert "<script" not in evil


def test_each_source_alone() -> None:
    found = explained("city_sales", CITY_SALES, SALES, STORES, policy="INCREMENTAL")
    assert found.propagation.by_source == (
        ("sales", ("Δcity_sales = γ city, Σw, Σw·amount ( Δsales ⋈ stores_new )",)),
        ("stores", ("Δcity_sales = γ city, Σw, Σw·amount ( Δstores ⋈ sales_new )",)),
    )
    assert found.propagation.left_out == ()
    assert "by stores alone:\n    Δcity_sales = " in str(found)


def test_the_keys_of_a_bag() -> None:
    sql = "SELECT DISTINCT city FROM stores"
    assert explained("cities", sql, STORES, policy="INCREMENTAL").propagation.keys == ("city",)


def test_what_does_not_fit_a_screen_is_cut_and_says_so() -> None:
    title = "compute " + "the changes of many tables " * 6
    step = ExplainedStep("changes", title, ("files " * 30,))
    found = replace(
        explained("city_sales", CITY_SALES, SALES, STILL_STORES),
        formula=tuple(f"Δpart_{n} = " + "Δsales ⋈ stores_new  +  " * 9 for n in range(30)),
        steps=(step,) * 40,
    )
    lines = str(found).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    assert "explain(full=True)" in lines[-1]
    assert "more lines" in str(found)
    whole = str(replace(found, full=True))
    assert "Δpart_29" in whole
    assert whole.endswith(found.queries[0])
    assert "explain(full=True)" not in whole


@pytest.mark.parametrize("column", [1, 60, 190])
def test_a_long_line_of_a_definition_is_cut_around_its_caret(column: int) -> None:
    text = "".join(f"c{n:02}," for n in range(60))
    place = str(Place(1, column, 4, text))
    shown = str(replace(explained("cities", CITIES, STORES), where=place)).splitlines()
    caret = next(i for i, line in enumerate(shown) if line.strip() == "^^^^")
    at = shown[caret].index("^")
    assert shown[caret - 1][at : at + 4] == text[column - 1 : column + 3]
    assert max(map(len, shown)) <= 100
