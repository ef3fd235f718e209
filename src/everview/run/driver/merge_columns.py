"""Stored groups and their lines of the change table merged as Arrow columns, many at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from everview.aggregates.keyed import KeyedView
from everview.algebra.scalars import ColumnId, Ref, Scalar
from everview.apply.exact import LeftToSpark
from everview.apply.group_update import GroupUpdate, group_update
from everview.run.driver.comparable_values import comparable_values
from everview.run.driver.exact_columns import Batch, column_of
from everview.run.driver.locate import Numbers
from everview.run.driver.row_numbers import NOT_STORED

# What goes in: lines of the change table, stored rows, and which stored row has the key of a line.
# What comes out is what `apply/merge_groups.py` gives for the same rows, as columns: each scalar
# is computed for all groups at once, and flags tell which groups are new, change or vanish.
#
#     lines  a +2, b -1, c +1     stored  a 5, b 1     so  a is 7, b vanishes, c is new with 1

Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True)
class MergedColumns:
    """What becomes of the touched groups.

    `rows` are the new rows as they are stored, and `gone` the numbers of the stored rows that are
    to go. `come` are the numbers of the new rows whose group is new to readers of changes or has
    other public columns than before; `left` those of the stored rows that belong to the changed
    groups, and to groups that vanish. `counted` says how many rows a reader sees come, change and
    go.
    """

    rows: pa.Table
    gone: Numbers
    come: Numbers
    left: Numbers
    counted: Counter[str]


class MergeColumns:
    """The refresh operator for keyed views over columns: see `MergeGroups`, which says what it
    does to each group. LeftToSpark is raised, or an error of Arrow, where only Spark can tell.
    """

    def __init__(self, view: KeyedView, types: pa.Schema) -> None:
        """`types` are those of the stored columns, in their order."""
        update = group_update(view)
        if update is None:
            raise LeftToSpark("touched groups are recomputed")
        self._update: GroupUpdate = update
        self._types = types
        self._type = {i: f.type for i, f in zip(update.stored, types, strict=True)}
        self._seen = update.stored[: len(view.public)]

    def merge(self, lines: pa.Table, stored: pa.Table, places: Numbers) -> MergedColumns | None:
        """`places` says for each line which stored row has its key, or NOT_STORED; None if the
        group of a line must be computed from its rows.
        """
        before = self._before(lines, stored, places)
        was = places != NOT_STORED
        if self._is_lost(before, was):
            return None
        after = self._after(before)
        count = after.columns[self._update.count]
        alive = _flags(pc.greater(count, 0)) if self._update.keys else np.ones(after.rows, bool)
        differs = self._differ(before, after, self._update.stored)
        shown = self._differ(before, after, self._seen)
        is_new, dies, changes = alive & ~was, was & ~alive, alive & was & differs
        written = np.flatnonzero(is_new | changes)
        told = is_new | (changes & shown)
        seen = self._is_seen(before, was), self._is_seen(after, alive)
        return MergedColumns(
            rows=self._table(after.take(written)),
            gone=places[dies | changes],
            come=np.flatnonzero(told[written]),
            left=places[dies | (changes & shown)],
            counted=_counted(*seen, told | dies),
        )

    def _before(self, lines: pa.Table, stored: pa.Table, places: Numbers) -> Batch:
        """The values of the groups before the change, and their changes beside them."""
        numbers = pa.array(places, mask=places == NOT_STORED)
        is_new = pa.array(places == NOT_STORED)
        columns: dict[ColumnId, pa.Array] = {}
        for id_, column in zip(self._update.stored, stored.columns, strict=True):
            columns[id_] = _whole(column).take(numbers)
        nothing = Batch({}, lines.num_rows)
        for id_, scalar in self._update.empty:
            empty = column_of(scalar, nothing, self._type[id_])
            columns[id_] = pc.if_else(is_new, empty, columns[id_])
        for id_, column in zip(self._update.changes, lines.columns, strict=True):
            columns[id_] = _whole(column)
        return Batch(columns, lines.num_rows)

    def _is_lost(self, before: Batch, was: Flags) -> bool:
        certain = column_of(self._update.certain, before, pa.bool_())
        old = before.take(np.flatnonzero(was))
        lost = column_of(self._update.lost, old, pa.bool_())
        return bool(_flags(certain).any() or _flags(lost).any())

    def _after(self, before: Batch) -> Batch:
        new = self._all(self._update.merged, before)
        merged = Batch(new, before.rows)
        if _flags(pc.less(new[self._update.count], 0)).any():
            raise LeftToSpark("the count of a group is below 0")
        return Batch({**new, **self._all(self._update.public, merged)}, before.rows)

    def _all(
        self, scalars: Sequence[tuple[ColumnId, Scalar]], batch: Batch
    ) -> dict[ColumnId, pa.Array]:
        stored = [(id_, scalar) for id_, scalar in scalars if id_ in self._type]
        return {id_: column_of(scalar, batch, self._type[id_]) for id_, scalar in stored}

    def _differ(self, before: Batch, after: Batch, ids: Sequence[ColumnId]) -> Flags:
        """Of which groups one of these columns is another one than it was."""
        found = np.zeros(before.rows, bool)
        for id_ in ids:
            old, new = before.columns[id_], after.columns[id_]
            if old is not new:
                found |= _different(old, new)
        return found

    def _is_seen(self, groups: Batch, there: Flags) -> Flags:
        if self._update.shown is None:
            return there
        shown = column_of(Ref(self._update.shown), groups, pa.bool_())
        return there & _flags(shown)

    def _table(self, groups: Batch) -> pa.Table:
        columns = [groups.columns[id_] for id_ in self._update.stored]
        return pa.table(
            [c.cast(f.type) for c, f in zip(columns, self._types, strict=True)], schema=self._types
        )


def _counted(before: Flags, after: Flags, told: Flags) -> Counter[str]:
    """What a reader sees of the groups that are told of."""
    kinds = {"update": before & after, "insert": ~before & after, "delete": before & ~after}
    return Counter({kind: int((flags & told).sum()) for kind, flags in kinds.items()})


def _different(old: pa.Array, new: pa.Array) -> Flags:
    one, other = (comparable_values(pa.chunked_array([c])) for c in (old, new))
    same = pc.fill_null(pc.equal(one, other), fill_value=False)
    both = pc.and_(pc.is_null(one), pc.is_null(other))
    return ~_flags(pc.or_(same, both))


def _flags(column: pa.Array) -> Flags:
    """Where it is true."""
    some = pc.fill_null(column, fill_value=False).to_numpy(zero_copy_only=False)
    return np.asarray(some, bool)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    found = column.combine_chunks()
    return pa.concat_arrays(found.chunks) if isinstance(found, pa.ChunkedArray) else found
