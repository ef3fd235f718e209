"""Something that happens in the middle of a refresh or a write."""

from __future__ import annotations

from collections.abc import Callable

import everview as ev


def write_once_at(wh: ev.Warehouse, place: str, write: Callable[[], object]) -> None:
    """When the warehouse first comes to this place, somebody else writes."""
    done: list[str] = []

    def probe(reached: str) -> None:
        if reached == place and not done:
            done.append(reached)
            write()

    wh._world.probe = probe
