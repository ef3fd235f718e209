"""Removing all files of a table that nobody names any more."""

from __future__ import annotations

import obstore
from obstore.store import LocalStore

from everview.lake.delta.storage import Storage, is_absolute


def remove_table(storage: Storage) -> None:
    """Remove every file of a location; of a local one the folders that are empty then, too."""
    parent, _, name = storage.uri.rpartition("/")
    if is_absolute(storage.uri) or not parent:
        storage.delete([f.path for f in storage.list("", recursive=True)])
        return
    store = LocalStore(prefix=parent, automatic_cleanup=True)
    paths = [file["path"] for batch in obstore.list(store, prefix=name) for file in batch]
    if paths:
        obstore.delete(store, paths)
