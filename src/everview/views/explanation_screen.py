"""An explanation as it is printed: no SQL, and no more than a screen of it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from everview.views.explanation_text import text_parts

if TYPE_CHECKING:
    from everview.views.explanation import Explanation

_WIDTH = 100
HEIGHT = 40
_MORE = "cut to fit: explain(full=True), EXPLAIN EXTENDED and explain --sql show all, with the SQL"


def explanation_on_a_screen(told: Explanation) -> str:
    """The text without the SQL; long lines are folded, and where lists end early it says so."""
    shown: list[str] = []
    is_cut = False
    for part in text_parts(told):
        lines = part.lines
        if part.room is not None and len(lines) > part.room:
            lines = [*lines[: part.room - 1], f"  ... {len(lines) - part.room + 1:,} more lines"]
            is_cut = True
        shown += _folded(lines)
    if is_cut or len(shown) > HEIGHT:
        shown = [*shown[: HEIGHT - 1], _MORE]
    return "\n".join(shown)


def _folded(lines: list[str]) -> list[str]:
    """The lines within the width; a line of SQL with a caret below is cut around it."""
    made: list[str] = []
    for line, below in zip(lines, [*lines[1:], ""], strict=False):
        if _is_caret(below):
            made += _around(line, below)
        elif not _is_caret(line):
            indent = " " * (len(line) - len(line.lstrip()) + 4)
            made += textwrap.wrap(line, _WIDTH, subsequent_indent=indent) or [""]
    return made


def _is_caret(line: str) -> bool:
    return bool(line.strip()) and not line.strip("^ ")


def _around(line: str, caret: str) -> list[str]:
    """A line of SQL and the caret below it, shifted so that the caret can be seen."""
    indent = len(line) - len(line.lstrip())
    start = max(0, len(caret) - len(caret.lstrip()) - indent - _WIDTH // 2)
    if len(line) > _WIDTH and start:
        space = " " * indent
        line = f"{space}...{line[indent + start :]}"
        caret = f"{space}   {caret[indent + start :]}"
    return [line if len(line) <= _WIDTH else f"{line[: _WIDTH - 4]} ...", caret[:_WIDTH]]
