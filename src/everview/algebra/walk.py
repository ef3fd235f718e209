"""Walking and rebuilding plans."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import assert_never

from everview.algebra.calls import VerbatimCall
from everview.algebra.relations import (
    Aggregate,
    At,
    Changes,
    ChangeTable,
    Copies,
    Distinct,
    Except,
    Filter,
    Generate,
    Intersect,
    Join,
    Local,
    Negate,
    Net,
    Pivot,
    Project,
    Rel,
    Scan,
    Shared,
    Signed,
    TableFunction,
    TopK,
    Touched,
    UnionAll,
    Unpivot,
    Values,
    Window,
)
from everview.algebra.scalars import ColumnId, Scalar, refs


def inputs(rel: Rel) -> tuple[Rel, ...]:
    match rel:
        case Scan() | Changes() | Local() | Values() | TableFunction():
            return ()
        case (
            Shared() | Filter() | Project() | Generate() | Unpivot() | Distinct() | Aggregate()
            | Window() | TopK() | Pivot() | Signed() | Negate() | Net() | Copies()
        ):  # fmt: skip
            return (rel.input,)
        case ChangeTable() | Touched():
            return (rel.changes,)
        case Join() | Except() | Intersect():
            return (rel.left, rel.right)
        case UnionAll():
            return rel.inputs
        case _:
            assert_never(rel)


def with_inputs(rel: Rel, new: tuple[Rel, ...]) -> Rel:
    """The operator over other inputs."""
    match rel:
        case Scan() | Changes() | Local() | Values() | TableFunction():
            return rel
        case (
            Shared() | Filter() | Project() | Generate() | Unpivot() | Distinct() | Aggregate()
            | Window() | TopK() | Pivot() | Signed() | Negate() | Net() | Copies()
        ):  # fmt: skip
            return replace(rel, input=new[0])
        case ChangeTable() | Touched():
            return replace(rel, changes=new[0])
        case Join() | Except() | Intersect():
            return replace(rel, left=new[0], right=new[1])
        case UnionAll():
            return replace(rel, inputs=new)
        case _:
            assert_never(rel)


def over_inputs(rel: Rel, new: tuple[Rel, ...]) -> Rel:
    """The operator over these inputs; itself where they are its own."""
    is_same = all(a is b for a, b in zip(new, inputs(rel), strict=True))
    return rel if is_same else with_inputs(rel, new)


def walk_plan(rel: Rel) -> Iterator[Rel]:
    """The operators of a plan, root first; one that several read is met once."""
    met: set[int] = set()

    def walk(some: Rel) -> Iterator[Rel]:
        if id(some) not in met:
            met.add(id(some))
            yield some
            for child in inputs(some):
                yield from walk(child)

    return walk(rel)


def bottom_up(rel: Rel) -> Iterator[Rel]:
    """The operators of a plan, inputs first; one that several read is met once."""
    met: set[int] = set()

    def walk(some: Rel) -> Iterator[Rel]:
        if id(some) not in met:
            met.add(id(some))
            for child in inputs(some):
                yield from walk(child)
            yield some

    return walk(rel)


def transformed(rel: Rel, change: Callable[[Rel], Rel]) -> Rel:
    """The plan with every operator changed, inputs first; one that several read stays one."""
    made: dict[int, Rel] = {}

    def transform(some: Rel) -> Rel:
        if id(some) not in made:
            below = over_inputs(some, tuple(transform(i) for i in inputs(some)))
            made[id(some)] = change(below)
        return made[id(some)]

    return transform(rel)


def at(rel: Rel, snapshot: At) -> Rel:
    """The plan with every scan at that snapshot."""

    def moved(some: Rel) -> Rel:
        return replace(some, at=snapshot) if isinstance(some, Scan) else some

    return transformed(rel, moved)


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
        used |= _read(operator)
    return frozenset(used)


def _read(rel: Rel) -> set[ColumnId]:
    """The columns of its inputs that an operator looks at."""
    match rel:
        case Filter() | Project() | Generate() | Pivot() | Window():
            return {r for s in scalars(rel) for r in refs(s)} | _named(rel)
        case Join():
            return set() if rel.condition is None else set(refs(rel.condition))
        case UnionAll() | Except() | Intersect() | Net() | Distinct():
            return {c.id for i in inputs(rel) for c in i.columns}
        case Touched(_, columns):
            return {c.id for c in columns}
        case Aggregate(_, keys, calls):
            return {k.id for k in keys} | {a for _, call in calls for a in call.args}
        case ChangeTable(_, keys, areas):
            return {k.id for k in keys} | {a.arg for _, a in areas if a.arg is not None}
        case TopK(_, order, _, _):
            return {key.column for key in order}
        case Unpivot(_, kept, _, _, rows, _):
            return {c.id for c in kept} | {c for _, entry in rows for c in entry}
        case (
            Scan()
            | Changes()
            | Local()
            | Values()
            | TableFunction()
            | Shared()
            | Signed()
            | Negate()
            | Copies()
        ):
            return set()
        case _:
            assert_never(rel)


def _named(rel: Rel) -> set[ColumnId]:
    match rel:
        case Pivot(_, keys, dimensions):
            return {c.id for c in (*keys, *dimensions)}
        case Window(_, partition, calls):
            order = {key.column for _, call in calls for key in call.order}
            return {c.id for c in partition} | order
        case _:
            return set()


def scalars(rel: Rel) -> tuple[Scalar, ...]:
    """The scalars of the operator itself."""
    match rel:
        case Filter(_, condition):
            return (condition,)
        case Project(_, outputs):
            return tuple(scalar for _, scalar in outputs)
        case Generate(_, generator):
            return (generator,)
        case Join(_, _, _, condition):
            return () if condition is None else (condition,)
        case Aggregate(_, _, calls):
            return tuple(call.text for _, call in calls if isinstance(call, VerbatimCall))
        case Window(_, _, calls):
            return tuple(call.function for _, call in calls)
        case TopK(_, _, limit, offset):
            return tuple(s for s in (limit, offset) if s is not None)
        case Pivot(_, _, _, values, measures, _):
            return (*(s for entry in values for s in entry), *measures)
        case Values(rows, _):
            return tuple(s for row in rows for s in row)
        case TableFunction(call, _):
            return (call,)
        case (
            Scan() | Changes() | Local() | Shared() | Unpivot() | UnionAll() | Except()
            | Intersect() | Distinct() | Signed() | Negate() | Net() | Copies() | Touched()
            | ChangeTable()
        ):  # fmt: skip
            return ()
        case _:
            assert_never(rel)
