"""Removing the files that nothing in the warehouse needs any more."""

from __future__ import annotations

from everview.handles.handle import checked_retention
from everview.views.catalog_changes import remove_folder
from everview.views.leftovers import leftovers
from everview.views.world import World


def vacuum_all(
    world: World, retention_hours: float | None, *, dry_run: bool, force: bool
) -> tuple[str, ...]:
    """Vacuum all own tables and views, and remove folders that no name points to."""
    hours = checked_retention(world, None, retention_hours, force=force or dry_run)
    gone: list[str] = []
    for entry in world.catalog.read().entries:
        if entry.kind in ("table", "view"):
            paths = world.open(entry).vacuum(hours, dry_run=dry_run)
            gone += (f"{entry.location}/{path}" for path in paths)
    for folder in leftovers(world, hours):
        gone.append(folder)
        if not dry_run:
            remove_folder(world, folder)
    return tuple(gone)
