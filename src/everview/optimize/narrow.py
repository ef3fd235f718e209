"""Scans cut to the ranges of the keys that a plan looks for, so that files need not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import assert_never

from everview.algebra.ranges import Range
from everview.algebra.relations import Copies, Join, Rel, Scan
from everview.algebra.scalars import ColumnId
from everview.algebra.walk import bottom_up, transformed
from everview.optimize.reach import LeafFacts, Ranges, Reach

# What goes in: a plan, and what is known of the values of its leaves. What comes out: the same
# plan, in which scans say between which values their rows lie; the files of a table that hold no
# such value are not read. First `Reach` goes up the plan: how far do the values of each operator
# reach? Then this module goes down, from the root to the leaves: which rows of each operator
# matter to those above it? An operator passes a range on to an input where it works separately by
# that column, and a join adds what it knows of the other side. An operator that several read is
# looked at after all of them, and gives the hull of what they want. Two passes over the plan,
# each operator once.
#
#     Δsales ⋈ stores  on store = id           Δsales.store reaches from 3 to 5
#     so of stores only the rows with id from 3 to 5 have a partner,
#     and the plan reads  stores within id 3..5.
#
# Nothing is lost where a row too many stays: the join or the filter above is still there. So a
# range is passed on only where that is known to be right, and any other operator asks for all
# rows.

_ALL_ROWS: Ranges = {}


def narrowed(rel: Rel, leaf_facts: LeafFacts) -> Rel:
    """The plan with each scan within the ranges outside of which no row can matter.

    A ⋈ B and A ⋉ B look at no row of A whose key lies beyond those of B: what B's leaves say of
    its keys goes down through A to the tables. What several read is cut to what all of them want.
    """
    reach = Reach(rel, leaf_facts)
    wanted = _Wanted(reach).of_scans(rel)

    def within_ranges(some: Rel) -> Rel:
        if not isinstance(some, Scan):
            return some
        types = leaf_facts(some)[0]
        ranges = {c: r for c, r in wanted[id(some)].items() if c in types}
        within = tuple(sorted(_intersection(dict(some.within), ranges).items(), key=_column))
        return some if within == some.within else replace(some, within=within)

    return transformed(rel, within_ranges)


class _Wanted:
    """Which rows of each operator matter to those above it."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    def of_scans(self, rel: Rel) -> Mapping[int, Ranges]:
        """What is wanted of each scan, by its identity."""
        asked: dict[int, list[Ranges]] = {id(rel): [_ALL_ROWS]}
        found: dict[int, Ranges] = {}
        for some in reversed(list(bottom_up(rel))):
            wanted = reduce(_hull, asked[id(some)])
            if isinstance(some, Scan):
                found[id(some)] = wanted
            for below, ranges in zip(some.inputs, self._of_inputs(some, wanted), strict=True):
                asked.setdefault(id(below), []).append(ranges)
        return found

    def _of_inputs(self, rel: Rel, wanted: Ranges) -> tuple[Ranges, ...]:
        """What an operator wants of each input, given what is wanted of it."""
        match rel:
            case Copies():  # changes are not cut, so the rows they are taken from must not be
                return (_ALL_ROWS,)
            case Join():
                return self._of_sides(rel, wanted)
            case _:
                return self._passed_down(rel, wanted)

    def _passed_down(self, rel: Rel, wanted: Ranges) -> tuple[Ranges, ...]:
        """The ranges of the columns by which the operator works separately; an input of a set
        operation may be cast to the others' type, which makes its range another.
        """
        return tuple(
            _intersection(
                *(
                    {own: wanted[column]}
                    for column, own in columns.items()
                    if column in wanted and self._reach.alike(column, own)
                )
            )
            for columns in rel.separate_by
        )

    def _of_sides(self, join: Join, wanted: Ranges) -> tuple[Ranges, Ranges]:
        """Of a side that is only tested for partners, those that some row may have."""
        of_left, of_right = self._passed_down(join, wanted)
        met_left, met_right = self._partners(join, of_left, of_right)
        match join.kind:
            case "inner" | "cross" | "semi":
                return _intersection(of_left, met_left), _intersection(of_right, met_right)
            case "left" | "anti" | "mark":
                return of_left, met_right
            case "right":
                return met_left, of_right
            case "full":
                return _ALL_ROWS, _ALL_ROWS
            case _:
                assert_never(join.kind)

    def _partners(self, join: Join, left: Ranges, right: Ranges) -> tuple[Ranges, Ranges]:
        """The ranges in which rows of each side have partners that matter."""
        known_left = _intersection(left, self._reach.of(join.left))
        known_right = _intersection(right, self._reach.of(join.right))
        met: tuple[dict[ColumnId, Range], dict[ColumnId, Range]] = {}, {}
        for one, other, nulls in self._reach.pairs(join):
            for to, of, known, found in (
                (one, other, known_right, met[0]),
                (other, one, known_left, met[1]),
            ):
                if of in known:
                    found[to] = known[of] if nulls else known[of].without_null()
        return met


def _intersection(*some: Ranges) -> Ranges:
    """Rows that lie in all of these ranges."""
    met: dict[ColumnId, Range] = {}
    for ranges in some:
        for column, range_ in ranges.items():
            met[column] = met[column].cut(range_) if column in met else range_
    return met


def _hull(one: Ranges, other: Ranges) -> Ranges:
    """Rows that lie in one of them."""
    return {c: r.hull(other[c]) for c, r in one.items() if c in other}


def _column(range_: tuple[ColumnId, Range]) -> ColumnId:
    return range_[0]
