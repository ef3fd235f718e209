"""Stored groups and their lines of the change table merged over Python values, few at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from everview.aggregates.keyed import KeyedView
from everview.algebra.scalars import ColumnId, Ref, Scalar, comparable
from everview.apply.exact import Function, LeftToSpark, compiled, exactly
from everview.apply.group_update import GroupUpdate, group_update

GroupRow = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class MergedGroups:
    """What becomes of the touched groups.

    `rows` are the new rows as they are stored, and `gone` the numbers of the stored rows that are
    to go; a group that stays as it is has neither. `inserted` and `updated` are the numbers of the
    new rows whose group is new, or whose public columns are others than before; `replaced` and
    `deleted` those of the stored rows that belong to the updated groups, in the same order, and to
    groups that vanish. `counted` says how many rows a reader sees come, change and go: of a view
    that shows only some of its groups that is not the same.
    """

    rows: list[GroupRow] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    inserted: list[int] = field(default_factory=list)
    updated: list[int] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)
    deleted: list[int] = field(default_factory=list)
    counted: Counter[str] = field(default_factory=Counter)


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
        self, lines: Sequence[GroupRow], stored: Sequence[GroupRow], places: Mapping[int, int]
    ) -> MergedGroups | GroupsToRecompute:
        """`places` says for a line of the change table which stored row has its key."""
        with exactly():
            before = [self._before(line, stored, places.get(i)) for i, line in enumerate(lines)]
            redo = [i for i, old in enumerate(before) if self._is_lost(old, stored=i in places)]
            if redo:
                return GroupsToRecompute(tuple(redo))
            return self._all([(old, places.get(i)) for i, old in enumerate(before)])

    def _before(
        self, line: GroupRow, stored: Sequence[GroupRow], place: int | None
    ) -> dict[ColumnId, Any]:
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
        found = MergedGroups()
        for old, place in groups:
            new = self._after(old)
            is_there = not self._update.keys or new[self._update.count] > 0
            change = _change(
                before=self._is_seen(old, there=place is not None),
                after=self._is_seen(new, there=is_there),
            )
            if not is_there and place is not None:
                found.gone.append(place)
                found.deleted.append(place)
                found.counted.update(change)
            elif is_there and place is None:
                found.inserted.append(len(found.rows))
                found.rows.append(self._row(new))
                found.counted.update(change)
            elif is_there and place is not None and self._row(old) != self._row(new):
                if self._differs(old, new):
                    found.updated.append(len(found.rows))
                    found.replaced.append(place)
                    found.counted.update(change)
                found.gone.append(place)
                found.rows.append(self._row(new))
        return found

    def _is_seen(self, group: Mapping[ColumnId, Any], *, there: bool) -> bool:
        shown = self._update.shown
        return there and (shown is None or group[shown] is True)

    def _row(self, group: Mapping[ColumnId, Any]) -> GroupRow:
        return tuple(group[column] for column in self._update.stored)

    def _after(self, old: Mapping[ColumnId, Any]) -> dict[ColumnId, Any]:
        new = {column: function(old) for column, function in self._merged}
        if new[self._update.count] < 0:
            raise LeftToSpark("the count of a group is below 0")
        new.update([(column, function(new)) for column, function in self._public])
        return new

    def _differs(self, old: Mapping[ColumnId, Any], new: Mapping[ColumnId, Any]) -> bool:
        return any(shown(old) != shown(new) for shown in self._shown)


def _change(*, before: bool, after: bool) -> Counter[str]:
    """What a reader sees of a stored row that is written anew."""
    if not before and not after:
        return Counter()
    return Counter(("update" if before and after else "insert" if after else "delete",))


def _shown(view: KeyedView, update: GroupUpdate) -> list[Scalar]:
    """The public columns in a form that tells different values apart."""
    public = zip(view.public, update.stored, strict=False)
    return [comparable(Ref(held), view.types[column.id]) for (column, _), held in public]


def _compiled(scalars: Sequence[tuple[ColumnId, Scalar]]) -> list[tuple[ColumnId, Function]]:
    return [(column, compiled(scalar)) for column, scalar in scalars]
