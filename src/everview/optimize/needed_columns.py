"""Plans without the columns that nothing in them looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from everview.algebra.memo import Memo
from everview.algebra.operator import ids
from everview.algebra.relations import Except, Intersect, Join, Project, Rel, Scan, UnionAll
from everview.algebra.scalars import Column, ColumnId, Ref, refs
from everview.algebra.walk import bottom_up, over_inputs, walk_plan
from everview.delta.groups import GroupingOperator
from everview.rewrite.project_merge import project_merge
from everview.rewrite.rules import rewrite

# What goes in: a plan whose scans give all columns of their tables. What comes out: the same rows,
# from a plan in which columns that nobody looks at are left out where they come from. Spark does
# so by itself in most queries. It cannot where whole rows are compared, and plans of changes do
# that: rows as they were are rows as they are, net of the changes. So it is done before changes
# are propagated; and again in a query, so that the driver fetches only what is looked at.
#
# First it is asked from the root down what is needed: an operator needs of its inputs what it
# looks at itself, and what it passes on to those above that need it. Then the plan is built anew
# from the leaves up: projections and unions give only the columns that are needed, and a
# projection stands right above each scan. A definition of inner joins and filters alone is left as
# it is: its changes are computed without comparing rows.
#
#     γ store, count(*) (sales ⋈ stores)      of sales only the store is needed: not the customer,
#                                             not the comment of 100 letters

Needed = Mapping[int, frozenset[ColumnId]]  # by the identity of an operator


def without_needless_columns(rel: Rel) -> Rel:
    """The definition with only the columns that are needed, where its rows are compared."""
    return with_needed_columns(rel) if any(map(_compares_rows, walk_plan(rel))) else rel


def _compares_rows(rel: Rel) -> bool:
    """Whether the changes of an operator's rows are found by comparing what was with what is."""
    if isinstance(rel, Join):
        return rel.kind not in ("inner", "cross")
    return isinstance(rel, GroupingOperator | Except | Intersect)


def with_needed_columns(rel: Rel) -> Rel:
    """The plan with only the columns that are needed."""
    needed = needed_columns(rel)
    memo = Memo[Rel]()

    def build(some: Rel) -> Rel:
        below = tuple(memo.of(i, build) for i in some.inputs)
        return _without_the_others(some, below, needed[id(some)])

    return rewrite(memo.of(rel, build), (project_merge,))


def needed_columns(rel: Rel) -> Needed:
    """Of every operator the columns that those above it look at, or that the plan gives."""
    needed: dict[int, frozenset[ColumnId]] = {id(rel): ids(rel.columns)}
    for some in reversed(list(bottom_up(rel))):
        for below, wanted in zip(some.inputs, _of_inputs(some, needed[id(some)]), strict=True):
            needed[id(below)] = needed.get(id(below), frozenset()) | wanted
    return needed


def _of_inputs(rel: Rel, wanted: frozenset[ColumnId]) -> tuple[frozenset[ColumnId], ...]:
    """What an operator needs of each input if these of its own columns are wanted."""
    match rel:
        case Project():
            kept = _kept(rel.columns, wanted)
            return (frozenset(r for c, made in rel.outputs if c in kept for r in refs(made)),)
        case UnionAll():
            places = [rel.columns.index(c) for c in _kept(rel.columns, wanted)]
            return tuple(ids(below.columns[i] for i in places) for below in rel.inputs)
        case _:
            read = rel.reads | wanted
            return tuple(read & ids(below.columns) for below in rel.inputs)


def _kept(columns: Sequence[Column], wanted: frozenset[ColumnId]) -> tuple[Column, ...]:
    """One column stays where only rows are counted: no text gives rows without any."""
    return tuple(c for c in columns if c.id in wanted) or tuple(columns[:1])


def _without_the_others(rel: Rel, below: tuple[Rel, ...], wanted: frozenset[ColumnId]) -> Rel:
    """The operator over inputs without needless columns, without its own."""
    kept = _kept(rel.columns, wanted)
    match rel:
        case Scan():
            return _only(rel, kept)
        case Project() if len(kept) < len(rel.columns):
            return Project(below[0], tuple((c, made) for c, made in rel.outputs if c in kept))
        case UnionAll():
            places = [rel.columns.index(c) for c in kept]
            sides = zip(rel.inputs, below, strict=True)
            parts = (_only(new, [old.columns[i] for i in places]) for old, new in sides)
            return UnionAll(tuple(parts), kept)
        case _:
            return over_inputs(rel, below)


def _only(rel: Rel, columns: Sequence[Column]) -> Rel:
    """The rows with these columns alone, in this order."""
    if rel.columns == tuple(columns):
        return rel
    return Project(rel, tuple((c, Ref(c.id)) for c in columns))
