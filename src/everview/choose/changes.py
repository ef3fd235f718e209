"""The plan of a view's changes, by how its rows are kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

from everview.algebra.derive.signs import Sign, Signs
from everview.algebra.relations import Net, Rel
from everview.algebra.types import can_be_compared
from everview.apply.grouped import touched_partitions
from everview.choose.variants import (
    AppendRows,
    Applied,
    ChangeGroups,
    ChangeRows,
    ReplacePartitions,
)
from everview.delta.aggregate import change_table
from everview.delta.context import NOTHING, Known
from everview.delta.propagate import delta
from everview.facts.refreshes import RefreshFacts
from everview.facts.tables import Changes as ChangedFiles
from everview.optimize.parts import MOST_READ_AGAIN
from everview.shape.grouped import Grouped
from everview.shape.shape import Bag, Keyed


@dataclass(frozen=True, slots=True)
class ViewChanges:
    """What changes are applied as, the plan that computes them, and whether they are insertions
    alone.
    """

    applied: Applied
    plan: Rel
    insert_only: bool


def changes_of(
    shape: Keyed | Grouped | Bag, changed: frozenset[str], known: Known = NOTHING
) -> ViewChanges:
    """The changes of the view when these tables changed.

    A bag is changed row by row and every line is counted: there is one line per distinct row,
    except that insertions alone are appended as they come.
    """
    changes = delta(_below(shape), changed, known)
    assert changes is not None, "a changed source that the definition does not read"
    gains = Signs().of(changes) == 1
    match shape:
        case Bag() if gains:
            return ViewChanges(AppendRows(), changes, gains)
        case Bag():
            return ViewChanges(ChangeRows(), Net(changes), gains)
        case Keyed(view, _):
            return ViewChanges(ChangeGroups(view, not gains), change_table(view, changes), gains)
        case Grouped(view, _, _):
            return ViewChanges(ReplacePartitions(view), touched_partitions(view, changes), gains)
        case _:
            assert_never(shape)


def _below(shape: Keyed | Grouped | Bag) -> Rel:
    """What rows are propagated of: the definition, or what lies below its groups."""
    match shape:
        case Bag(rel, _, _):
            return rel
        case Keyed(view, _):
            return view.input
        case Grouped(view, _, _):
            return view.base
        case _:
            assert_never(shape)


def known_of(facts: RefreshFacts, changed: Iterable[str]) -> Known:
    """Of these sources, those into which the files say that rows were only inserted, or from which
    only deleted; and which sources are large, or gone at OLD, of those whose rows can be compared.
    """
    files = {name: changed_files(facts, name) for name in changed}
    inserted: dict[str, Sign] = {name: 1 for name, some in files.items() if some.insert_only}
    deleted: dict[str, Sign] = {name: -1 for name, some in files.items() if some.delete_only}
    comparable = [
        s for s in facts.sources if all(can_be_compared(f.parsed) for f in s.at_new.schema.fields)
    ]
    return Known(
        {**inserted, **deleted},
        large=frozenset(s.name for s in comparable if s.at_new.bytes > MOST_READ_AGAIN),
        gone=frozenset(s.name for s in comparable if s.at_old is None),
    )


def changed_files(facts: RefreshFacts, name: str) -> ChangedFiles:
    """The changes of a source of which they are not lost."""
    changes = facts.source(name).changes
    assert isinstance(changes, ChangedFiles)
    return changes
