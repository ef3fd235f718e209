"""The rows of many plans over one state, each distinct operator computed once."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache

from everview.algebra.meaning.plans import CountedBag, Line, State, bag, lines, minus
from everview.algebra.relations import At, Local, Rel, Scan


class Evaluator:
    """`meaning`, operator by operator: an operator is computed over its inputs' lines at hand.

    The plans of a law repeat themselves: a delta reads the same subtrees again and again.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self._lines: dict[str, tuple[Line, ...]] = {}
        self._state = State(state.tables, state.changes, self._lines)
        self._known: dict[tuple[object, ...], Local] = {}
        # By identity; the plan is held as well, else another could take its place.
        self._met: dict[int, tuple[Rel, Local]] = {}
        self._moved: dict[tuple[int, At], tuple[Rel, Rel]] = {}

    def lines(self, rel: Rel) -> tuple[Line, ...]:
        return self._lines[self._at_hand(rel).name]

    def keep(self, name: str, rel: Rel) -> None:
        """The rows of a plan at hand under a name, for plans to come."""
        self._lines[name] = self.lines(rel)

    def is_kept(self, name: str) -> bool:
        """Whether the rows of this name are at hand yet."""
        return name in self._lines

    def rows(self, rel: Rel) -> CountedBag:
        return bag(self.lines(rel))

    def snapshots(self, rel: Rel) -> tuple[CountedBag, CountedBag]:
        """The rows at OLD and at NEW."""
        return self.rows(self.at(rel, At.OLD)), self.rows(self.at(rel, At.NEW))

    def difference(self, rel: Rel) -> CountedBag:
        """What the changes of the relation must be."""
        old, new = self.snapshots(rel)
        return minus(new, old)

    def at(self, rel: Rel, snapshot: At) -> Rel:
        """The plan with every scan at that snapshot, made once of each subtree."""
        if (id(rel), snapshot) not in self._moved:
            moved = rel.over(tuple(self.at(i, snapshot) for i in rel.inputs))
            moved = replace(moved, at=snapshot) if isinstance(moved, Scan) else moved
            self._moved[id(rel), snapshot] = rel, moved
        return self._moved[id(rel), snapshot][1]

    def _at_hand(self, rel: Rel) -> Local:
        if id(rel) in self._met:
            return self._met[id(rel)][1]
        below = tuple(self._at_hand(i) for i in rel.inputs)
        # What tells the operator apart; building it over its inputs at hand costs more.
        key = (type(rel), *(getattr(rel, f) for f in _own_fields(type(rel))), *below)
        local = self._known.get(key)
        if local is None:
            shallow = rel.over(below)
            local = Local(f"#{len(self._known)}", shallow.columns, shallow.weighted)
            self._lines[local.name] = tuple(lines(shallow, self._state))
            self._known[key] = local
        self._met[id(rel)] = rel, local
        return local


@cache
def _own_fields(operator: type[Rel]) -> tuple[str, ...]:
    """The fields that are not inputs; UnionAll has any number of these."""
    return tuple(f.name for f in fields(operator) if f.compare and f.name not in _INPUTS)


_INPUTS = frozenset({"input", "changes", "left", "right", "inputs"})
