"""What depends on an order of rows: windows and limits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from everview.algebra.calls import SortKey, WindowCall
from everview.algebra.meaning.bags import Row, chosen, named
from everview.algebra.meaning.groups import UNDERSTOOD, aggregated
from everview.algebra.meaning.scalars import NoMeaning, value
from everview.algebra.relations import TopK, Window
from everview.algebra.scalars import Call, Columns, Scalar


def top_k(rel: TopK, some: list[Row]) -> list[Row]:
    """Rows that the order does not tell apart stay as they come."""
    ordered = [some[i] for i in _in_order(rel.order, some, rel.columns)]
    first = 0 if rel.offset is None else _number(rel.offset)
    return ordered[first : None if rel.limit is None else first + _number(rel.limit)]


def _number(scalar: Scalar) -> int:
    found = value(scalar, {})
    if not isinstance(found, int) or found < 0:  # Spark refuses NULL and negative numbers
        raise NoMeaning(f"a limit of {scalar}")
    return found


def window(rel: Window, some: list[Row]) -> list[Row]:
    partitions: dict[Row, list[Row]] = defaultdict(list)
    for row in some:
        partitions[chosen(named(rel.input.columns, row), rel.partition)].append(row)
    return [
        row + tuple(said)
        for members in partitions.values()
        for row, *said in zip(
            members, *(_said(c, members, rel.input.columns) for _, c in rel.calls), strict=True
        )
    ]


def _said(call: WindowCall, members: list[Row], columns: Columns) -> list[Any]:
    """What the call says of each row of a partition."""
    if call.frame:
        raise NoMeaning(call.frame)
    known = [named(columns, row) for row in members]
    said: list[Any] = [None] * len(members)
    before: list[int] = []  # the rows ordered before these peers
    for rank, peers in enumerate(_peers(call.order, members, columns), 1):
        for place, i in enumerate(peers, len(before) + 1):
            match call.function:
                case Call("row_number", ()):
                    said[i] = place
                case Call("rank", ()):
                    said[i] = len(before) + 1
                case Call("dense_rank", ()):
                    said[i] = rank
                case Call(name, args) if name in UNDERSTOOD:
                    frame = [tuple(value(a, known[j]) for a in args) for j in before + peers]
                    said[i] = aggregated(UNDERSTOOD[name], frame)
                case other:
                    raise NoMeaning(repr(other))
        before += peers
    return said


def _peers(order: tuple[SortKey, ...], some: list[Row], columns: Columns) -> Iterator[list[int]]:
    """The places of the rows in order, those together that it does not tell apart."""

    def key(i: int) -> Row:
        known = named(columns, some[i])
        return tuple(known[k.column] for k in order)

    return (list(peers) for _, peers in groupby(_in_order(order, some, columns), key))


def _in_order(order: tuple[SortKey, ...], some: list[Row], columns: Columns) -> list[int]:
    """The places of the rows in order; the last key first, as each sorting keeps ties."""
    known = [named(columns, row) for row in some]
    places = list(range(len(some)))
    for key in reversed(order):
        keyed = [(known[i][key.column], i) for i in places]
        nulls = [i for v, i in keyed if v is None]
        present = [(v, i) for v, i in keyed if v is not None]
        present.sort(key=lambda pair: pair[0], reverse=key.descending)
        found = [i for _, i in present]
        places = nulls + found if key.nulls_first else found + nulls
    return places
