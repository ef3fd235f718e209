"""Two projections in a row as one."""

from __future__ import annotations

from everview.algebra.relations import Project, Rel
from everview.algebra.scalars import substitute


def project_merge(rel: Rel) -> Rel:
    """Π_f(Π_g(A))  =  Π_f∘g(A)"""
    if not isinstance(rel, Project) or not isinstance(rel.input, Project):
        return rel
    computed = {column.id: scalar for column, scalar in rel.input.outputs}
    outputs = tuple((column, substitute(scalar, computed)) for column, scalar in rel.outputs)
    return Project(rel.input.input, outputs)
