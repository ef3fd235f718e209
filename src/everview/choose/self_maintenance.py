"""What a refresh reads besides the changes of one source, by the shape of the view alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from everview.algebra.derive.signs import WeightSign
from everview.algebra.relations import Rel, Scan
from everview.algebra.walk import tables, walk_plan
from everview.choose.changes import changes_of, rows_below
from everview.choose.variants import (
    AppendRows,
    Applied,
    ChangeGroups,
    ChangeRows,
    RecomputeGroups,
    ReplacePartitions,
)
from everview.delta.context import Known
from everview.facts.refreshes import STORED
from everview.facts.self_maintenance import (
    CHANGE_KINDS,
    BesideChange,
    ChangeKind,
    ReadBeside,
    SelfMaintenance,
)
from everview.shape.shape import FullOnly, Shape

# What goes in: a shape, its sources, and how many rows they have. What comes out: for each source
# and kind of change the sources that a refresh reads besides. The changes of that source alone are
# planned as a refresh plans them, with all rows inserted, all deleted, or both; the snapshots in
# that plan are what is read. So are the rows of groups that may have to be computed anew. The
# passes that follow change how much is read of a snapshot and never which there are. Sizes matter
# where the stored rows are asked in place of a larger table.
#
#     γ city, max(amount) (sales ⋈ stores), rows of sales deleted
#     γ□ (Δsales ⋈ stores_new) reads stores; a maximum that is gone is looked for in sales ⋈ stores

_ONLY: dict[ChangeKind, WeightSign] = {"insert": 1, "delete": -1}


def self_maintenance(shape: Shape, rows: Mapping[str, int | None]) -> SelfMaintenance:
    """The lines of all sources, given with how many rows each has, in their order."""
    return tuple(
        BesideChange(source, kind, _reads(shape, source, kind, rows))
        for source in rows
        for kind in CHANGE_KINDS
    )


def _reads(
    shape: Shape, source: str, kind: ChangeKind, rows: Mapping[str, int | None]
) -> tuple[ReadBeside, ...]:
    if isinstance(shape, FullOnly):
        return tuple(ReadBeside(name, "in full") for name in rows)
    if source not in tables(rows_below(shape)):
        return ()
    only = {source: _ONLY[kind]} if kind in _ONLY else {}
    counted = {name: number for name, number in rows.items() if number is not None}
    changes = changes_of(shape, frozenset({source}), Known(only, rows=counted))
    found = (*_scanned(changes.plan), *_recomputed(changes.applied))
    always = {read.source for read in found if read.when == "always"}
    kept = (read for read in found if read.when == "always" or read.source not in always)
    order = {name: i for i, name in enumerate(rows)}
    return tuple(sorted(dict.fromkeys(kept), key=lambda read: order[read.source]))


def _scanned(plan: Rel) -> Iterator[ReadBeside]:
    """The sources of which a snapshot is in the plan; the stored view is none."""
    for leaf in walk_plan(plan):
        if isinstance(leaf, Scan) and leaf.table != STORED:
            yield ReadBeside(leaf.table)


def _recomputed(applied: Applied) -> Iterator[ReadBeside]:
    """What is read to compute groups anew, and when that is done. A sum that overflows is computed
    anew too, and fails then as Spark's own does: that is not told.
    """
    match applied:
        case ChangeGroups(view, may_lose):
            below = sorted(tables(view.input))
            if view.recomputed:
                yield from map(ReadBeside, below)
            if may_lose and any(kept.area.lost for kept in view.areas):
                yield from (ReadBeside(name, "extreme deleted") for name in below)
            if may_lose and any(k.area.recompute and not k.area.exact for k in view.areas):
                yield from (ReadBeside(name, "float deleted") for name in below)
        case RecomputeGroups(view):
            yield from map(ReadBeside, sorted(tables(view.input)))
        case ReplacePartitions(view):
            yield from map(ReadBeside, sorted(tables(view.base)))
        case AppendRows() | ChangeRows():
            return
        case _:
            assert_never(applied)
