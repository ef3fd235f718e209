"""Replacing stored rows by the driver itself, where a change and what it touches are small."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from everview.apply.exact import LeftToSpark
from everview.apply.keyed import ApplyKeyed
from everview.apply.merge_groups import GroupsToRecompute, MergeGroups
from everview.errors import InvariantViolated
from everview.facts.checks import COPIES_MISSING, REMEDY
from everview.facts.files import DataFile, TableFile
from everview.facts.schema import Schema
from everview.optimize.select import files_with_keys
from everview.run.driver.arrow_types import arrow_schema
from everview.run.driver.comparable_values import comparable_values
from everview.run.driver.locate import Place, can_be_keys, places_of_keys, places_of_rows, rows_at
from everview.run.driver.replace import MOST_REWRITTEN, Change, Replacer, bytes_of
from everview.run.driver.stored_files import StoredFiles
from everview.run.refresh.replaced import Replaced
from everview.run.refresh.touched import TouchedKeys
from everview.run.refresh.work import Work
from everview.run.rows.staging import Staged
from everview.run.rows.write import Written
from everview.sql.write.select import WEIGHT

# What goes in: staged changes, and the stored files that may hold what they touch. What comes
# out: the files that come and go, or None where the work is left to Spark: too many rows or
# bytes, a column of a type that Arrow does not compare as Spark does, a value that only Spark
# decides.
#
# The rows that go are located in a few columns of the stored files. Where these files are small
# they are written anew without them; else the rows are marked in deletion vectors, and the rows
# that come are appended as one small file.
#
#     touched files 3 MB    read and written anew, with change files beside them
#     touched files 90 MB   2,000 rows marked, a file of 2,010 rows appended

MOST_MERGED = 10_000  # groups: beyond it Spark merges them faster than Python
MOST_LOCATED = 1_000_000_000  # bytes of columns that are looked at


def change_of_groups(work: Work, apply: ApplyKeyed, touched: TouchedKeys) -> Change | None:
    """Stored groups and their changes merged, None if that is left to Spark."""
    here = _Here.of(work)
    if here is None or touched.staged.rows > MOST_MERGED:
        return None
    files = here.files(touched.files)
    key = work.facts.stored.record.layout.key
    if files is None or (key and not can_be_keys(here.stored.types, key)):
        return None
    lines = touched.staged.table
    try:
        merge = MergeGroups(apply.view)
        places = here.places(files, lines.select(range(len(key))).rename_columns(list(key)))
        stored = rows_at(here.stored, places, here.names)
        found = merge.merge(_values(lines), _values(stored), _places_by_line(places))
        if isinstance(found, GroupsToRecompute):
            return None
        come = here.table(found.rows)
    except (LeftToSpark, pa.ArrowInvalid, OverflowError):
        return None
    minus = stored.take(pa.array([*found.replaced, *found.deleted], pa.int64()))
    plus = come.take(pa.array([*found.updated, *found.inserted], pa.int64()))
    gone = _only(places, frozenset(found.gone))
    changed = {
        "insert": len(found.inserted),
        "update": len(found.updated),
        "delete": len(found.deleted),
    }
    return Change(gone, come, minus, plus, changed)


def change_of_rows(work: Work, staged: Staged) -> Change | None:
    """Copies of rows deleted and inserted, None if that is left to Spark."""
    here = _Here.of(work)
    if here is None or not staged.is_small:
        return None
    rows = staged.table.select(list(here.names)).cast(here.stored.types)
    weights = staged.table.column(WEIGHT).to_numpy()
    deleted = rows.take(pa.array(np.flatnonzero(weights < 0)))
    chosen = (
        files_with_keys(work.facts.stored.snapshot.files, here.names, _values(deleted))
        if deleted.num_rows
        else ()
    )
    files = here.files(chosen)
    if files is None:
        return None
    copies = -weights[weights < 0]
    places: tuple[Place, ...] | None = ()
    if deleted.num_rows:
        places = places_of_rows(here.stored, files, deleted, copies)
    if places is None:
        raise InvariantViolated(f"{COPIES_MISSING.found}.", where=work.facts.view, remedy=REMEDY)
    come = rows.take(pa.array(np.repeat(np.flatnonzero(weights > 0), weights[weights > 0])))
    minus = deleted.take(pa.array(np.repeat(np.arange(len(copies)), copies)))
    changed = {"insert": come.num_rows, "delete": minus.num_rows}
    return Change(places, come, minus, come, changed)


def change_of_partitions(work: Work, touched: TouchedKeys, rows: Staged) -> Change | None:
    """All stored rows of the touched keys replaced, None if that is left to Spark."""
    here = _Here.of(work)
    if here is None or not (touched.staged.is_small and rows.is_small):
        return None
    key = work.facts.stored.record.layout.key
    files = here.files(touched.files)
    if files is None or not can_be_keys(here.stored.types, key):
        return None
    keys = touched.staged.table.rename_columns(list(key))
    places = here.places(files, keys)
    old = rows_at(here.stored, places, here.names)
    new = here.stored.types.empty_table()
    if rows.rows:
        new = rows.table.rename_columns(list(here.names)).cast(here.stored.types)
    gone, come = _differences(old, new)
    minus, plus = old.take(pa.array(gone)), new.take(pa.array(come))
    changed = {"insert": plus.num_rows, "delete": minus.num_rows}
    places = _only(places, frozenset(gone.tolist()))
    return Change(places, plus, minus, plus, changed)


def replace_by_driver(work: Work, change: Change) -> Replaced:
    """Small files are written anew, in larger ones the rows are marked."""
    here = _Here.of(work)
    assert here is not None
    replacer = Replacer(work.table, here.stored, here.schema, work.token)
    if bytes_of(change.places) > MOST_REWRITTEN and not work.table.why_not_mark():
        files = work.actions.timed("write", lambda: replacer.mark(change))
    else:
        files = work.actions.timed("write", lambda: replacer.rewrite(change))
    written = Written(files.adds, files.minus, files.plus, change.counted)
    return Replaced(written, files.removes, with_changes=not files.marks, marks=files.marks)


@dataclass(frozen=True, slots=True)
class _Here:
    """The stored view as the driver reads and writes it."""

    work: Work
    schema: Schema
    stored: StoredFiles

    @staticmethod
    def of(work: Work) -> _Here | None:
        """None where a column is of a type that is left to Spark."""
        schema = work.facts.stored.record.layout.stored
        types = arrow_schema(schema)
        if types is None or work.facts.stored.snapshot.partition_by:
            return None
        return _Here(work, schema, StoredFiles(types, work.table.open_file, work.facts.view))

    @property
    def names(self) -> tuple[str, ...]:
        return self.schema.names

    def files(self, chosen: Sequence[TableFile]) -> tuple[DataFile, ...] | None:
        """The files if they are small enough to be looked at here."""
        files = tuple(f for f in chosen if isinstance(f, DataFile))
        if len(files) < len(chosen) or sum(f.size for f in files) > MOST_LOCATED:
            return None
        return files

    def places(self, files: Sequence[DataFile], keys: pa.Table) -> tuple[Place, ...]:
        if keys.num_columns:
            return places_of_keys(self.stored, files, keys)
        every = [(f, np.arange(f.rows or 0, dtype=np.int64)) for f in files]  # the one group
        return tuple(Place(f, rows, np.zeros(len(rows), np.int64)) for f, rows in every)

    def table(self, rows: Sequence[tuple[Any, ...]]) -> pa.Table:
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(self.names)
        types = self.stored.types
        arrays = [pa.array(c, f.type) for c, f in zip(columns, types, strict=True)]
        return pa.table(arrays, schema=types)


def _values(table: pa.Table) -> list[tuple[Any, ...]]:
    if not table.num_columns:
        return [()] * table.num_rows
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def _places_by_line(places: Sequence[Place]) -> dict[int, int]:
    """Of each line that was found the number of the stored row, counted over all places."""
    matches = [int(m) for place in places for m in place.matches]
    return {match: number for number, match in enumerate(matches)}


def _only(places: Sequence[Place], numbers: frozenset[int]) -> tuple[Place, ...]:
    """The places of these rows, counted over all places."""
    first, found = 0, []
    for place in places:
        keep = np.array([first + i in numbers for i in range(len(place.positions))], bool)
        first += len(place.positions)
        if keep.any():
            found.append(Place(place.file, place.positions[keep], place.matches[keep]))
    return tuple(found)


def _differences(old: pa.Table, new: pa.Table) -> tuple[Any, Any]:
    """The numbers of the old rows that are not among the new ones, and the other way round."""
    before, after = (_comparable_rows(t) for t in (old, new))
    both = Counter(before) & Counter(after)
    return _beyond(before, both.copy()), _beyond(after, both)


def _comparable_rows(table: pa.Table) -> list[tuple[Any, ...]]:
    columns = [comparable_values(c).to_pylist() for c in table.columns]
    return list(zip(*columns, strict=True))


def _beyond(rows: list[tuple[Any, ...]], shared: Counter[tuple[Any, ...]]) -> Any:
    found = []
    for number, row in enumerate(rows):
        if shared[row] > 0:
            shared[row] -= 1
        else:
            found.append(number)
    return np.array(found, np.int64)
