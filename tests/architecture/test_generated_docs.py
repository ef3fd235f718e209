"""The generated pages are what the code says, and nothing public is missing from them."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import everview as ev
from everview.cli.grammar import COMMANDS
from everview.sql.statements.grammar import GRAMMAR
from tests.architecture.tree import ROOT
from tools.docs.__main__ import main
from tools.docs.errors_page import kinds
from tools.docs.pages import DOCS, pages, stale
from tools.docs.python_page import members, prose, python_page, signature_text

HANDLES = (ev.Warehouse, ev.Table, ev.View)


def test_no_generated_page_is_stale() -> None:
    found = stale(DOCS)
    assert not found, f"{', '.join(found)} in docs/ is stale; run: make docs"


@pytest.mark.parametrize("name", sorted(pages()))
def test_a_stale_page_is_seen(name: str, tmp_path: Path) -> None:
    for other, text in pages().items():
        (tmp_path / other).write_text(text)
    assert stale(tmp_path) == []
    (tmp_path / name).write_text(pages()[name] + "\nby hand\n")
    assert stale(tmp_path) == [name]
    (tmp_path / name).unlink()
    assert stale(tmp_path) == [name]


def test_a_page_says_that_it_is_generated_and_how() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for text in pages().values():
        assert text.splitlines()[0].startswith("<!-- Generated from the code by `make docs`")
    assert "\ndocs: " in makefile
    assert "-m tools.docs\n" in makefile


def test_words_that_mean_nothing_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--chek"]) == 2
    assert "usage" in capsys.readouterr().err


# What is public is there, with words


@pytest.mark.parametrize("kind", HANDLES)
def test_every_public_member_is_shown_and_described(kind: type) -> None:
    found = dict(members(kind))
    public = {n for n, _ in inspect.getmembers(kind) if not n.startswith("_")}
    assert found.keys() == public
    assert all(prose(member) for member in found.values())


def test_a_public_name_without_a_place_is_an_error() -> None:
    template = (DOCS / "templates" / "python.md.in").read_text()
    with pytest.raises(ValueError, match=r"differ: View$"):
        python_page(template.replace("{{View}}", ""))
    with pytest.raises(ValueError, match=r"differ: Nobody$"):
        python_page(template + "\n{{Nobody}}\n")


def test_signatures_keep_names_types_defaults_and_keywords() -> None:
    def short(self, a: int, *more: str, full: bool = False) -> list[int]: ...

    def long(a: int, *, b_that_is_long: str = "x" * 30, c_that_is_long: str = "y" * 30) -> None: ...

    assert signature_text("f", short) == "f(a: int, *more: str, full: bool = False) -> list[int]"
    assert signature_text("f", long).splitlines()[1:3] == ["    a: int,", "    *,"]


def test_every_statement_command_and_error_is_shown() -> None:
    made = pages()
    assert all(f"\n### {e.title}\n" in made["sql.md"] for e in GRAMMAR)
    assert all(f"\n## {c.name}\n" in made["cli.md"] for c in COMMANDS)
    assert all(f"\n### {k.code}\n" in made["errors.md"] for k in kinds())


def test_every_error_says_when_and_what_to_do() -> None:
    undescribed = [k.__name__ for k in kinds() if not (k.__dict__.get("__doc__") or "").strip()]
    assert not undescribed, "a docstring says when it is raised and what to do"
    assert all(len(prose(k).split(". ")) >= 2 or ";" in prose(k) for k in kinds())
