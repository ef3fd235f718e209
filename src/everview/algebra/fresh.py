"""New columns for a plan, numbered after those in use."""

from __future__ import annotations

from collections.abc import Iterable

from everview.algebra.scalars import Column, ColumnId


class Fresh:
    """Hands out columns whose ids no other column of the plan has."""

    def __init__(self, highest: ColumnId) -> None:
        self._next = highest + 1

    def number(self) -> int:
        """A number that no column and no other name of the plan has."""
        self._next += 1
        return self._next - 1

    def column(self, name: str) -> Column:
        return Column(self.number(), name)

    def columns(self, names: Iterable[str]) -> tuple[Column, ...]:
        return tuple(self.column(name) for name in names)
