"""Removing all files of a table that nobody names any more."""

from __future__ import annotations

import contextlib

import pyarrow.fs as pafs

from everview.lake.delta.storage import Storage, is_absolute


def remove_table(storage: Storage) -> None:
    """Remove every file of a location, and of a local one the folder itself."""
    if is_absolute(storage.uri):
        storage.delete([f.path for f in storage.list("", recursive=True)])
        return
    with contextlib.suppress(FileNotFoundError):
        pafs.LocalFileSystem().delete_dir(storage.uri)
