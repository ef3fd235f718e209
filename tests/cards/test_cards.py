"""Cards are plain, escaped HTML that reads well with and without its style."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from everview.algebra.notation.plans import Node
from everview.cards.card import Badge, Bar, Markup, bars, card, code, folded, steps, table, tree
from tests.architecture.tree import ROOT
from tools.cards import page

EVIL = "<script>alert('x')</script>"


class Text(HTMLParser):
    """The words of a page without its style; tags must close in the order they open."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.open: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open and data.strip():
            self.words.append(data.strip())


def read(html: str) -> Text:
    found = Text()
    found.feed(html)
    found.close()
    assert found.open == []
    return found


PARTS = (
    table((EVIL, "b"), [(EVIL, "2")], EVIL),
    tree(Node("γ city", (Node(f"Δ{EVIL}  {EVIL}"), Node("stores_new"))), EVIL),
    steps((EVIL, "two"), EVIL),
    code(EVIL, EVIL),
    folded(EVIL, EVIL),
    bars((Bar(EVIL, EVIL, 0.5, "good"),)),
)
FULL = card(EVIL, Badge(EVIL, "good"), ((EVIL, EVIL), ("empty", "")), PARTS, EVIL)


def test_everything_is_escaped() -> None:
    assert "<script" not in FULL
    assert FULL.count("&lt;script&gt;") == 19
    assert read(FULL).words.count(EVIL) == 18, "the delta's name is one word with its sign"


def test_markup_stands_as_it_is() -> None:
    assert "<b>x</b>" in card("t", None, (("a", Markup("<b>x</b>")),))


def test_it_reads_in_order_without_style() -> None:
    html = card(
        "city_sales",
        Badge("incremental", "good"),
        (("why", "cheap"), ("nothing", "")),
        (table(("source", "rows"), [("sales", "5")]), steps(("read", "write"), "steps")),
        "0.6 s",
    )
    assert read(html).words == [
        "city_sales", "incremental", "0.6 s", "why", "cheap",
        "source", "rows", "sales", "5", "steps", "read", "write",
    ]  # fmt: skip


def test_a_card_without_facts_has_no_empty_table() -> None:
    assert "<table" not in card("t", None, ())


def test_cards_do_not_collide_and_load_nothing() -> None:
    assert read(FULL).attributes <= {"class", "style", "scope"}
    assert not re.search(r"https?:|url\(|@import|src=", FULL)
    (sheet,) = re.findall(r"<style>(.*?)</style>", FULL)
    for rule in re.sub(r"@media[^{]*\{(.*?\})\}", r"\1", sheet).split("}")[:-1]:
        selector = rule.split("{")[0]
        assert all(".ev-card" in part for part in re.split(r",(?![^(]*\))", selector)), selector


def test_a_card_is_light_or_dark_as_its_reader_wishes() -> None:
    assert "prefers-color-scheme:dark" in FULL
    assert "data-jp-theme-light=false" in FULL


def test_changes_stand_out_in_a_tree() -> None:
    html = tree(Node("+", (Node("Δsales  3 files"), Node("stores_new"))))
    assert '<span class="ev-delta">Δsales</span> <span class="ev-note">3 files</span>' in html
    assert read(html).words == ["+", "Δsales", "3 files", "stores_new"]


@pytest.mark.parametrize(("share", "width"), [(-1, "0.0%"), (0.146, "14.6%"), (7, "100.0%")])
def test_a_bar_stays_within_its_cell(share: float, width: str) -> None:
    assert f'style="width:{width}"' in bars((Bar("a", "1 s", share, "slow"),))


def test_the_page_of_cards_shows_them_as_they_are() -> None:
    stored = (ROOT / "docs" / "pictures" / "cards.html").read_text(encoding="utf-8")
    assert stored == page(), "python -m tools.cards draws them anew"
