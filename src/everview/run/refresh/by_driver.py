"""Replacing stored rows by the driver itself, where a change and what it touches are small."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from everview.apply.keyed import ApplyKeyed
from everview.apply.lines import ACTION, DELETE, INSERT, MINUS, PART, PLUS, ROWS, UPDATE_NEW
from everview.errors import InvariantViolated
from everview.facts.checks import COPIES_MISSING, REMEDY
from everview.facts.files import DataFile, TableFile
from everview.facts.merge_on_read import Replacing
from everview.facts.schema import Schema
from everview.facts.wording import size_text
from everview.optimize.select import files_with_keys
from everview.run.driver.arrow_types import arrow_schema
from everview.run.driver.locate import (
    RowPlaces,
    can_be_keys,
    places_of_keys,
    places_of_rows,
    rows_at,
)
from everview.run.driver.merged_groups import merged_groups
from everview.run.driver.replace import Replacer, StoredChange, bytes_of
from everview.run.driver.row_numbers import (
    differing_rows,
    only_numbers,
    values_of,
)
from everview.run.driver.stored_files import StoredFiles, live_positions
from everview.run.driver.way import left_to_spark, or_spark, way_to_replace
from everview.run.refresh.replaced import Replaced
from everview.run.refresh.touched import TouchedKeys
from everview.run.refresh.work import Work
from everview.run.rows.staging import Staged
from everview.run.rows.write import Written
from everview.sql.write.select import WEIGHT

# What goes in: staged changes, and the stored files that may hold what they touch. What comes
# out: the files that come and go, or why the work is left to Spark: too many rows or bytes, a
# column of a type that Arrow does not compare as Spark does, a value that only Spark decides.
#
# The rows that go are located in a few columns of the stored files. Where these files are small
# they are written anew without them; else the rows are marked in deletion vectors, unless that is
# forbidden, and the rows that come are appended as one small file.
#
#     touched files 3 MB    read and written anew, with change files beside them
#     touched files 90 MB   2,000 rows marked, a file of 2,010 rows appended

MOST_LOCATED = 1_000_000_000  # bytes of columns that are looked at


@dataclass(frozen=True, slots=True)
class Found:
    """A change that the driver carries out, and how; None where no stored row goes."""

    change: StoredChange
    how: Replacing | None


@dataclass(frozen=True, slots=True)
class Located:
    """Stored rows that changes touch, where each of them lies, and how they are replaced."""

    places: tuple[RowPlaces, ...]
    rows: pa.Table
    how: Replacing | None

    def found(self, change: StoredChange) -> Found:
        return Found(change, self.how)


def locate_groups(work: Work, touched: TouchedKeys) -> Located | Replacing:
    """The stored groups of the touched keys, or why their files are left to Spark."""
    return work.actions.timed("locate", lambda: or_spark(lambda: _locate_groups(work, touched)))


def _locate_groups(work: Work, touched: TouchedKeys) -> Located | Replacing:
    here = _Here.of(work)
    if isinstance(here, Replacing):
        return here
    if not touched.staged.is_small:
        return left_to_spark(f"{touched.staged.rows:,} groups changed")
    files = here.files(touched.files)
    key = work.facts.stored.record.layout.key
    if files is None:
        return _TOO_LARGE
    if key and not can_be_keys(here.stored.types, key):
        return _KEY
    keys = touched.staged.table.select(range(len(key))).rename_columns(list(key))
    places = here.places(files, keys)
    how = here.how(places)
    if how is not None and how.way == "rewritten by Spark":
        return how
    return Located(places, rows_at(here.stored, places, here.names), how)


def change_of_groups(
    apply: ApplyKeyed, touched: TouchedKeys, located: Located
) -> StoredChange | None:
    """Stored groups and their changes merged over values at hand, None if Spark must do it."""
    if apply.always:
        return None
    return merged_groups(apply.view, touched.staged.table, located.rows, located.places)


def change_of_lines(located: Located, lines: pa.Table) -> StoredChange:
    """The same from the lines that Spark made of the located groups: part, action, stored row."""
    types = located.rows.schema
    parts = [lines.filter(pc.equal(lines.column(PART), part)) for part in (ROWS, MINUS, PLUS)]
    come, minus, plus = (part.select(types.names).cast(types) for part in parts)
    counted = Counter(lines.column(ACTION).to_pylist())
    changed = {
        "insert": counted[INSERT],
        "update": counted[UPDATE_NEW],
        "delete": counted[DELETE],
    }
    return StoredChange(located.places, come, minus, plus, changed)


def change_of_rows(work: Work, staged: Staged) -> Found | Replacing:
    """Copies of rows deleted and inserted, or why that is left to Spark."""
    return work.actions.timed("locate", lambda: or_spark(lambda: _change_of_rows(work, staged)))


def _change_of_rows(work: Work, staged: Staged) -> Found | Replacing:
    here = _Here.of(work)
    if isinstance(here, Replacing):
        return here
    if not staged.is_small:
        return left_to_spark(f"{staged.rows:,} rows changed")
    rows = staged.table.select(list(here.names)).cast(here.stored.types)
    weights = staged.table.column(WEIGHT).to_numpy()
    deleted = rows.take(pa.array(np.flatnonzero(weights < 0)))
    chosen = (
        files_with_keys(work.facts.stored.snapshot.files, here.names, values_of(deleted))
        if deleted.num_rows
        else ()
    )
    files = here.files(chosen)
    if files is None:
        return _TOO_LARGE
    copies = -weights[weights < 0]
    places: tuple[RowPlaces, ...] | None = ()
    if deleted.num_rows:
        places = places_of_rows(here.stored, files, deleted, copies)
    if places is None:
        raise InvariantViolated(f"{COPIES_MISSING.found}.", where=work.facts.view, remedy=REMEDY)
    come = rows.take(pa.array(np.repeat(np.flatnonzero(weights > 0), weights[weights > 0])))
    minus = deleted.take(pa.array(np.repeat(np.arange(len(copies)), copies)))
    changed = {"insert": come.num_rows, "delete": minus.num_rows}
    return here.found(StoredChange(places, come, minus, come, changed))


def change_of_partitions(work: Work, touched: TouchedKeys, rows: Staged) -> Found | Replacing:
    """All stored rows of the touched keys replaced, or why that is left to Spark."""
    return work.actions.timed(
        "locate", lambda: or_spark(lambda: _change_of_partitions(work, touched, rows))
    )


def _change_of_partitions(work: Work, touched: TouchedKeys, rows: Staged) -> Found | Replacing:
    here = _Here.of(work)
    if isinstance(here, Replacing):
        return here
    if not (touched.staged.is_small and rows.is_small):
        return left_to_spark(f"{rows.rows:,} rows of {touched.staged.rows:,} keys are replaced")
    key = work.facts.stored.record.layout.key
    files = here.files(touched.files)
    if files is None:
        return _TOO_LARGE
    if not can_be_keys(here.stored.types, key):
        return _KEY
    keys = touched.staged.table.rename_columns(list(key))
    places = here.places(files, keys)
    old = rows_at(here.stored, places, here.names)
    new = here.stored.types.empty_table()
    if rows.rows:
        new = rows.table.rename_columns(list(here.names)).cast(here.stored.types)
    gone, come = differing_rows(old, new)
    minus, plus = old.take(pa.array(gone)), new.take(pa.array(come))
    changed = {"insert": plus.num_rows, "delete": minus.num_rows}
    places = only_numbers(places, gone)
    return here.found(StoredChange(places, plus, minus, plus, changed))


def replace_by_driver(work: Work, found: Found) -> Replaced:
    """Write the files of a change that was found."""
    here = _Here.of(work)
    assert isinstance(here, _Here)
    replacer = Replacer(work.table, here.stored, here.schema, work.token)
    is_marked = found.how is not None and found.how.way == "marked"
    write = replacer.mark if is_marked else replacer.rewrite
    files = work.actions.timed("write", lambda: write(found.change))
    written = Written(files.adds, files.minus, files.plus, found.change.counted)
    return Replaced(
        written,
        files.removes,
        with_changes=not files.marks,
        marks=files.marks,
        how=found.how,
    )


_TOO_LARGE = left_to_spark(f"the files to look at have more than {size_text(MOST_LOCATED)}")
_KEY = left_to_spark("a key column is of a type that only Spark compares")


@dataclass(frozen=True, slots=True)
class _Here:
    """The stored view as the driver reads and writes it."""

    work: Work
    schema: Schema
    stored: StoredFiles

    @staticmethod
    def of(work: Work) -> _Here | Replacing:
        """Or why the view is left to Spark."""
        schema = work.facts.stored.record.layout.stored
        types = arrow_schema(schema)
        if types is None:
            return left_to_spark("a column is of a type that only Spark handles")
        if work.facts.stored.snapshot.partition_by:
            return left_to_spark("the stored rows are partitioned")
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

    def found(self, change: StoredChange) -> Found | Replacing:
        """The change with the way it is carried out; that way alone where it is Spark's."""
        how = self.how(change.places)
        return how if how is not None and how.way == "rewritten by Spark" else Found(change, how)

    def how(self, places: Sequence[RowPlaces]) -> Replacing | None:
        """How the rows at these places are replaced, None if there are none."""
        if not places:
            return None
        wish, table = self.work.facts.marking, self.work.table
        return way_to_replace(bytes_of(places), wish, table.why_not_mark)

    def places(self, files: Sequence[DataFile], keys: pa.Table) -> tuple[RowPlaces, ...]:
        if keys.num_columns:
            return places_of_keys(self.stored, files, keys)
        every = [(f, live_positions(f, f.physical_rows or 0)) for f in files]  # the one group
        return tuple(RowPlaces(f, rows, np.zeros(len(rows), np.int64)) for f, rows in every)
