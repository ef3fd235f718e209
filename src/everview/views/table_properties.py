"""Properties of an own table or view that the user sets, each by a commit that changes no row."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable

from everview.errors import CommitConflict
from everview.facts.merge_on_read import PROPERTY, MarkingWish, MergeOnRead, marking_wish
from everview.lake.port import LakeTable
from everview.views.world import World

_ATTEMPTS = 10  # of a change that other writers do not disturb


def set_merge_on_read(world: World, table: LakeTable, value: MergeOnRead) -> int:
    """Say whether rows may be marked from now on; gives the table's version after it."""

    def set_(version: int) -> int:
        return table.set_properties({PROPERTY: value}, version, uuid.uuid4().hex)

    head = table.head()
    if head.properties.get(PROPERTY) == value:
        return head.version
    with world.engine.lock:
        return on_head(table, set_)


def marking_of(world: World, table: LakeTable) -> MarkingWish:
    """Whether rows of a table may be marked, by its own property or the warehouse's setting."""
    return marking_wish(table.head().properties, world.settings.merge_on_read)


def on_head(table: LakeTable, change: Callable[[int], int]) -> int:
    """Make a change on the newest version, again if another writer was first."""
    for _ in range(_ATTEMPTS - 1):
        with contextlib.suppress(CommitConflict):
            return change(table.head().version)
    return change(table.head().version)
