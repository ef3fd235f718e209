"""The operators of seed 003 over Python sets, by its definitions D1 to D5."""

from __future__ import annotations

from everview.algebra.meaning.plans import Row

Set = frozenset[Row]  # rows whose first value is the join attribute; two values each

PADDING: Row = (None, None)  # the default tuple d


def join(s: Set, t: Set) -> Set:
    return frozenset(a + b for a in s for b in t if a[0] is not None and a[0] == b[0])


def semi(s: Set, t: Set) -> Set:
    """D1"""
    return frozenset(row[:2] for row in join(s, t))


def anti(s: Set, t: Set) -> Set:
    """D2"""
    return s - semi(s, t)


def left(s: Set, t: Set) -> Set:
    """D3"""
    return join(s, t) | padded(anti(s, t))


def right(s: Set, t: Set) -> Set:
    """D4"""
    return join(s, t) | padding_before(anti(t, s))


def full(s: Set, t: Set) -> Set:
    """D5"""
    return left(s, t) | padding_before(anti(t, s))


def padded(s: Set) -> Set:
    return frozenset(row + PADDING for row in s)


def padding_before(t: Set) -> Set:
    return frozenset(PADDING + row for row in t)


def times(s: Set, t: Set) -> Set:
    return frozenset(a + b for a in s for b in t)


def loyal(gone: Set, t: Set) -> Set:
    """The rows that are deleted and leave no friend behind: none with the same join value."""
    return anti(gone & t, t - gone)
