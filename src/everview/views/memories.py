"""What the scheduler of a warehouse remembers of its views: one small file beside the catalog."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from everview.lake.catalog import Entry
from everview.lake.small_file import put_small_file
from everview.lake.storage import Storage
from everview.schedule.memory import Memory
from everview.views.world import World

_PATH = "_everview/scheduler.json"


def read_memories(world: World) -> dict[str, Memory]:
    """What is remembered of the views that are there now, by name; a view that was dropped and
    created again is another one.
    """
    entries = [e for e in world.catalog.read().entries if e.kind == "view"]
    raw = _read(world.storage)
    return {e.name: Memory.from_dict(raw[e.location]) for e in entries if e.location in raw}


def failing(world: World, entry: Entry, fresh_as_of: int | None) -> Mapping[str, Any] | None:
    """Why the refreshes of a view by its scheduler fail, None if they do not, or if somebody else
    has refreshed it since.
    """
    raw = _read(world.storage).get(entry.location)
    memory = Memory() if raw is None else Memory.from_dict(raw)
    return None if (fresh_as_of or 0) > (memory.at or 0) else memory.failing


def write_memories(world: World, memories: Mapping[str, Memory]) -> None:
    """Put this in the place of what was remembered before."""
    entries = [e for e in world.catalog.read().entries if e.kind == "view"]
    told = {e.location: memories[e.name].to_dict() for e in entries if e.name in memories}
    content = json.dumps(told, sort_keys=True, default=str).encode()
    put_small_file(world.storage, _PATH, content)


def _read(storage: Storage) -> dict[str, dict[str, object]]:
    """Nothing where there is no such file, or none that can be read: it is no more than memory."""
    content = storage.read(_PATH)
    try:
        raw = json.loads(content or b"{}")
    except ValueError:
        return {}
    return raw if isinstance(raw, dict) else {}
