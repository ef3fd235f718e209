"""Which columns a FROM clause makes visible, and how a query may spell each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.corpus.small_tables import Family


@dataclass(frozen=True)
class Visible:
    """A column under its name and table; one that is not shown is reached only as `table.name`."""

    name: str
    family: Family
    table: str | None = None
    shown: bool = True


@dataclass(frozen=True)
class Scope:
    """The columns in the order of a star, and an upper estimate of the rows."""

    columns: tuple[Visible, ...]
    size: int = 1

    @property
    def shown(self) -> tuple[Visible, ...]:
        return tuple(c for c in self.columns if c.shown)

    @property
    def tables(self) -> set[str]:
        return {c.table for c in self.columns if c.table is not None}

    @property
    def names(self) -> set[str]:
        return {c.name for c in self.columns}

    def spellings(self, column: Visible, inner: Scope | None = None) -> list[str]:
        """How the column can be written; with `inner` from within a subquery over that scope."""
        bare = Counter(c.name for c in self.shown)
        dotted = Counter((c.table, c.name) for c in self.columns)
        found = []
        if column.shown and bare[column.name] == 1 and not (inner and column.name in inner.names):
            found.append(column.name)
        hidden = inner is not None and column.table in inner.tables
        if column.table is not None and dotted[column.table, column.name] == 1 and not hidden:
            found.append(f"{column.table}.{column.name}")
        return found

    def of(self, *families: Family) -> list[Visible]:
        """The columns of these families (of any without one) that can be written."""
        return [c for c in self.columns if self.spellings(c) and c.family in (families or FAMILIES)]

    def starred(self, table: str) -> tuple[Visible, ...]:
        """What `table.*` stands for: columns that only it shows come first."""
        own = [c for c in self.columns if c.table == table]
        return tuple(sorted(own, key=lambda c: c.shown))

    def is_total(self) -> bool:
        """Whether every column can be written, so that an order by all of them decides."""
        return all(self.spellings(c) for c in self.columns)

    def common(self, other: Scope) -> list[str]:
        """The names that USING can name: once on each side, of one family."""
        left, right = (Counter(c.name for c in side.shown) for side in (self, other))
        families = {c.name: c.family for c in self.shown}
        return [
            c.name
            for c in other.shown
            if left[c.name] == 1 == right[c.name] and families[c.name] == c.family
        ]

    def joined(self, other: Scope) -> Scope:
        return Scope(self.columns + other.columns, self.size * other.size)

    def joined_using(self, other: Scope, names: Sequence[str], kind: str) -> Scope:
        """The columns of USING first: of the kept side, or under no table for a full join."""
        kept = other if kind == "right" else self
        by_name = {c.name: c for c in kept.shown if c.name in names}
        keys = tuple(by_name[name] for name in names)
        if kind == "full":
            keys = tuple(replace(key, table=None) for key in keys)
        sides = self.columns + other.columns
        rest = tuple(c for c in sides if c.shown and c.name not in names)
        gone = [c for c in sides if c.shown and c.name in names and c not in keys]
        gone.sort(key=lambda c: names.index(c.name))  # so does Spark; within a table it matters
        hidden = tuple(replace(c, shown=False) for c in gone if c.table is not None)
        before = tuple(c for c in sides if not c.shown)
        return Scope(keys + rest + hidden + before, self.size * other.size)


FAMILIES: tuple[Family, ...] = ("int", "str", "bool", "date", "dec", "dbl")
