"""One view after a mixed change, each contestant profiled: `python -m bench.run --profile VIEW`."""

from __future__ import annotations

from functools import partial

from bench.aims import FULL, HAND, MARKING
from bench.changes import MIXED
from bench.grid import Grid, Place, Say, Tables
from bench.profile import profiled, told

WARM = 3  # rounds until the JVM has compiled most of what it runs


def profile_view(place: Place, view: str, say: Say) -> str:
    """Where the seconds of a refresh go, beside those of the hand-written way and of a full one."""
    tables = Tables(place)
    try:
        grid = Grid(tables, [view], [MARKING, HAND, FULL], say)
        for _ in range(WARM):
            grid.warm_up()
        found = []
        for contestant, refresh in grid.refreshes(MIXED, view):
            title = f"{view}, {contestant}, {MIXED.title}, SF {place.scale:g}"
            found.append(profiled(place.spark, title, partial(refresh)))
        return "\n\n".join(map(told, found))
    finally:
        tables.close()
