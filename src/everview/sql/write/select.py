"""One SELECT in the making, and the names that columns have inside a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from everview.algebra.scalars import Column, ColumnId
from everview.sql.names import escaped, quoted

WEIGHT = "__ev_w"
WEIGHT_TEXT = quoted(WEIGHT)

SelectItems = list[tuple[str, str]]  # text and alias


@dataclass(frozen=True, slots=True)
class Select:
    """What each column is in terms of FROM, and the clauses.

    `weight` is the text of the weight, None for a plain relation. `closed`: no clause can be added.
    """

    from_: str
    items: Mapping[ColumnId, str]
    weight: str | None = None
    where: tuple[str, ...] = ()
    tail: str = ""
    head: str = ""  # a hint, or DISTINCT
    closed: bool = False

    def text(self, items: SelectItems) -> str:
        shown = [
            (self.weight or "") if text == WEIGHT_TEXT and alias == WEIGHT else text
            for text, alias in items
        ]
        pairs = zip(shown, items, strict=True)
        columns = ", ".join(
            text if text == quoted(alias) else f"{text} AS {quoted(alias)}"
            for text, (_, alias) in pairs
        )
        where = f"\nWHERE {' AND '.join(self.where)}" if self.where else ""
        return f"SELECT {self.head}{columns or '1'}\nFROM {self.from_}{where}{self.tail}"


def identity(columns: tuple[Column, ...]) -> dict[ColumnId, str]:
    return {c.id: name(c) for c in columns}


def name(column: Column) -> str:
    """The name of a column inside a query, quoted: its own and its id."""
    return quoted(bare_name(column))


def bare_name(column: Column) -> str:
    return escaped(f"{column.name}_{column.id}")


def indented(text: str) -> str:
    return "\n  " + text.replace("\n", "\n  ") + "\n"
