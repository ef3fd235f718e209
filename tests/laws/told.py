"""The same changes of tables, told otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from everview.algebra.meaning.plans import State
from tests.laws.tables import backwards, batches, grosser, in_two, netted, one_by_one

TOLD = ("backwards", "net", "grosser", "table by table", "in two batches")


def told_otherwise(
    how: str, rng: Random, state: State, changed: frozenset[str]
) -> Iterator[tuple[State, frozenset[str]]]:
    """The same changes, and those of each refresh where they come in several.

    The law for each refresh of a sequence is the law that refresh(A) then refresh(B) is
    refresh(A + B), in any order of the sources.
    """
    match how:
        case "backwards":
            yield backwards(state), changed
        case "net":
            yield netted(state), changed
        case "grosser":
            yield grosser(rng, state, changed), changed
        case "table by table":
            yield from batches(state, one_by_one(rng, state))
        case _:
            yield from batches(state, in_two(rng, state))
