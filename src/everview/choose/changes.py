"""The plan of a view's changes, by how its rows are kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import assert_never

from everview.algebra.derive.signs import Signs, WeightSign
from everview.algebra.relations import Changes, Net, Rel, Scan
from everview.algebra.types import can_be_compared
from everview.apply.grouped import touched_partitions
from everview.choose.variants import (
    AppendRows,
    Applied,
    ChangeGroups,
    ChangeRows,
    RecomputeGroups,
    ReplacePartitions,
)
from everview.delta.aggregate import change_table
from everview.delta.context import NOTHING_KNOWN, Known
from everview.delta.propagate import delta
from everview.delta.stored_rows import StoredRows
from everview.facts.asked_strategy import AskedStrategy
from everview.facts.refreshes import STORED, RefreshFacts
from everview.facts.tables import TableChanges
from everview.optimize.leaf_facts import AtHand, leaf_facts
from everview.optimize.parts import MOST_READ_AGAIN
from everview.optimize.passes import NARROW_SCANS, PassContext, Ran, When, improved, is_off
from everview.shape.bag import Bag
from everview.shape.grouped import Grouped
from everview.shape.shape import Keyed


@dataclass(frozen=True, slots=True)
class ViewChanges:
    """What changes are applied as, the plan that computes them, whether they are insertions
    alone, and the passes that the definition went through.
    """

    applied: Applied
    plan: Rel
    insert_only: bool
    ran: tuple[Ran, ...] = ()


def changes_of(
    shape: Keyed | Grouped | Bag,
    changed: frozenset[str],
    known: Known = NOTHING_KNOWN,
    off: frozenset[str] = frozenset(),
    asked: AskedStrategy = AskedStrategy.AUTO,
) -> ViewChanges:
    """The changes of the view when these tables changed, the passes that are off left out, in the
    way that is asked for, which must be one that applies.

    A bag is changed row by row and every line is counted: there is one line per distinct row,
    except that insertions alone are appended as they come. Groups may be changed so too:
    Δ(γ A) has their stored rows as they were and as they become, hidden values included.
    """
    by_rows = asked is AskedStrategy.INSERT_DELETE
    below = improved(When.BEFORE, rows_below(shape, by_rows=by_rows), PassContext(off=off))
    if isinstance(shape, Bag) and shape.joins is not None:
        cut = not is_off(NARROW_SCANS, off)
        known = replace(known, stored=StoredRows(STORED, shape.joins, below.plan, cut))
    changes = delta(below.plan, changed, known)
    assert changes is not None, "a changed source that the definition does not read"
    gains = Signs().of(changes) == 1
    match shape:
        case Bag() if gains:
            return ViewChanges(AppendRows(), changes, gains, below.ran)
        case Bag():
            return ViewChanges(ChangeRows(), Net(changes), gains, below.ran)
        case Keyed() if by_rows:
            return ViewChanges(ChangeRows(), Net(changes), gains, below.ran)
        case Keyed(view, _):
            table = change_table(view, changes)
            if asked is AskedStrategy.TOUCHED_GROUPS:
                return ViewChanges(RecomputeGroups(view), table, gains, below.ran)
            return ViewChanges(ChangeGroups(view, not gains), table, gains, below.ran)
        case Grouped(view, _, _):
            touched = touched_partitions(view, changes)
            return ViewChanges(ReplacePartitions(view), touched, gains, below.ran)
        case _:
            assert_never(shape)


def rows_below(shape: Keyed | Grouped | Bag, *, by_rows: bool = False) -> Rel:
    """What rows are propagated of: the definition, or what lies below its groups, unless these are
    changed by rows.
    """
    match shape:
        case Keyed(view, _) if by_rows:
            return view.full()
        case Bag():
            return shape.stored
        case Keyed(view, _):
            return view.input
        case Grouped(view, _, _):
            return view.base
        case _:
            assert_never(shape)


def context_of(
    facts: RefreshFacts, at_hand: AtHand | None = None, *, few: bool = True
) -> PassContext:
    """What the passes of a refresh know; `few`: whether the rows at hand are few."""
    return PassContext(
        leaf_rows=partial(_leaf_rows, facts),
        leaf_facts=leaf_facts(facts, at_hand),
        few=few,
        off=facts.passes_off,
    )


def _leaf_rows(facts: RefreshFacts, leaf: Rel) -> tuple[int, int] | None:
    """The rows of a leaf, and those of the table it is of."""
    if not isinstance(leaf, Scan | Changes):
        return None
    whole = facts.source(leaf.table).at_new.rows
    rows = changed_files(facts, leaf.table).rows if isinstance(leaf, Changes) else whole
    return None if rows is None or whole is None else (rows, whole)


def known_of(facts: RefreshFacts, changed: Iterable[str]) -> Known:
    """Of these sources, those into which the files say that rows were only inserted, or from which
    only deleted; and which sources are large, or gone at OLD, of those whose rows can be compared.
    """
    files = {name: changed_files(facts, name) for name in changed}
    inserted: dict[str, WeightSign] = {name: 1 for name, some in files.items() if some.insert_only}
    deleted: dict[str, WeightSign] = {name: -1 for name, some in files.items() if some.delete_only}
    comparable = [
        s for s in facts.sources if all(can_be_compared(f.parsed) for f in s.at_new.schema.fields)
    ]
    return Known(
        {**inserted, **deleted},
        large=frozenset(s.name for s in comparable if s.at_new.bytes > MOST_READ_AGAIN),
        gone=frozenset(s.name for s in comparable if s.at_old is None),
        rows={s.name: s.at_new.rows for s in facts.sources if s.at_new.rows is not None},
    )


def changed_files(facts: RefreshFacts, name: str) -> TableChanges:
    """The changes of a source of which they are not lost."""
    changes = facts.source(name).changes
    assert isinstance(changes, TableChanges)
    return changes
