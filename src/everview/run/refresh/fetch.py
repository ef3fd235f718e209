"""The leaves of a query that are few rows, fetched by the driver before Spark runs the query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

from everview.algebra.ranges import MOST_VALUES, Range
from everview.algebra.relations import Changes, Local, Rel, Scan
from everview.algebra.scalars import Column
from everview.algebra.walk import transformed, walk_plan
from everview.facts.receipts import Read
from everview.facts.refreshes import STORED, SourceFacts
from everview.facts.schema import Field, Schema
from everview.facts.tables import Snapshot, TableChanges
from everview.optimize.leaf_facts import FewValues
from everview.optimize.needed_columns import Needed, needed_columns
from everview.optimize.select import files_within
from everview.run.driver.fetch import (
    FetchedRows,
    OpenedSource,
    all_rows,
    rows_of_changes,
    rows_with_values,
)
from everview.run.driver.stored_files import OpenFile
from everview.run.rows.fetched import Fetched
from everview.run.rows.frames import Frames
from everview.run.rows.staging import Staged
from everview.sql.write.door import local_names
from everview.sql.write.select import WEIGHT

# What goes in: a query of a refresh. What comes out: the same query, in which leaves of few rows
# are rows at hand, fetched by the driver. First the changes themselves are fetched. Their values
# say which rows of the tables that they meet can matter, so those are looked up, and their values
# say the same of the next tables, until nothing more is found. A leaf of many rows, or one whose
# columns are too large to be looked at, stays and is Spark's to read.
#
#     Δlines ⋈ orders ⋈ people     6,000 changes, of 5,900 orders
#                                  so 5,900 of 1,500,000 orders are fetched, of 5,200 people
#                                  so 5,200 of 100,000 people are fetched
#                                  and Spark joins three small relations

SMALL_TABLE = 1_000_000  # bytes of files that are fetched as they are

OpenSource = Callable[[str], OpenFile]
Narrow = Callable[[Rel, Frames], Rel]


def with_few_rows_fetched(
    rel: Rel, frames: Frames, narrow: Narrow, open_source: OpenSource
) -> tuple[Rel, Frames]:
    """The plan whose leaves of few rows are at hand in the frames that are given back; `narrow`
    cuts a plan to the values of the rows at hand.
    """
    fetching = _Fetching(frames, open_source, {})
    while True:
        rel = narrow(rel, fetching.frames)
        fetching = replace(fetching, needed=needed_columns(rel))
        found = {id(leaf): fetching.at_hand(leaf) for leaf in _leaves(rel)}
        got = {key: rows for key, rows in found.items() if rows is not None}
        if not got:
            return rel, fetching.frames

        def taken(some: Rel, got: dict[int, _Named] = got) -> Rel:
            return got[id(some)].leaf if id(some) in got else some

        rel = transformed(rel, taken)
        local = {rows.leaf.name: rows.rows for rows in got.values()}
        held = {**fetching.frames.local, **local}
        fetching = replace(fetching, frames=replace(fetching.frames, local=held))


def _leaves(rel: Rel) -> list[Scan | Changes]:
    return [leaf for leaf in walk_plan(rel) if isinstance(leaf, Scan | Changes)]


def few_values(rows: Staged | Fetched) -> FewValues:
    """By column the values of rows at hand; None where they are many or only Spark holds one:
    a day before the year 1, say.
    """

    def of(column: str) -> Range | None:
        if not rows.is_small or not rows.schema.names:
            return None
        values = pc.unique(rows.table.column(column))
        if len(values) > MOST_VALUES:
            return None
        try:
            some = values.to_pylist()
        except (pa.ArrowException, ValueError, OverflowError):
            return None
        return Range.of_values(frozenset(v for v in some if v is not None), null=None in some)

    return cache(of)


@dataclass(frozen=True, slots=True)
class _Named:
    """A leaf of rows at hand, and the rows."""

    leaf: Local
    rows: Fetched


@dataclass(frozen=True, slots=True)
class _Fetching:
    frames: Frames
    open_source: OpenSource
    needed: Needed

    def at_hand(self, leaf: Scan | Changes) -> _Named | None:
        """The leaf as rows at hand, None if they are not to be fetched."""
        if leaf.table == self.frames.view_scan:
            return None
        source = self.frames.facts.source(leaf.table)
        if source.tail is not None:  # not all of its stored rows are read
            return None
        needed = self.needed[id(leaf)]
        wanted = tuple(c for c in leaf.columns if c.id in needed) or leaf.columns[:1]
        columns = self._fetched_before(leaf, wanted) or wanted
        key = leaf, columns
        if key not in self.frames.fetched:
            self.frames.fetched[key] = self._fetch(leaf, columns, source)
        rows = self.frames.fetched[key]
        if rows is None:
            return None
        name = f"fetched{list(self.frames.fetched).index(key) + 1}"
        return _Named(Local(name, columns, leaf.weighted), rows)

    def _fetched_before(
        self, leaf: Scan | Changes, wanted: tuple[Column, ...]
    ) -> tuple[Column, ...] | None:
        """The columns with which the leaf was fetched, if all that are wanted are among them."""
        for (known, columns), rows in self.frames.fetched.items():
            if rows is not None and known == leaf and set(wanted) <= set(columns):
                return columns
        return None

    def _fetch(
        self, leaf: Scan | Changes, columns: tuple[Column, ...], source: SourceFacts
    ) -> Fetched | None:
        found = self._changes(source, columns) if isinstance(leaf, Changes) else None
        if isinstance(leaf, Scan):
            found = self._rows(leaf, columns, source)
        if found is None:
            return None
        recorded = self.frames.facts.schema(source.name)
        names = local_names(columns)
        fields = [Field(n, recorded[c.name].type) for n, c in zip(names, columns, strict=True)]
        if leaf.weighted:
            fields.append(Field(WEIGHT, "long"))
        table = found.table.rename_columns([f.name for f in fields])
        return Fetched(Schema(tuple(fields)), table, self.frames.engine)

    def _changes(self, source: SourceFacts, columns: tuple[Column, ...]) -> FetchedRows | None:
        changes = source.changes
        if not isinstance(changes, TableChanges) or not _holds(changes.schema, columns):
            return None
        names = tuple(c.name for c in columns)
        leaf = source.id, source.old, source.new, source.gross, changes.schema, names
        found, is_new = self.frames.fetch_once(
            leaf, lambda: rows_of_changes(changes, names, self._source(source.name), WEIGHT)
        )
        if found is not None and is_new:
            self.frames.count_changes(source.name)
        return found

    def _rows(
        self, scan: Scan, columns: tuple[Column, ...], source: SourceFacts
    ) -> FetchedRows | None:
        snapshot = source.at(scan.at)
        if not _holds(snapshot.schema, columns):
            return None
        ranges = frozenset(scan.ranges().items())
        leaf = source.id, snapshot.version, ranges, tuple(c.name for c in columns)
        found, is_new = self.frames.fetch_once(leaf, lambda: self._found(scan, columns, snapshot))
        if found is not None and is_new:
            self.frames.count(source.name, Read(found.table.num_rows, found.bytes))
        return found

    def _found(
        self, scan: Scan, columns: tuple[Column, ...], snapshot: Snapshot
    ) -> FetchedRows | None:
        names, source = [c.name for c in columns], self._source(scan.table)
        snapshot = replace(snapshot, files=files_within(snapshot.files, scan.ranges()))
        wanted = _few_values(scan, columns)
        if wanted:
            return rows_with_values(snapshot, names, wanted, source)
        if snapshot.bytes <= SMALL_TABLE:
            return all_rows(snapshot, names, source)
        return None

    def _source(self, name: str) -> OpenedSource:
        own = f"{name} of {self.frames.facts.view}" if name == STORED else name
        return OpenedSource(own, self.open_source(name), self.frames.held)


def _few_values(scan: Scan, columns: tuple[Column, ...]) -> dict[str, Range]:
    """The columns of which few values are wanted, with these, the fewest last: they may well be
    all that there are. First those that must be NULL, which few rows may be.
    """
    names = {c.id: c.name for c in columns}
    some = [
        (range_.has_no_value, len(range_.values), names[column], range_)
        for column, range_ in scan.within
        if range_.values is not None and column in names
    ]
    return {name: range_ for *_, name, range_ in sorted(some, key=_before_others, reverse=True)}


def _before_others(one: tuple[bool, int, str, Range]) -> tuple[bool, int, str]:
    return one[:3]


def _holds(schema: Schema, columns: tuple[Column, ...]) -> bool:
    return all(c.name in schema for c in columns)
