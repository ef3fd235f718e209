"""What names mean inside a query: the columns of its FROM clause."""

from __future__ import annotations

from dataclasses import dataclass, replace

from everview.algebra.scalars import Column


@dataclass(frozen=True, slots=True)
class Visible:
    """A column of FROM: the table's alias it can be qualified with, and whether it is seen
    without.
    """

    qualifier: str
    name: str
    column: Column
    bare: bool = True  # false for a column that USING has merged with another
    spaces: tuple[str, ...] = ()  # what may stand before the qualifier: catalog, database


@dataclass(frozen=True, slots=True)
class FoundColumn:
    """A resolved name: the column, and the struct fields that follow it."""

    column: Column
    path: tuple[str, ...] = ()


class Absent(str):
    """In words: there is no such column."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The columns in order; names are compared without regard to case unless the session does.

    A column whose name only Spark knows (that of an expression without alias) has the name "".
    """

    columns: tuple[Visible, ...]
    case_sensitive: bool = False

    def same(self, left: str, right: str) -> bool:
        return left == right if self.case_sensitive else left.lower() == right.lower()

    def resolve(self, parts: tuple[str, ...]) -> FoundColumn | str:
        """The column a name stands for, or in words why there is none. Qualifiers win over
        fields.
        """
        for used in range(min(len(parts), _MOST_PARTS), 1, -1):
            matches = [v for v in self.columns if self._is_named(v, parts[:used])]
            if matches:
                return self._one(matches, parts, used)
        matches = [v for v in self.columns if v.bare and v.name and self.same(v.name, parts[0])]
        return self._one(matches, parts, 1)

    def _is_named(self, visible: Visible, parts: tuple[str, ...]) -> bool:
        return bool(visible.name) and self._is_of(visible, parts[:-1], parts[-1])

    def _is_of(self, visible: Visible, qualifiers: tuple[str, ...], name: str) -> bool:
        own = (*visible.spaces, visible.qualifier)[-len(qualifiers) :]
        return (
            len(own) == len(qualifiers)
            and all(map(self.same, own, qualifiers))
            and self.same(visible.name, name)
        )

    def _one(self, matches: list[Visible], parts: tuple[str, ...], used: int) -> FoundColumn | str:
        name = ".".join(parts)
        if len({v.column.id for v in matches}) > 1:
            return f"`{name}` is in {' and in '.join(v.qualifier for v in matches)}"
        if not matches:
            return Absent(f"there is no column `{name}` here")
        return FoundColumn(matches[0].column, parts[used:])

    def starred(self, qualifiers: tuple[str, ...]) -> tuple[Visible, ...]:
        """The columns that a star stands for; of a table, those merged by USING come first."""
        if not qualifiers:
            return tuple(v for v in self.columns if v.bare)
        found = [v for v in self.columns if self._is_of(v, qualifiers, v.name)]
        return tuple(v for v in found if not v.bare) + tuple(v for v in found if v.bare)

    def joined(self, other: Scope) -> Scope:
        return replace(self, columns=self.columns + other.columns)

    def using(self, merged: tuple[Column, ...], other: Scope) -> Scope:
        """The scope of `self JOIN other USING (names)`: the merged columns first; those they come
        from are seen with their qualifier only.
        """
        sides = (*self.columns, *other.columns)
        ids = {column.id for column in merged}
        shown = tuple(
            next((v for v in sides if v.column.id == column.id), Visible("", column.name, column))
            for column in merged
        )

        hidden = tuple(
            replace(v, bare=False)
            for column in merged
            for v in sides
            if v.bare and v.column.id not in ids and self.same(v.name, column.name)
        )
        gone = ids | {v.column.id for v in hidden}
        rest = tuple(v for v in sides if v.column.id not in gone)
        return replace(self, columns=(*(replace(v, bare=True) for v in shown), *hidden, *rest))


_MOST_PARTS = 4  # catalog, database, table, column
