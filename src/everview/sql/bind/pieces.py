"""Printing an expression as pieces: its text, and the parts that were cut out of the tree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from sqlglot import exp

from everview.algebra.scalars import Scalar
from everview.sql.read.dialect import EverviewSpark
from everview.sql.read.refuse import Refuse

_SOMETHING = "x"  # before a place is marked: the printer looks at the first letter of a negated one


class Holes:
    """The parts cut out of one expression, each with the node that keeps its place in the tree."""

    def __init__(self) -> None:
        self._scalars: list[Scalar] = []
        self._kept: list[exp.Var] = []

    def keep(self, scalar: Scalar) -> exp.Var:
        """The node that stands for the scalar in the tree to be printed."""
        self._scalars.append(scalar)
        self._kept.append(exp.Var(this=_SOMETHING))
        return self._kept[-1]

    def pieces(self, tree: exp.Expr) -> tuple[str | Scalar, ...]:
        """What the tree prints, with each scalar in its place; refused unless the printer shows
        each of them once.

        The printer only joins strings. So the places are marked by a character that nothing else
        of the tree prints, whatever its literals and names hold.
        """
        mark = _absent(printed(tree))
        for place, node in enumerate(self._kept):
            node.set("this", f"{mark}{place}{mark}")
        texts = printed(tree).split(mark)
        shown = [int(place) for place in texts[1::2]]
        if sorted(shown) != list(range(len(self._scalars))):
            raise Refuse("this expression is not understood exactly", tree)
        return tuple(_between(texts[::2], [self._scalars[place] for place in shown]))


def _between(texts: list[str], scalars: list[Scalar]) -> Iterator[str | Scalar]:
    for place, text in enumerate(texts):
        if text:
            yield text
        if place < len(scalars):
            yield scalars[place]


def _absent(text: str) -> str:
    """A character that the text does not hold; the first ones are those that no text needs."""
    seen = set(text)
    return next(chr(code) for code in count(0xE000) if chr(code) not in seen)


def printed(node: exp.Expr) -> str:
    """The text of an expression, for Spark."""
    return node.sql(dialect=EverviewSpark)
