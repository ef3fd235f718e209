"""The plan of a view's changes, by how its rows are kept."""

from __future__ import annotations

from typing import assert_never

from everview.algebra.relations import Rel
from everview.delta.aggregate import change_table
from everview.delta.changes import net_changes
from everview.delta.grouped import touched_partitions
from everview.delta.propagate import delta
from everview.plan.grouped import Grouped
from everview.plan.shape import Bag, Keyed


def changes_of(
    shape: Keyed | Grouped | Bag, changed: frozenset[str], *, insert_only: bool
) -> tuple[str, Rel]:
    """What the changes are applied as, and the plan that computes them."""
    match shape:
        case Bag(rel, _, _) if insert_only:
            variant, changes = "append", delta(rel, changed)
        case Bag(rel, _, _):
            variant, changes = "rows", net_changes(rel, changed)
        case Keyed(view, _):
            variant, changes = "groups", change_table(view, changed, insert_only=insert_only)
        case Grouped(view, _, _):
            variant, changes = "partitions", touched_partitions(view, changed)
        case _:
            assert_never(shape)
    assert changes is not None, "a changed source that the definition does not read"
    return variant, changes
