"""The law of groups merged over values at hand: they become what a recomputation gives."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa

from everview.aggregates.keyed import KeyedView, keyed_view
from everview.algebra.meaning.plans import lines, rows
from everview.algebra.relations import At
from everview.algebra.scalars import Ref
from everview.algebra.walk import at, walk_plan
from everview.apply.exact import LeftToSpark
from everview.apply.merge_groups import GroupsToRecompute, MergedGroups, MergeGroups
from everview.delta.aggregate import change_table
from everview.delta.context import Known
from everview.delta.propagate import delta
from everview.run.driver.merge_columns import MergeColumns
from everview.run.driver.row_numbers import NOT_STORED
from tests.laws.generate import Queries, random_state
from tests.laws.law import TYPES, to_recompute
from tests.laws.met import Seen

Row = tuple[Any, ...]
LONG = pa.int64()


def check_merge(seed: int, seen: Seen) -> None:
    """merge(change_table(q), rows(q at OLD)) == rows(q at NEW), where no group is recomputed."""
    rng = Random(seed)
    rel = Queries(rng).aggregate(rng.choice((0, 0, 1, 1, 2)))
    state, changed = random_state(rng)
    types = {c.id: rng.choice(TYPES) for p in walk_plan(rel) for c in p.columns}
    view = keyed_view(rel, types)
    changes = delta(view.input, changed, Known())
    try:
        merge = MergeGroups(view)
    except LeftToSpark:
        assert view.recomputed
        return
    if changes is None:
        return
    stored = sorted(rows(at(view.full(), At.OLD), state).elements(), key=repr)
    table = [row for row, _ in lines(change_table(view, changes), state)]
    keys = stored_keys(view, stored)
    places = {
        i: keys[line[: len(view.keys)]]
        for i, line in enumerate(table)
        if line[: len(view.keys)] in keys
    }
    redo = to_recompute(rel, types, state, lines(changes, state))
    merged = merge.merge(table, stored, places)
    check_columns(view, (table, stored, places), merged, seen)
    if isinstance(merged, GroupsToRecompute):
        found = {table[i][: len(view.keys)] for i in merged.lines}
        assert redo.must & found or redo.may & found, (found, redo)
        assert redo.must <= found <= redo.may
        seen.met("merge: to recompute")
        return
    assert not redo.must
    expected = rows(at(view.full(), At.NEW), state)
    kept = [row for i, row in enumerate(stored) if i not in merged.gone]
    exact = _exact_places(view)
    assert _cut(expected.elements(), exact) == _cut([*kept, *merged.rows], exact)
    before, after = Counter(stored), expected
    born = {k for k in stored_keys(view, list(after)) if k not in keys}
    died = {k for k in keys if k not in stored_keys(view, list(after))}
    assert (len(merged.inserted), len(merged.deleted)) == (len(born), len(died))
    public = len(view.public)
    old_shown = Counter(row[:public] for row in before.elements())
    new_shown = Counter(row[:public] for row in after.elements())
    if exact >= set(range(public)):
        others = sum((old_shown - new_shown).values()) - len(died)
        assert len(merged.updated) >= others
    assert {*merged.replaced, *merged.deleted} <= {*merged.gone}
    assert len(merged.updated) == len(merged.replaced)
    for after_, before_ in zip(merged.updated, merged.replaced, strict=True):
        assert repr(merged.rows[after_][:public]) != repr(stored[before_][:public])
    seen.met("merge: born", when=born)
    seen.met("merge: died", when=died)
    seen.met("merge: updated", when=merged.updated)
    seen.met("merge: without keys", when=not view.keys)
    seen.met("merge cases")


def check_columns(
    view: KeyedView,
    given: tuple[list[Row], list[Row], dict[int, int]],
    merged: MergedGroups | GroupsToRecompute,
    seen: Seen,
) -> None:
    """As columns the same groups become the same."""
    table, stored, places = given
    new = [] if isinstance(merged, GroupsToRecompute) else merged.rows
    try:
        held = _arrow([stored, new, _keys(view, table)], len(stored), [LONG] * len(view.stored))
        by_id = dict(zip((h.id for _, h in view.stored), held.schema.types, strict=True))
        types = [by_id[k.id] for k in view.keys] + [LONG] * len(view.work_deltas())
        lines = _arrow([table], len(table), types)
    except pa.ArrowException:  # the meaning of a mean is a fraction, which is of no type
        return
    numbers = [places.get(i, NOT_STORED) for i in range(len(table))]
    merge = MergeColumns(view, held.schema)
    found = merge.merge(lines, held, np.array(numbers, np.int64))
    if isinstance(merged, GroupsToRecompute) or found is None:
        assert found is None
        assert isinstance(merged, GroupsToRecompute)
        seen.met("columns: to recompute")
        return
    assert Counter(_rows(found.rows)) == Counter(merged.rows)
    assert sorted(found.gone) == sorted(merged.gone)
    public = len(view.public)
    updates = list(zip(merged.updated, merged.replaced, strict=True))
    if any(merged.rows[i][:public] == stored[j][:public] for i, j in updates):
        return  # the meaning has 1 and 1.0 in one column, which has one type here
    assert sorted(found.left) == sorted([*merged.replaced, *merged.deleted])
    told = [merged.rows[i] for i in (*merged.updated, *merged.inserted)]
    assert Counter(_rows(found.rows.take(found.come))) == Counter(told)
    assert +found.counted == +merged.counted
    seen.met("columns: born", when=merged.inserted)
    seen.met("columns: died", when=merged.deleted)
    seen.met("columns: updated", when=merged.updated)
    seen.met("columns: unseen", when=len(merged.gone) > len(merged.replaced) + len(merged.deleted))


def _keys(view: KeyedView, table: list[Row]) -> list[Row]:
    """Stored rows with the keys of these lines and nothing else."""
    places = {k.id: i for i, k in enumerate(view.keys)}
    held = [places.get(h.id) for _, h in view.stored]
    return [tuple(None if p is None else line[p] for p in held) for line in table]


def _arrow(parts: list[list[Row]], rows: int, types: list[pa.DataType]) -> pa.Table:
    """The first so many rows, of types that hold the values of all of them, or of these types
    where all are NULL.
    """
    every = [row for part in parts for row in part]
    columns = [pa.array([row[i] for row in every]) for i, _ in enumerate(types)]
    pairs = zip(columns, types, strict=True)
    typed = [pa.nulls(len(c), t) if pa.types.is_null(c.type) else c for c, t in pairs]
    return pa.table(typed, names=[str(i) for i, _ in enumerate(typed)]).slice(0, rows)


def _rows(table: pa.Table) -> list[Row]:
    return list(zip(*(map(_frozen, c.to_pylist()) for c in table.columns), strict=True))


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def stored_keys(view: KeyedView, stored: list[Row]) -> dict[Row, int]:
    """The number of each stored row by its key."""
    held = [h.id for _, h in view.stored]
    places = [held.index(k.id) for k in view.keys]
    return {tuple(row[p] for p in places): i for i, row in enumerate(stored)}


def _exact_places(view: KeyedView) -> set[int]:
    """The stored columns that are kept values; the meaning of others does not round as Spark."""
    public = {column.id for column, scalar in view.public if not isinstance(scalar, Ref)}
    return {i for i, (_, held) in enumerate(view.stored) if held.id not in public}


def _cut(some: Any, places: set[int]) -> Counter[Row]:
    return Counter(tuple(v for i, v in enumerate(row) if i in places) for row in some)
