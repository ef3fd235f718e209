"""Sets of keys kept small: no key that holds another, and only so many."""

from __future__ import annotations

from collections.abc import Iterable

from everview.algebra.derive.conditions import Said
from everview.algebra.scalars import ColumnId

Key = frozenset[ColumnId]
Keys = frozenset[Key]

MOST = 8  # of a relation: combinations of many would take longer than they are worth


def minimal(found: Iterable[Key]) -> Keys:
    """The smallest of these keys, without those that hold another."""
    kept: list[Key] = []
    for key in sorted(set(found), key=lambda k: (len(k), sorted(k))):
        if len(kept) < MOST and not any(smaller <= key for smaller in kept):
            kept.append(key)
    return frozenset(kept)


def equated(found: Iterable[Key], what: Said) -> Keys:
    """With each column replaced by those that are equal to it (Vista, 4.2.1, selection):
    k with X in it gives k - {X} ∪ {Y}; what is fixed is left out.
    """
    fixed = frozenset(what.fixed)
    known = minimal(key - fixed for key in found)
    while True:
        swapped = [key - {x} | {y} for key in known for x, y in what.equal if x in key]
        more = minimal([*known, *swapped])
        if more == known:
            return known
        known = more
