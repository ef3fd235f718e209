"""What was found of the operators of a plan, each looked at once however many read it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from everview.algebra.relations import Rel

_T = TypeVar("_T")


class Memo(Generic[_T]):
    """By operator what was found of it.

    By identity: equal operators may stand for different things, and comparing plans is slow. The
    operator is held as well, else another could take its place in memory.
    """

    def __init__(self) -> None:
        self._found: dict[int, tuple[Rel, _T]] = {}

    def of(self, rel: Rel, find: Callable[[Rel], _T]) -> _T:
        """What `find` says of the operator, which is asked once."""
        if id(rel) not in self._found:
            self._found[id(rel)] = rel, find(rel)
        return self._found[id(rel)][1]
