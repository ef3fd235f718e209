"""Tables for a terminal of any width: numbers whole, texts folded, records below each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

_GAP = 2
# A text column narrower than this is no longer readable.
_NARROW = 12


@dataclass(frozen=True, slots=True)
class Cell:
    """One value as it is shown."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; what is whole is never folded, and a number stands to the right too."""

    title: str
    number: bool = False
    whole: bool = False

    @property
    def is_whole(self) -> bool:
        return self.number or self.whole


TableRows = Sequence[Sequence[Cell]]


def screen_table(columns: Sequence[Heading], rows: TableRows, *, plain: bool) -> Table:
    """The rows below their headings, without frame where no terminal shows it."""
    made = Table(
        box=None if plain else box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        padding=(0, _GAP if plain else 1, 0, 0),
        header_style="" if plain else "bold",
    )
    for column, width in zip(columns, _widths(columns, rows), strict=True):
        made.add_column(
            column.title,
            justify="right" if column.number else "left",
            no_wrap=column.is_whole,
            min_width=width if column.is_whole else None,
            overflow="fold",
        )
    for row in rows:
        made.add_row(*(Text(cell.text, cell.style) for cell in row))
    return made


def fitted(
    columns: Sequence[Heading], rows: TableRows, width: int, *, plain: bool
) -> RenderableType:
    """A table if it fits the width, else one record below the other."""
    least = [
        w if c.is_whole else min(w, _NARROW)
        for c, w in zip(columns, _widths(columns, rows), strict=True)
    ]
    # Without a terminal a reader looks for columns, not for what fits.
    if plain or sum(least) + (_GAP + 1) * len(columns) <= width:
        return screen_table(columns, rows, plain=plain)
    return Group(*(_record(n, columns, row) for n, row in enumerate(rows, 1)))


def _record(number: int, columns: Sequence[Heading], row: Sequence[Cell]) -> RenderableType:
    grid = Table.grid(padding=(0, _GAP, 0, 0))
    grid.add_column(no_wrap=True, style="bold")
    grid.add_column(overflow="fold")
    for column, cell in zip(columns, row, strict=True):
        grid.add_row(Text(column.title), Text(cell.text, cell.style))
    return Group(Text(f"row {number}", "dim"), grid)


def _widths(columns: Sequence[Heading], rows: TableRows) -> list[int]:
    """The widest line of each column, in cells of a terminal."""
    cells = [[c.title, *(row[i].text for row in rows)] for i, c in enumerate(columns)]
    return [max(Text(line).cell_len for line in column) for column in cells]
