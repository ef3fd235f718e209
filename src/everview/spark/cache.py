"""The folders in which Everview keeps what it would otherwise make at every start of Spark."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from errno import EPERM
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CacheFolder:
    """A folder of this user; `shared` where other users may write beside it."""

    path: Path
    shared: bool

    def make(self) -> None:
        """Make the folder unless it is there; OSError if it cannot be, or is not ours alone."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.shared and not _is_private(self.path):
            raise PermissionError(EPERM, "others may write there")


def cache_folders(environ: Mapping[str, str]) -> Iterator[CacheFolder]:
    """The places for it, best first."""
    cache = environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(cache):
        yield CacheFolder(Path(cache, "everview"), shared=False)
    if environ.get("HOME"):
        yield CacheFolder(Path(environ["HOME"], ".cache", "everview"), shared=False)
    yield CacheFolder(Path(tempfile.gettempdir(), f"everview-{os.getuid()}"), shared=True)


def _is_private(folder: Path) -> bool:
    found = folder.lstat()
    mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    return mine and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
