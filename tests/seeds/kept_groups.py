"""A worked example whose view is stored as groups and refreshed by its change table alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from everview.aggregates.keyed import KeyedView, keyed_view
from everview.algebra.derive.signs import Signs
from everview.algebra.derive.typed import typed
from everview.algebra.meaning.plans import CountedBag, rows
from everview.algebra.relations import At, Rel, Scan
from everview.algebra.scalars import Types
from everview.algebra.walk import at, walk_plan
from everview.delta.aggregate import change_table
from everview.delta.propagate import delta
from everview.optimize.passes import When, improved
from everview.shape.shown_groups import shown_groups
from tests.improve import simplified
from tests.laws.law import VIEW, Refresh
from tests.seeds.worked import Example


@dataclass(frozen=True)
class Kept:
    """What a reader sees of a view before and after, by its definition and after the refresh; the
    lines of the change table; and the tables that it reads beside their changes.
    """

    old: CountedBag
    new: CountedBag
    refreshed: CountedBag
    lines: CountedBag
    read: frozenset[str]


def is_kept_as_groups(example: Example, sql: str) -> bool:
    rel, types = _simplified(example, sql)
    return shown_groups(rel, types) is not None


def kept(example: Example, sql: str) -> Kept:
    """refresh(stored groups at OLD, change table), with hidden values compared too."""
    rel, types = _simplified(example, sql)
    view = _view(rel, types)
    state, changed = example.state, example.changed
    old, new = (rows(at(view.full(), snapshot), state) for snapshot in At)
    changes = delta(view.input, changed)
    assert changes is not None, "the view reads no table that changes"
    table = improved(When.CHANGES, change_table(view, changes)).plan
    stored = {**state.tables, (VIEW, At.OLD): tuple(old.elements())}
    refresh = Refresh(view, table, replace(state, tables=stored), Signs().of(changes) == 1)
    refreshed = Counter(row for row, _ in refresh.written()["rows"])
    assert refreshed == new, "hidden values"
    return Kept(
        example.rows(sql, At.OLD),
        example.rows(sql, At.NEW),
        _seen(view, refreshed),
        rows(table, state),
        frozenset(leaf.table for leaf in walk_plan(table) if isinstance(leaf, Scan)),
    )


def _simplified(example: Example, sql: str) -> tuple[Rel, Types]:
    rel = improved(When.BOUND, example.plan(sql)).plan
    schemas = {name.lower(): table.schema for name, table in example.tables.items()}
    scans = [leaf for leaf in walk_plan(rel) if isinstance(leaf, Scan)]
    types = {c.id: schemas[s.table][c.name].type for s in scans for c in s.columns}
    # Numbers are whole here, and so is what is computed of them.
    types |= {c.id: "long" for r in walk_plan(rel) for c in r.columns if c.id not in types}
    simple = simplified(rel, typed(rel, types))
    known = dict(typed(simple, types))
    known |= {c.id: "long" for r in walk_plan(simple) for c in r.columns if c.id not in known}
    return simple, known


def _view(rel: Rel, types: Types) -> KeyedView:
    groups = shown_groups(rel, types)
    assert groups is not None, f"not kept as groups: {rel}"
    if groups.flag is None:
        return keyed_view(groups.rows, types)
    flagged = (*groups.rows.outputs, (groups.flag, groups.shown))
    return keyed_view(
        replace(groups.rows, outputs=flagged), {**types, groups.flag.id: "boolean"}, groups.flag
    )


def _seen(view: KeyedView, stored: CountedBag) -> CountedBag:
    width = len(view.public) - (view.shown is not None)
    found: CountedBag = Counter()
    for row, number in stored.items():
        if view.shown is None or row[width] is True:
            found[row[:width]] += number
    return found
