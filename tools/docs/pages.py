"""The pages of docs/ that are made from the code, by name, and which of them are stale."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tools.docs.cli_page import cli_page
from tools.docs.errors_page import errors_page
from tools.docs.python_page import python_page
from tools.docs.settings_page import settings_page
from tools.docs.sql_page import sql_page

DOCS = Path(__file__).parents[2] / "docs"
COMMAND = "python -m tools.docs"

PAGES: dict[str, Callable[[str], str]] = {
    "cli.md": cli_page,
    "errors.md": errors_page,
    "python.md": python_page,
    "settings.md": settings_page,
    "sql.md": sql_page,
}


def pages() -> dict[str, str]:
    """Every page with its text; what is written by hand of it lies in docs/templates."""
    return {name: _headed(page(_introduction(name))) for name, page in PAGES.items()}


def _introduction(name: str) -> str:
    return (DOCS / "templates" / f"{name}.in").read_text(encoding="utf-8").strip()


def _headed(text: str) -> str:
    said = f"<!-- Generated from the code by `make docs` ({COMMAND}). Do not edit. -->"
    return f"{said}\n\n{text.strip()}\n"


def stale(folder: Path) -> list[str]:
    """The pages that are missing or not what the code says now."""
    return [
        name
        for name, text in pages().items()
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != text
    ]
