"""The check that a pass gave the plan the columns and weights that it had."""

from __future__ import annotations

from everview.algebra.relations import Rel
from everview.errors import PlanSpoiled


def require_same(name: str, before: Rel, after: Rel, *, may_be_off: bool) -> None:
    """PlanSpoiled, by the name of the pass, unless the columns, by name and identity, and whether
    rows have weights, are the same.
    """
    if after.columns == before.columns and after.weighted == before.weighted:
        return
    report = "Report it with the text of the view."
    without = f" Until then EVERVIEW_PASSES_OFF={name} leaves the pass out." if may_be_off else ""
    raise PlanSpoiled(
        f"The pass {name} gave {_told(after)}; before it the plan had {_told(before)}.",
        remedy=report + without,
    )


def _told(rel: Rel) -> str:
    columns = ", ".join(f"{c.name}#{c.id}" for c in rel.columns)
    return f"the columns {columns} {'with' if rel.weighted else 'without'} weights"
