"""Which changes are insertions alone, or deletions alone; terms fall away (Vista, 5.12.2)."""

from __future__ import annotations

from typing import Literal

from everview.algebra.memo import Memo
from everview.algebra.relations import Changes, Negate, Rel, Signed

WeightSign = Literal[1, -1]
OTHER: dict[WeightSign, WeightSign] = {1: -1, -1: 1}


class Signs:
    """The sign that all lines of a weighted plan have; None where they may differ, or it is not
    known. Each operator is looked at once.
    """

    def __init__(self) -> None:
        self._memo = Memo[WeightSign | None]()

    def of(self, rel: Rel) -> WeightSign | None:
        return self._memo.of(rel, self._find)

    def _find(self, rel: Rel) -> WeightSign | None:
        match rel:
            case Changes():
                return rel.only
            case Signed():
                return rel.weight
            case Negate():
                sign = self.of(rel.input)
                return None if sign is None else OTHER[sign]
            case _ if rel.keeps_signs:
                found = {self.of(i) for i in rel.inputs if i.weighted}
                return found.pop() if len(found) == 1 else None
            case _:
                return None
