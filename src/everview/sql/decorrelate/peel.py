"""Plans that aggregate all rows at their top, taken apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from everview.algebra.relations import Aggregate, Distinct, Filter, Project, Rel, TopK
from everview.algebra.scalars import ColumnId, Constant, Ref, Scalar, substitute


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


def tested(rel: Rel) -> Rel:
    """What EXISTS asks of: neither the columns, nor copies, nor more than one row matter."""
    match rel:
        case Project(input_, _) | Distinct(input_):
            return tested(input_)
        case TopK(input_, _, Constant(_, int(limit)), None) if limit > 0:
            return tested(input_)
        case _:
            return rel
