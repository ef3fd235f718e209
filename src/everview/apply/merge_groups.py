"""Stored groups and their lines of the change table merged over Python values, few at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from everview.aggregates.keyed import KeyedView
from everview.algebra.scalars import ColumnId, Ref, Scalar, comparable
from everview.apply.exact import Function, LeftToSpark, compiled, exactly
from everview.apply.group_update import GroupUpdate, group_update

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class MergedGroups:
    """What becomes of the touched groups.

    `rows` are the new rows as they are stored, and `replaces` says of each the number of the
    stored row in whose place it comes, None if its group is new. `gone` are the numbers of all
    stored rows that are to go. The other numbers count the groups whose public row appeared,
    became another and vanished.
    """

    rows: tuple[Row, ...]
    replaces: tuple[int | None, ...]
    gone: tuple[int, ...]
    inserted: int
    updated: int
    deleted: int


@dataclass(frozen=True, slots=True)
class GroupsToRecompute:
    """The lines of the change table whose groups must be computed from their rows."""

    lines: tuple[int, ...]


class MergeGroups:
    """The refresh operator for keyed views (Gupta & Mumick, definition 2) for groups at hand.

    A stored group whose count stays above 0 is updated, one whose count becomes 0 is deleted, a
    key that is not stored is inserted, never with count 0. Without keys the one group stays.
    LeftToSpark is raised where a scalar is Spark's own or a value is such that only Spark decides;
    a check that fails is left to Spark too, which raises its error.
    """

    def __init__(self, view: KeyedView) -> None:
        update = group_update(view)
        if update is None:
            raise LeftToSpark("touched groups are recomputed")
        self._update = update
        self._empty = _compiled(update.empty)
        self._merged = _compiled(update.merged)
        self._public = _compiled(update.public)
        self._shown = [compiled(s) for s in _shown(view, update)]
        self._certain, self._lost = compiled(update.certain), compiled(update.lost)

    def merge(
        self, lines: Sequence[Row], stored: Sequence[Row], places: Mapping[int, int]
    ) -> MergedGroups | GroupsToRecompute:
        """`places` says for a line of the change table which stored row has its key."""
        with exactly():
            before = [self._before(line, stored, places.get(i)) for i, line in enumerate(lines)]
            redo = [i for i, old in enumerate(before) if self._is_lost(old, stored=i in places)]
            if redo:
                return GroupsToRecompute(tuple(redo))
            return self._all([(old, places.get(i)) for i, old in enumerate(before)])

    def _before(self, line: Row, stored: Sequence[Row], place: int | None) -> dict[ColumnId, Any]:
        """The values of a group before the change, and its changes beside them."""
        if place is None:
            old = {column: function({}) for column, function in self._empty}
        else:
            old = dict(zip(self._update.stored, stored[place], strict=True))
        old.update(zip(self._update.changes, line, strict=True))
        return old

    def _is_lost(self, old: Mapping[ColumnId, Any], *, stored: bool) -> bool:
        return self._certain(old) is True or (stored and self._lost(old) is True)

    def _all(self, groups: list[tuple[dict[ColumnId, Any], int | None]]) -> MergedGroups:
        rows: list[Row] = []
        replaces: list[int | None] = []
        inserted = updated = deleted = 0
        for old, place in groups:
            new = self._after(old)
            is_there = not self._update.keys or new[self._update.count] > 0
            if is_there:
                rows.append(tuple(new[column] for column in self._update.stored))
                replaces.append(place)
            inserted += is_there and place is None
            deleted += not is_there and place is not None
            updated += is_there and place is not None and self._differs(old, new)
        gone = tuple(place for _, place in groups if place is not None)
        return MergedGroups(tuple(rows), tuple(replaces), gone, inserted, updated, deleted)

    def _after(self, old: Mapping[ColumnId, Any]) -> dict[ColumnId, Any]:
        new = {column: function(old) for column, function in self._merged}
        if new[self._update.count] < 0:
            raise LeftToSpark("the count of a group is below 0")
        new.update([(column, function(new)) for column, function in self._public])
        return new

    def _differs(self, old: Mapping[ColumnId, Any], new: Mapping[ColumnId, Any]) -> bool:
        return any(shown(old) != shown(new) for shown in self._shown)


def _shown(view: KeyedView, update: GroupUpdate) -> list[Scalar]:
    """The public columns in a form that tells different values apart."""
    public = zip(view.public, update.stored, strict=False)
    return [comparable(Ref(held), view.types[column.id]) for (column, _), held in public]


def _compiled(scalars: Sequence[tuple[ColumnId, Scalar]]) -> list[tuple[ColumnId, Function]]:
    return [(column, compiled(scalar)) for column, scalar in scalars]
