"""Scans cut to the ranges of the keys that a plan looks for, so that files need not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

from everview.algebra.ranges import Range
from everview.algebra.relations import (
    Aggregate,
    ChangeTable,
    Copies,
    Distinct,
    Except,
    Filter,
    Generate,
    Intersect,
    Join,
    Negate,
    Net,
    Pivot,
    Project,
    Rel,
    Scan,
    Shared,
    Signed,
    Touched,
    UnionAll,
    Unpivot,
    Window,
)
from everview.algebra.scalars import Column, ColumnId, Ref
from everview.algebra.walk import bottom_up, inputs, transformed
from everview.optimize.reach import LeafFacts, Ranges, Reach, of_columns

_NOTHING: Ranges = {}


def narrowed(rel: Rel, leaf_facts: LeafFacts) -> Rel:
    """The plan with each scan within the ranges outside of which no row can matter.

    A ⋈ B and A ⋉ B look at no row of A whose key lies beyond those of B: what B's leaves say of
    its keys goes down through A to the tables. What several read is cut to what all of them want.
    """
    reach = Reach(rel, leaf_facts)
    wanted = _Wanted(reach).of_scans(rel)

    def cut(some: Rel) -> Rel:
        if not isinstance(some, Scan):
            return some
        types = leaf_facts(some)[0]
        ranges = {c: r for c, r in wanted[id(some)].items() if c in types}
        within = tuple(sorted(_both(dict(some.within), ranges).items(), key=lambda r: r[0]))
        return some if within == some.within else replace(some, within=within)

    return transformed(rel, cut)


class _Wanted:
    """Which rows of each operator matter to those above it."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    def of_scans(self, rel: Rel) -> Mapping[int, Ranges]:
        """What is wanted of each scan, by its identity."""
        asked: dict[int, list[Ranges]] = {id(rel): [_NOTHING]}
        found: dict[int, Ranges] = {}
        for some in reversed(list(bottom_up(rel))):
            wanted = reduce(_either, asked[id(some)])
            if isinstance(some, Scan):
                found[id(some)] = wanted
            for below, ranges in zip(inputs(some), self._below(some, wanted), strict=True):
                asked.setdefault(id(below), []).append(ranges)
        return found

    def _below(self, rel: Rel, wanted: Ranges) -> tuple[Ranges, ...]:
        """What an operator wants of each input, given what is wanted of it."""
        match rel:
            case Filter() | Distinct() | Shared() | Signed() | Negate() | Net() | Touched():
                return (wanted,)
            case Copies():  # changes are not cut, so the rows they are taken from must not be
                return (_NOTHING,)
            case Generate():
                return (of_columns(wanted, rel.input.columns),)
            case Aggregate() | Pivot() | ChangeTable():
                return (of_columns(wanted, rel.keys),)
            case Window():
                return (of_columns(wanted, rel.partition),)
            case Unpivot():
                return (of_columns(wanted, rel.kept),)
            case Project():
                return (_both({}, *_of_outputs(rel, wanted)),)
            case UnionAll() | Except() | Intersect():
                return tuple(self._renamed(wanted, rel.columns, i.columns) for i in inputs(rel))
            case Join():
                return self._join(rel, wanted)
            case _:
                return tuple(_NOTHING for _ in inputs(rel))

    def _renamed(
        self, ranges: Ranges, columns: tuple[Column, ...], own: tuple[Column, ...]
    ) -> Ranges:
        """For an input of a set operation, which may be cast to the others' type."""
        pairs = zip(columns, own, strict=True)
        return {
            mine.id: ranges[c.id]
            for c, mine in pairs
            if c.id in ranges and self._reach.alike(c.id, mine.id)
        }

    def _join(self, join: Join, wanted: Ranges) -> tuple[Ranges, Ranges]:
        of_left = of_columns(wanted, join.left.columns)
        of_right = of_columns(wanted, join.right.columns)
        met_left, met_right = self._partners(join, of_left, of_right)
        match join.kind:
            case "inner" | "cross" | "semi":
                return _both(of_left, met_left), _both(of_right, met_right)
            case "left" | "anti" | "mark":
                return of_left, met_right
            case "right":
                return met_left, of_right
            case _:
                return _NOTHING, _NOTHING

    def _partners(self, join: Join, left: Ranges, right: Ranges) -> tuple[Ranges, Ranges]:
        """The ranges in which rows of each side have partners that matter."""
        known_left = _both(left, self._reach.of(join.left))
        known_right = _both(right, self._reach.of(join.right))
        met: tuple[dict[ColumnId, Range], dict[ColumnId, Range]] = {}, {}
        for one, other, nulls in self._reach.pairs(join):
            for to, of, known, found in (
                (one, other, known_right, met[0]),
                (other, one, known_left, met[1]),
            ):
                if of in known:
                    found[to] = known[of] if nulls else known[of].without_null()
        return met


def _of_outputs(rel: Project, wanted: Ranges) -> list[Ranges]:
    """By output that is a column of the input; two may be of one."""
    outputs = [
        (s.id, wanted[c.id]) for c, s in rel.outputs if c.id in wanted and isinstance(s, Ref)
    ]
    return [{of: range_} for of, range_ in outputs]


def _both(*some: Ranges) -> Ranges:
    """Rows that lie in all of these ranges."""
    met: dict[ColumnId, Range] = {}
    for ranges in some:
        for column, range_ in ranges.items():
            met[column] = met[column].cut(range_) if column in met else range_
    return met


def _either(one: Ranges, other: Ranges) -> Ranges:
    """Rows that lie in one of them."""
    return {c: r.hull(other[c]) for c, r in one.items() if c in other}
