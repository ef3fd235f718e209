"""Pull a projection below an inner join above it, so that joins become neighbours."""

from __future__ import annotations

from everview.algebra.relations import Join, Project, Rel
from everview.algebra.scalars import Column, Ref, Scalar, substitute


def join_project_transpose(rel: Rel) -> Rel:
    """Π(A) ⋈_p B  =  Π'(A ⋈_p' B), with p' = p over what Π computes from."""
    if not isinstance(rel, Join) or rel.kind != "inner":
        return rel
    if isinstance(rel.left, Project):
        project, left, right = rel.left, rel.left.input, rel.right
    elif isinstance(rel.right, Project):
        project, left, right = rel.right, rel.left, rel.right.input
    else:
        return rel
    if {c.id for c in left.columns} & {c.id for c in right.columns}:
        return rel  # both read one shared node
    computed = {column.id: scalar for column, scalar in project.outputs}
    condition = None if rel.condition is None else substitute(rel.condition, computed)
    joined = Join(rel.kind, left, right, condition, rel.broadcast)
    return Project(joined, tuple(_output(c, computed) for c in rel.columns))


def _output(column: Column, computed: dict[int, Scalar]) -> tuple[Column, Scalar]:
    return column, computed.get(column.id, Ref(column.id))
