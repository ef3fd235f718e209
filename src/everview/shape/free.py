"""Which columns of rows that are kept key by key may come out otherwise when computed again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from everview.algebra.relations import Aggregate, Filter, Project, Rel, Window
from everview.algebra.scalars import Column, ColumnId, Ref, Types, called, refs
from everview.delta.groups import group_columns
from everview.facts.refusals import RefusalKind
from everview.shape.maintained import Unmaintained
from everview.shape.repeating import not_repeating_call, not_repeating_windows


@dataclass(frozen=True, slots=True)
class OperatorOverKeys:
    """One operator over the base, and where it has the keys: by the column of the base."""

    operator: Rel
    keys: Mapping[ColumnId, Column]


def free_columns(
    steps: Iterable[OperatorOverKeys], types: Types, *, ties: bool = True
) -> frozenset[ColumnId] | Unmaintained:
    """The columns of the last operator that are free; a reason if even the number of rows is.
    `ties`: whether rows may tie in the order of a window.

    row_number() gives the rows of a partition other numbers among ties, but always the same
    numbers: a condition on it alone keeps as many rows of each key, though not always the same.
    With another condition beside it the number of rows may depend on which of them it keeps.
    """
    known = _Known(types, ties)
    for step in steps:
        refused = known.above(step)
        if refused is not None:
            done, name = refused
            reason = (
                f"which rows {done} {name} need not come out the same when they are computed again"
            )
            return Unmaintained(RefusalKind.NOT_REPEATING, reason, step.operator, name)
    return frozenset(known.free)


@dataclass
class _Known:
    """What is known of the columns at one height."""

    types: Types
    ties: bool
    free: set[ColumnId] = field(default_factory=set)
    numbers: set[ColumnId] = field(default_factory=set)  # of row_number()

    def above(self, step: OperatorOverKeys) -> tuple[str, str] | None:
        """Take one step up; where the rows themselves are free: what is done by which column."""
        operator = step.operator
        match operator:
            case Project(_, outputs):
                copies = {c.id for c, s in outputs if isinstance(s, Ref) and s.id in self.numbers}
                self.free = {c.id for c, s in outputs if refs(s) & self.free}
                self.numbers = copies
            case Filter():
                return self._filter(operator, {c.id for c in step.keys.values()})
            case Window() | Aggregate():
                return self._grouping(operator)
            case _:
                raise AssertionError(f"no step of a grouped view: {operator}")
        return None

    def _filter(self, rel: Filter, keys: set[ColumnId]) -> tuple[str, str] | None:
        read = refs(rel.condition)
        if not read & self.free:
            self.numbers = self.numbers if read <= keys else set()
            return None
        if not read <= self.numbers | keys or len(read - keys) > 1:
            name = next(c.name for c in rel.columns if c.id in read & self.free)
            return "pass a condition on", name
        self.free = {c.id for c in rel.columns} - keys
        self.numbers = set()
        return None

    def _lost(self, rel: Window) -> list[str]:
        return not_repeating_windows(rel, self.types, ties=self.ties)

    def _grouping(self, rel: Window | Aggregate) -> tuple[str, str] | None:
        lost = next((c.name for c in group_columns(rel) if c.id in self.free), "")
        if lost:
            return "are grouped by", lost
        match rel:
            case Window(_, _, calls):
                lost_values = zip(calls, self._lost(rel), strict=True)
                free = {c.id for (c, _), why in lost_values if why}
                numbers = {c.id for c, w in calls if called(w.function) == "row_number"}
                free |= {c.id for c, w in calls if w.args & self.free}
                self.free |= free
                self.numbers |= numbers
            case Aggregate(_, _, calls):
                free = {c.id for c, a in calls if not_repeating_call(a, self.types)}
                free |= {c.id for c, a in calls if set(a.args) & self.free}
                self.free, self.numbers = free, set()
            case _:
                assert_never(rel)
        return None
