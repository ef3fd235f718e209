"""Changing the warehouse's names: each change is one commit of the catalog."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator

from everview.errors import (
    CommitUnknown,
    CopiedTable,
    InvalidName,
    NameTaken,
    NotATable,
    StillUsed,
    UnknownName,
)
from everview.lake.catalog import Entries, Entry
from everview.lake.storage import Storage
from everview.sql.read.parse import parse_query, table_name, table_references
from everview.views.graph import all_readers, readers
from everview.views.resolve import virtual_views
from everview.views.world import KINDS, World, find_entry, record_of

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
        kind = KINDS[taken.kind]
        raise NameTaken(
            f"`{taken.name}` is {'an' if kind[0] == 'a' else 'a'} {kind} already.",
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
        check_name(entries, entry.name, entry.kind if replaced else "")
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
        if old.location:
            remove_folder(world, old.location)


def attach_found(world: World, found: Iterable[Entry]) -> tuple[str, ...]:
    """Attach tables that were found in the session's catalog, under the names they have there;
    gives the names that were not known before.
    """
    known = world.catalog.read()
    wanted = {e.name.lower(): e for e in found if find_entry(known, e.name) is None}
    for entry in wanted.values():
        refuse_copy(world, entry.location, wanted.values())
    new: list[str] = []

    def decide(entries: Entries) -> tuple[Entry, ...]:
        missing = [e for e in wanted.values() if find_entry(entries, e.name) is None]
        new[:] = [e.name for e in missing]
        return (*entries.entries, *missing)

    world.catalog.change(decide)
    return tuple(new)


def refuse_copy(
    world: World, place: str, others: Iterable[Entry] = (), moved: str | None = None
) -> None:
    """A table's id stands for one place: CopiedTable if it is known at another, unless by the name
    that is moved.
    """
    table_id = world.lake.open(place).head().id
    for entry in (*world.catalog.read().entries, *others):
        if entry.kind == "virtual" or entry.name == moved:
            continue
        try:
            known = world.open(entry)
        except Exception:  # one that cannot be opened keeps nobody from attaching another
            continue
        if known.head().id == table_id and known.uri != place:
            raise CopiedTable(
                f"The table at {place} has the id of `{entry.name}` at {known.uri}.",
                remedy="It is a copied folder: write it anew as a table of its own.",
            )


def alter_entry(world: World, entry: Entry, changed: Entry) -> None:
    """Change a name's entry; a new name must be free and nobody may read the old one."""
    if entry.name.lower() != changed.name.lower():
        used = readers(entry.name.lower(), sources_of_views(world))
        if used:
            raise StillUsed(
                f"`{entry.name}` is read under that name by {', '.join(used)}.",
                remedy="Drop or replace those views first.",
            )

    def decide(entries: Entries) -> tuple[Entry, ...]:
        if entry not in entries.entries:
            raise UnknownName(
                f"`{entry.name}` was changed by someone else meanwhile.",
                remedy="Look at it again; nothing was changed.",
            )
        if entry.name.lower() != changed.name.lower():
            check_name(entries, changed.name)
        return (*(e for e in entries.entries if e != entry), changed)

    world.catalog.change(decide)


def drop_entry(world: World, name: str, *, cascade: bool = False) -> tuple[Entry, ...]:
    """Forget a name that no view reads, or with `cascade` the views that read it too; the files of
    own tables and views are removed afterwards. Gives what is gone, the views on top first.
    """
    gone: list[Entry] = []

    def decide(entries: Entries) -> tuple[Entry, ...]:
        entry = world.entry(name)
        key = entry.name.lower()
        sources = sources_of_views(world)
        used = readers(key, sources)
        if used and not cascade:
            raise StillUsed(
                f"`{entry.name}` is read by {', '.join(used)}.",
                remedy="Drop those views first, or all of them with CASCADE (in Python "
                "drop(cascade=True)).",
            )
        doomed = (*all_readers(key, sources), key)
        gone[:] = sorted(
            (e for e in entries.entries if e.name.lower() in doomed),
            key=lambda e: doomed.index(e.name.lower()),
        )
        return tuple(e for e in entries.entries if e not in gone)

    world.catalog.change(decide)
    for entry in gone:
        if entry.location and entry.kind != "attached":
            remove_folder(world, entry.location)
    return tuple(gone)


def sources_of_views(world: World) -> dict[str, tuple[str, ...]]:
    """The names that each view reads, virtual views and those they read included, in lower case."""
    entries = world.catalog.read()
    found = {
        name: tuple(table_name(t).lower() for t in table_references(parse_query(view.sql)))
        for name, view in virtual_views(entries).items()
    }
    for entry in entries.entries:
        if entry.kind == "view":
            with contextlib.suppress(NotATable):  # one whose folder is gone reads nothing
                record = record_of(world.open(entry))
                found[entry.name.lower()] = (*(s.name for s in record.sources), *record.inlined)
    return found


@contextlib.contextmanager
def no_folder_left(world: World, location: str) -> Iterator[None]:
    """Remove a new folder of the warehouse if what was to fill and publish it fails.

    Not where it is unknown whether its name was published.
    """
    try:
        yield
    except CommitUnknown:
        raise
    except BaseException:  # also where somebody presses Ctrl-C
        with contextlib.suppress(OSError):
            remove_folder(world, location)
        raise


def remove_folder(world: World, location: str) -> None:
    """Remove a folder of the warehouse that no name points to."""
    Storage(world.uri(location), world.storage_options).delete_folder("")
