"""Walking and rebuilding plans."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from everview.algebra.memo import Memo
from everview.algebra.relations import At, Changes, Rel, Scan
from everview.algebra.scalars import ColumnId


def over_inputs(rel: Rel, new: tuple[Rel, ...]) -> Rel:
    """The operator over these inputs; itself where they are its own."""
    is_same = all(a is b for a, b in zip(new, rel.inputs, strict=True))
    return rel if is_same else rel.over(new)


def walk_plan(rel: Rel) -> Iterator[Rel]:
    """The operators of a plan, root first; one that several read is met once."""
    met: set[int] = set()

    def walk(some: Rel) -> Iterator[Rel]:
        if id(some) not in met:
            met.add(id(some))
            yield some
            for child in some.inputs:
                yield from walk(child)

    return walk(rel)


def bottom_up(rel: Rel) -> Iterator[Rel]:
    """The operators of a plan, inputs first; one that several read is met once."""
    met: set[int] = set()

    def walk(some: Rel) -> Iterator[Rel]:
        if id(some) not in met:
            met.add(id(some))
            for child in some.inputs:
                yield from walk(child)
            yield some

    return walk(rel)


def transformed(rel: Rel, change: Callable[[Rel], Rel]) -> Rel:
    """The plan with every operator changed, inputs first; one that several read stays one."""
    memo = Memo[Rel]()

    def transform(some: Rel) -> Rel:
        return change(over_inputs(some, tuple(memo.of(i, transform) for i in some.inputs)))

    return memo.of(rel, transform)


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
        used |= operator.reads
    return frozenset(used)
