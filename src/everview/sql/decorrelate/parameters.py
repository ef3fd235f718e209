"""Subqueries that read the row around them: their parameters, and conditions moved to the top."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from everview.algebra.relations import Filter, Join, Project, Rel
from everview.algebra.scalars import (
    Column,
    ColumnId,
    Compare,
    IsNull,
    Not,
    Ref,
    Scalar,
    all_of,
    conjuncts,
    outers,
    refs,
    substitute_outer,
)
from everview.algebra.walk import walk_plan


def parameters(rel: Rel) -> frozenset[ColumnId]:
    """The columns of rows around that the plan reads."""
    return frozenset(id_ for r in walk_plan(rel) for s in r.scalars for id_ in outers(s))


@dataclass(frozen=True, slots=True)
class Carried:
    """A subquery without parameters: for each of them a column that holds its value.

    `strict`: the parameters whose column was found by `=`, so that a NULL belongs to no row.
    """

    rel: Rel
    held: Mapping[ColumnId, Column]
    strict: frozenset[ColumnId] = frozenset()

    def matches(self) -> tuple[Scalar, ...]:
        """The conditions that a row around belongs to a row of the relation."""
        return tuple(
            Compare("=" if id_ in self.strict else "<=>", Ref(id_), Ref(column.id))
            for id_, column in self.held.items()
        )

    def bound(self, scalar: Scalar) -> Scalar:
        """A scalar that read the parameters, over the columns that hold them."""
        return substitute_outer(scalar, {id_: Ref(c.id) for id_, c in self.held.items()})

    def passed(self) -> tuple[tuple[Column, Scalar], ...]:
        """The columns of the values, for a projection that keeps them."""
        return tuple((c, Ref(c.id)) for c in self.held.values())

    def same_as(self, other: Carried) -> tuple[Scalar, ...]:
        """The conditions that rows of both belong to one row around."""
        return tuple(
            Compare("<=>", Ref(c.id), Ref(other.held[id_].id)) for id_, c in self.held.items()
        )

    def plain(self) -> Carried:
        """The same without the rows whose value is NULL by `=`, which belong to no row around."""
        known = tuple(Not(IsNull(Ref(self.held[id_].id))) for id_ in sorted(self.strict))
        return Carried(Filter(self.rel, all_of(known)), self.held) if known else self


# The cheaper of two ways to take parameters out of a subquery; `carry` is the other. Where only
# filters, projections and inner joins stand above the conditions that read the row around, those
# conditions can move to the top, and become the condition of a join with the rows around; what is
# left reads no parameter.
#
#     EXISTS (SELECT 1 FROM s WHERE s.k = t.k AND s.x > 3)      for each row of t
#     t ⋉ σ x > 3 (s)  on s.k = t.k


def pulled(rel: Rel, ids: frozenset[ColumnId]) -> tuple[Rel, tuple[Scalar, ...]] | None:
    """The plan without its conditions on these parameters, and those conditions, over its columns;
    None where something other than filters, projections and inner joins stands above one.
    """
    if not parameters(rel) & ids:
        return rel, ()
    match rel:
        case Filter(input_, condition):
            below = pulled(input_, ids)
            if below is None:
                return None
            own, outer = _split(conjuncts(condition), ids)
            kept = Filter(below[0], all_of(own)) if own else below[0]
            return kept, below[1] + outer
        case Project(input_, outputs):
            below = pulled(input_, ids)
            if below is None or any(outers(s) & ids for _, s in outputs):
                return None
            needed = {r for s in below[1] for r in refs(s)} - {c.id for c, _ in outputs}
            more = tuple((c, Ref(c.id)) for c in below[0].columns if c.id in needed)
            return Project(below[0], outputs + more), below[1]
        case Join("inner" | "cross", left, right, condition):
            sides = pulled(left, ids), pulled(right, ids)
            if sides[0] is None or sides[1] is None:
                return None
            own, outer = _split(conjuncts(condition), ids)
            join = (
                Join("inner", sides[0][0], sides[1][0], all_of(own))
                if own
                else Join("cross", sides[0][0], sides[1][0])
            )
            return join, sides[0][1] + sides[1][1] + outer
        case _:
            return None


def _split(
    parts: tuple[Scalar, ...], ids: frozenset[ColumnId]
) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
    own = tuple(p for p in parts if not outers(p) & ids)
    return own, tuple(p for p in parts if outers(p) & ids)
