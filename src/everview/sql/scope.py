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
    bare: bool = True  # false for the second column of a USING pair


@dataclass(frozen=True, slots=True)
class Found:
    """A resolved name: the column, and the struct fields that follow it."""

    column: Column
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """The columns in order; names are compared without regard to case unless the session does."""

    columns: tuple[Visible, ...]
    case_sensitive: bool = False

    def same(self, left: str, right: str) -> bool:
        return left == right if self.case_sensitive else left.lower() == right.lower()

    def resolve(self, parts: tuple[str, ...]) -> Found | str:
        """The column a name stands for, or in words why there is none. Qualifiers win over
        fields.
        """
        if len(parts) > 1:
            matches = [
                v
                for v in self.columns
                if self.same(v.qualifier, parts[0]) and self.same(v.name, parts[1])
            ]
            if matches:
                return self._one(matches, parts, 2)
        matches = [v for v in self.columns if v.bare and self.same(v.name, parts[0])]
        return self._one(matches, parts, 1)

    def _one(self, matches: list[Visible], parts: tuple[str, ...], used: int) -> Found | str:
        name = ".".join(parts)
        if len(matches) > 1:
            return f"`{name}` is in {' and in '.join(v.qualifier for v in matches)}"
        if not matches:
            return f"there is no column `{name}` here"
        return Found(matches[0].column, parts[used:])

    def starred(self, qualifier: str | None) -> tuple[Visible, ...]:
        """The columns that a star stands for."""
        if qualifier is None:
            return tuple(v for v in self.columns if v.bare)
        return tuple(v for v in self.columns if self.same(v.qualifier, qualifier))

    def joined(self, other: Scope) -> Scope:
        return replace(self, columns=self.columns + other.columns)

    def using(self, names: tuple[str, ...], other: Scope) -> Scope:
        """The scope of `self JOIN other USING (names)`: shared columns first, the left ones."""
        shared = [v for n in names for v in self.columns if v.bare and self.same(v.name, n)]
        rest = [v for v in self.columns if v not in shared]
        hidden = [
            replace(v, bare=v.bare and not any(self.same(v.name, n) for n in names))
            for v in other.columns
        ]
        return replace(self, columns=(*shared, *rest, *hidden))
