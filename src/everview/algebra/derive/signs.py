"""Which changes are insertions alone, or deletions alone; terms fall away (Vista, 5.12.2)."""

from __future__ import annotations

from typing import Literal

from everview.algebra.relations import (
    Changes,
    Filter,
    Generate,
    Join,
    Negate,
    Net,
    Project,
    Rel,
    Shared,
    Signed,
    UnionAll,
    Unpivot,
)

Sign = Literal[1, -1]
OTHER: dict[Sign, Sign] = {1: -1, -1: 1}


class Signs:
    """The sign that all lines of a weighted plan have; None where they may differ, or it is not
    known. Each operator is looked at once.
    """

    def __init__(self) -> None:
        # By identity; the plan is held as well, else another could take its place.
        self._known: dict[int, tuple[Rel, Sign | None]] = {}

    def of(self, rel: Rel) -> Sign | None:
        if id(rel) not in self._known:
            self._known[id(rel)] = rel, self._of(rel)
        return self._known[id(rel)][1]

    def _of(self, rel: Rel) -> Sign | None:
        match rel:
            case Changes():
                return rel.only
            case Signed():
                return rel.weight
            case Filter() | Project() | Generate() | Unpivot() | Shared() | Net():
                return self.of(rel.input) if rel.weighted else None
            case Negate():
                sign = self.of(rel.input)
                return None if sign is None else OTHER[sign]
            case Join():
                return self.of(rel.left) or self.of(rel.right) if rel.weighted else None
            case UnionAll():
                found = {self.of(term) for term in rel.inputs}
                return found.pop() if len(found) == 1 else None
            case _:
                return None
