"""From an aggregate to its change table (Gupta & Mumick, 5.1)."""

from __future__ import annotations

from everview.aggregates.keyed import KeyedView
from everview.algebra.calls import WorkDelta
from everview.algebra.derive.signs import Signs
from everview.algebra.relations import ChangeTable, Net, Project, Rel
from everview.algebra.scalars import NULL, Cast, Column, Ref, Scalar, integer

_OF_DELETIONS = ("removed", "deleted", "deleted_copies")


def change_table(view: KeyedView, changes: Rel) -> Rel:
    """□(γ A)  =  γ□ ΔA: the same grouping over the weighted rows, one work-area delta per area.

    Extremes want net changes: else a row that came and went within one batch would be an
    inserted and a deleted extreme of a group that nothing is stored of. Insertions alone are
    net as they are.
    """
    areas = view.work_deltas()
    if Signs().of(changes) == 1:
        return _without_deletions(changes, view.keys, areas)
    has_extremes = any(kept.area.lost is not None for kept in view.areas)
    return ChangeTable(Net(changes) if has_extremes else changes, view.keys, areas)


def _without_deletions(
    changes: Rel, keys: tuple[Column, ...], areas: tuple[tuple[Column, WorkDelta], ...]
) -> Rel:
    """The same change table where nothing is deleted: those columns are known beforehand."""
    asked = tuple((c, a) for c, a in areas if a.function not in _OF_DELETIONS)
    table = ChangeTable(changes, keys, asked)
    return Project(
        table,
        (*((k, Ref(k.id)) for k in keys), *((c, _known(c, a)) for c, a in areas)),
    )


def _known(column: Column, area: WorkDelta) -> Scalar:
    if area.function not in _OF_DELETIONS:
        return Ref(column.id)
    return Cast(NULL, area.type) if area.function == "deleted" else integer(0)
