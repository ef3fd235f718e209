"""The delta rule of Shared."""

from __future__ import annotations

from everview.algebra.relations import Rel, Shared


def delta_shared(shared: Shared, changes: Rel | None) -> Rel | None:
    """Δ(shared A)  =  shared ΔA: the changes are computed once too."""
    return None if changes is None else Shared(f"changes of {shared.name}", changes)
