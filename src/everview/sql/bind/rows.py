"""The relation that the expressions of a clause are computed over, growing as they need it."""

from __future__ import annotations

from dataclasses import dataclass

from everview.algebra.fresh import Fresh
from everview.algebra.relations import Project, Rel, Shared
from everview.algebra.scalars import Column, ColumnId, Ref, Scalar, substitute_outer


@dataclass
class Rows:
    """A relation, to which subqueries and windows of expressions add columns; none goes."""

    rel: Rel
    fresh: Fresh

    @property
    def ids(self) -> frozenset[ColumnId]:
        return frozenset(c.id for c in self.rel.columns)

    def column(self, scalar: Scalar, name: str) -> Column:
        """The scalar as a column of the relation."""
        if isinstance(scalar, Ref):
            return next(c for c in self.rel.columns if c.id == scalar.id)
        made = self.fresh.column(name)
        own = tuple((c, Ref(c.id)) for c in self.rel.columns)
        self.rel = Project(self.rel, (*own, (made, scalar)))
        return made

    def here(self, scalar: Scalar) -> Scalar:
        """A scalar of a subquery where it is joined: what was outside are columns now."""
        return substitute_outer(scalar, {id_: Ref(id_) for id_ in self.ids})

    def shared(self) -> Shared:
        """The relation as one node, since it is read twice from now on."""
        if not isinstance(self.rel, Shared):
            self.rel = Shared(f"rows{self.fresh.number()}", self.rel)
        return self.rel
