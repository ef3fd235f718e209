"""Plans that aggregate all rows at their top, taken apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from everview.algebra.relations import Aggregate, Filter, Project, Rel
from everview.algebra.scalars import ColumnId, Ref, Scalar, substitute


@dataclass(frozen=True, slots=True)
class Peeled:
    """An aggregate without keys, the conditions on its row, and what is made of it."""

    aggregate: Aggregate
    conditions: tuple[Scalar, ...]
    outputs: Mapping[ColumnId, Scalar]


def peel(rel: Rel) -> Peeled | None:
    """The parts of a plan that aggregates all rows at its top; None for any other."""
    match rel:
        case Aggregate(_, (), calls):
            return Peeled(rel, (), {c.id: Ref(c.id) for c, _ in calls})
        case Project(input_, outputs) if (below := peel(input_)) is not None:
            made = {c.id: substitute(s, below.outputs) for c, s in outputs}
            return replace(below, outputs=made)
        case Filter(input_, condition) if (below := peel(input_)) is not None:
            own = substitute(condition, below.outputs)
            return replace(below, conditions=(*below.conditions, own))
        case _:
            return None
