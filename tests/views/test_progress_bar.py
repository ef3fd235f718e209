"""In a notebook a bar is shown and goes away; elsewhere there is none."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from everview.facts.progress import Progress
from everview.views.progress_bar import bar_html, notebook_bar


class ZMQInteractiveShell:
    """What IPython calls the shell of a notebook."""


class TerminalInteractiveShell:
    """And that of a terminal."""


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A notebook, and what it shows, one entry per change."""
    found: list[str] = []

    class Handle:
        def update(self, html: str) -> None:
            found.append(html)

    def display(html: str, *, display_id: bool) -> Handle:
        assert display_id
        found.append(html)
        return Handle()

    notebook, pieces = ModuleType("IPython"), ModuleType("IPython.display")
    names: dict[str, Any] = {"HTML": str, "display": display}
    vars(pieces).update(names)
    vars(notebook)["get_ipython"] = ZMQInteractiveShell
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", pieces)
    return found


def test_a_notebook_shows_a_bar_that_goes_away(shown: list[str]) -> None:
    bar = notebook_bar()
    assert bar is not None
    bar(Progress("by_city", "write", 0, 2))
    bar(Progress("by_city", "done", 1, 2))
    assert "by_city: write" in shown[0]
    assert "1 of 2 views" in shown[1]
    assert "50.0%" in shown[1]
    bar(Progress("large", "done", 2, 2))
    assert shown[2:] == [""]


def test_elsewhere_there_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = ModuleType("IPython")
    vars(terminal)["get_ipython"] = TerminalInteractiveShell
    monkeypatch.setitem(sys.modules, "IPython", terminal)
    assert notebook_bar() is None
    vars(terminal)["get_ipython"] = lambda: None
    assert notebook_bar() is None
    monkeypatch.delitem(sys.modules, "IPython")
    assert notebook_bar() is None


def test_names_are_escaped() -> None:
    assert "<b>" not in bar_html(Progress("<b>", "write", 0, 1))
