"""Changing the warehouse's names: each change is one commit of the catalog."""

from __future__ import annotations

import re

from everview.errors import InvalidName, NameTaken, StillUsed, UnknownName
from everview.lake.catalog import Entries, Entry
from everview.lake.delta.storage import Storage
from everview.views.graph import readers
from everview.views.world import World, find_entry, record_of

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_name(entries: Entries, name: object, replaced: str = "") -> None:
    """A name must be a plain identifier and free, or stand for the kind that is to be replaced."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name.lower().startswith("__ev"):
        raise InvalidName(
            f"`{name}` cannot be a name.",
            remedy="Use letters, digits and underscores, a letter first, and no leading __ev.",
        )
    taken = find_entry(entries, name)
    if taken is not None and taken.kind != replaced:
        article = "an" if taken.kind == "attached" else "a"
        raise NameTaken(
            f"`{taken.name}` is {article} {taken.kind} already.",
            remedy="Choose another name, or drop it first.",
        )


def add_entry(
    world: World, entry: Entry, *, replaced: bool = False, sources: tuple[str, ...] = ()
) -> None:
    """Publish a name; with `replaced` in place of the view that has it, whose folder is then
    removed.
    """
    before: list[Entry] = []

    def decide(entries: Entries) -> tuple[Entry, ...]:
        check_name(entries, entry.name, "view" if replaced else "")
        gone = [name for name in sources if find_entry(entries, name) is None]
        if gone:
            raise UnknownName(
                f"`{gone[0]}`, which `{entry.name}` reads, was dropped meanwhile.",
                remedy="Nothing was published.",
            )
        before[:] = [e for e in entries.entries if e.name.lower() == entry.name.lower()]
        return (*(e for e in entries.entries if e not in before), entry)

    world.catalog.change(decide)
    for old in before:
        _remove_folder(world, old)


def drop_entry(world: World, name: str) -> None:
    """Forget a name that no view reads; the files of an own table or view are removed
    afterwards.
    """
    entry = world.entry(name)
    used = readers(entry.name.lower(), sources_of_views(world))
    if used:
        raise StillUsed(
            f"`{entry.name}` is read by {', '.join(used)}.", remedy="Drop those views first."
        )
    world.catalog.change(lambda entries: tuple(e for e in entries.entries if e.name != entry.name))
    if entry.kind != "attached":
        _remove_folder(world, entry)


def sources_of_views(world: World) -> dict[str, tuple[str, ...]]:
    """The names that each view reads, all in lower case."""
    views = [e for e in world.catalog.read().entries if e.kind == "view"]
    return {e.name.lower(): tuple(s.name for s in record_of(world.open(e)).sources) for e in views}


def _remove_folder(world: World, entry: Entry) -> None:
    storage = Storage(world.uri(entry.location), world.storage_options)
    storage.delete([f.path for f in storage.list("", recursive=True)])
