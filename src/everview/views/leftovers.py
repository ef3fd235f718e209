"""What died on its way left behind: folders that no name points to, and staged rows."""

from __future__ import annotations

from datetime import datetime

from everview.lake.storage import Storage
from everview.run.rows.staging import STAGING_FOLDER
from everview.views.world import World

_HOUR = 3_600_000
_PLACES = ("tables", "views", STAGING_FOLDER)


def leftovers(world: World, retention_hours: float) -> tuple[str, ...]:
    """The folders of the warehouse that no name points to and in which no file is younger than the
    retention: what is being made now is among them otherwise.
    """
    found = [
        f"{place}/{name}"
        for place in _PLACES
        for name in Storage(world.uri(place), world.storage_options).names()
    ]
    named = {entry.location for entry in world.catalog.read().entries}
    oldest = world.now() - retention_hours * _HOUR
    return tuple(f for f in found if f not in named and _is_older(world, f, oldest))


def _is_older(world: World, folder: str, moment: float) -> bool:
    files = world.storage.list(folder, recursive=True)
    return bool(files) and all(_milliseconds(f.mtime) <= moment for f in files)


def _milliseconds(moment: datetime | None) -> float:
    """A file whose age is not known is young."""
    return float("inf") if moment is None else moment.timestamp() * 1000
