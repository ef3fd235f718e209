"""From a relation without aggregate to its net changes, as rows to insert and delete."""

from __future__ import annotations

from everview.algebra.relations import Net, Rel
from everview.delta.propagate import delta


def net_changes(rel: Rel, changed: frozenset[str]) -> Rel | None:
    """Net Δ(A): one line per distinct row, because a bag is changed row by row and every line
    is counted.

    A join with both sides changed, and a projection that drops an updated column, give lines
    that cancel.
    """
    changes = delta(rel, changed)
    return None if changes is None else Net(changes)
