"""Views on tables as a tree."""

from __future__ import annotations

from dataclasses import replace

from everview.cli.lineage import lineage, shown_lineage
from tests.cli.fakes import STATUS, screen

TOP = replace(STATUS, view="top", exact_at={"City_Sales": 3}, behind={"City_Sales": 0})


def test_a_view_stands_on_each_of_its_sources() -> None:
    made = screen(terminal=False, width=10_000)
    made.screen.say(shown_lineage(lineage([STATUS, TOP]), plain=True))
    assert made.out.getvalue().splitlines() == [
        "sales",
        "  city_sales  1 commit behind",
        "    top  up to date",
        "stores",
        "  city_sales  up to date",
        "    top  up to date",
    ]


def test_a_view_that_is_not_up_to_date_by_counting_commits() -> None:
    other = replace(STATUS, behind={"sales": None, "stores": 0}, next_full="`sales` is another")
    gone = {"code": "EV-1002", "what": "`x` is gone"}
    stuck = replace(STATUS, view="stuck", behind={"sales": None, "stores": 0}, error=gone)
    made = screen(terminal=False, width=10_000)
    made.screen.say(shown_lineage(lineage([other, stuck]), plain=True))
    assert made.out.getvalue().splitlines() == [
        "sales",
        "  city_sales  next refresh in full: `sales` is another",
        "  stuck  error EV-1002",
        "stores",
        "  city_sales  next refresh in full: `sales` is another",
        "  stuck  error EV-1002",
    ]


def test_a_terminal_shows_lines() -> None:
    made = screen()
    made.screen.say(shown_lineage(lineage([STATUS, TOP]), plain=False))
    assert "└── " in made.out.getvalue()


def test_no_views_no_tree() -> None:
    assert lineage([]) == ()
