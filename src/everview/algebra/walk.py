"""Walking and rebuilding plans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from everview.algebra.relations import (
    Aggregate,
    At,
    Changes,
    ChangeTable,
    Filter,
    Join,
    Local,
    Negate,
    Net,
    Project,
    Rel,
    Scan,
    UnionAll,
    Values,
)
from everview.algebra.scalars import ColumnId, refs


def inputs(rel: Rel) -> tuple[Rel, ...]:
    match rel:
        case Scan() | Changes() | Local() | Values():
            return ()
        case Filter() | Project() | Aggregate() | Negate() | Net():
            return (rel.input,)
        case ChangeTable():
            return (rel.changes,)
        case Join():
            return (rel.left, rel.right)
        case UnionAll():
            return rel.inputs
        case _:
            assert_never(rel)


def with_inputs(rel: Rel, new: tuple[Rel, ...]) -> Rel:
    """The operator over other inputs."""
    match rel:
        case Scan() | Changes() | Local() | Values():
            return rel
        case Filter() | Project() | Aggregate() | Negate() | Net():
            return replace(rel, input=new[0])
        case ChangeTable():
            return replace(rel, changes=new[0])
        case Join():
            return replace(rel, left=new[0], right=new[1])
        case UnionAll():
            return replace(rel, inputs=new)
        case _:
            assert_never(rel)


def walk_plan(rel: Rel) -> Iterator[Rel]:
    """The operators of a plan, root first."""
    yield rel
    for child in inputs(rel):
        yield from walk_plan(child)


def at(rel: Rel, snapshot: At) -> Rel:
    """The plan with every scan at that snapshot."""
    if isinstance(rel, Scan):
        return replace(rel, at=snapshot)
    return with_inputs(rel, tuple(at(i, snapshot) for i in inputs(rel)))


def tables(rel: Rel) -> frozenset[str]:
    """The tables that the plan reads, by scan or by changes."""
    return frozenset(r.table for r in walk_plan(rel) if isinstance(r, Scan | Changes))


def highest_id(rel: Rel) -> ColumnId:
    """The highest column id in use, so that new ones can be numbered after it."""
    return max((c.id for r in walk_plan(rel) for c in r.columns), default=0)


def used_columns(rel: Rel) -> frozenset[ColumnId]:
    """The columns that some operator of the plan reads, or that the plan gives."""
    used = {c.id for c in rel.columns}
    for operator in walk_plan(rel):
        match operator:
            case Filter(_, condition):
                used |= refs(condition)
            case Project(_, outputs):
                used |= {r for _, scalar in outputs for r in refs(scalar)}
            case Join(_, _, _, condition) if condition is not None:
                used |= refs(condition)
            case UnionAll(some, _):
                used |= {c.id for i in some for c in i.columns}
            case Aggregate(_, keys, calls):
                used |= {k.id for k in keys} | {a for _, call in calls for a in call.args}
            case Net(input_):
                used |= {c.id for c in input_.columns}
            case ChangeTable(_, keys, areas):
                used |= {k.id for k in keys} | {a.arg for _, a in areas if a.arg is not None}
            case _:
                pass
    return frozenset(used)
