"""Keys of joins, padded rows and NULLs among them (Vista, 4.2.1; outer joins are not in it)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from everview.algebra.derive.conditions import Said, said, tied
from everview.algebra.derive.minimal_keys import Key, Keys, equated
from everview.algebra.derive.never_null import never_null
from everview.algebra.relations import Join
from everview.algebra.scalars import ColumnId, Types


def join_keys(join: Join, left: Keys, right: Keys, types: Types) -> Iterable[Key]:
    what = said(join.condition, types)
    lefts, rights = ({c.id for c in side.columns} for side in (join.left, join.right))
    match join.kind:
        case "inner" | "cross":
            both = [*_with_partners(left, right, lefts, what)]
            both += _with_partners(right, left, rights, what)
            return equated(both, what)
        case "left":
            return _with_partners(left, right, lefts, what)
        case "right":
            return _with_partners(right, left, rights, what)
        case "full":
            return _padded_both(join, left, right)
        case "semi":
            return equated(left, what.among(lefts))
        case "anti" | "mark":
            return left
        case _:
            assert_never(join.kind)


def _with_partners(own: Keys, others: Keys, columns: set[ColumnId], what: Said) -> list[Key]:
    """k1 ∪ k2, without what the condition ties to the row itself: a key of all pairs, and of
    padded rows too, as a row is padded only where it has no partner.

    Where the whole of k2 is tied, the row has one partner at most, and k1 alone is a key.
    """
    known = tied(columns, what)
    return [key | (other - known) for key in own for other in others]


def _padded_both(join: Join, left: Keys, right: Keys) -> list[Key]:
    """k1 ∪ k2 with a column that is never NULL on its own side: without one, a row whose k1 is
    NULL and a row whose k2 is NULL look the same where each is padded.
    """
    filled = sorted(never_null(join.left) | never_null(join.right))
    both = [key | other for key in left for other in right]
    return [key if key.intersection(filled) else key | {filled[0]} for key in both if filled]
