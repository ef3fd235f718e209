"""The files under one location, local or in an object store, addressed relative to it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote, unquote, urlsplit

import pyarrow as pa
import pyarrow.fs as pafs
from deltalake.exceptions import TableNotFoundError
from deltalake.fs import DeltaStorageHandler

from everview.errors import InvalidArgument

_A = TypeVar("_A")
_B = TypeVar("_B")

_THREADS = 16
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
# The storage library decodes a root twice and panics on these characters.
_REFUSED = re.compile(r"%[0-9A-Fa-f]{2}|[\[\]^|\\]")
# What delta-rs leaves as it is when it writes a path into the log (found by trying each character).
_PLAIN = "/!$&'()+,-.:;=@_~"


def given_place(path: object) -> str:
    """A folder or URI as it was given, as text."""
    given = fspath(path) if isinstance(path, PathLike) else path
    if not isinstance(given, str) or not given.strip():
        raise InvalidArgument(
            f"{path!r} is not a folder or URI.", remedy='Give a text or a Path, such as "shop".'
        )
    return given


def location(uri: str) -> str:
    """One spelling per place: an absolute local path, or a URI without a trailing slash."""
    if uri.startswith("file:"):
        path = unquote(urlsplit(uri).path)
    elif _SCHEME.match(uri):
        return uri.rstrip("/")
    else:
        path = str(Path(uri).absolute())
    found = _REFUSED.search(path)
    if found:
        raise InvalidArgument(
            f"the location {path!r} has {found.group()!r} in it, which Delta cannot address",
            remedy="Choose a folder name without % escapes, brackets, ^, | and backslash.",
        )
    return path.rstrip("/") or "/"


def encoded(path: str) -> str:
    """The path of a file of a table (url-encoded) from its path in the storage."""
    return quote(path, safe=_PLAIN)


def decoded(path: str) -> str:
    """The path in the storage from the path of a file of a table."""
    return unquote(path)


def is_absolute(path: str) -> bool:
    """Whether the path of a file of a table names one outside the table's folder."""
    return _SCHEME.match(path) is not None


def spark_path(uri: str, path: str = "") -> str:
    """What Spark takes for the path of a file of a table: Hadoop paths are not url-encoded."""
    if is_absolute(path):
        return decoded(path)
    root = location(uri)
    full = f"{root}/{decoded(path)}" if path else root
    return full if _SCHEME.match(root) else f"file://{full}"


def in_threads(work: Callable[[_A], _B], items: Iterable[_A]) -> list[_B]:
    """The results in the order of the items; storage calls are waiting, not computing."""
    todo = list(items)
    if len(todo) < 2:
        return [work(item) for item in todo]
    with ThreadPoolExecutor(min(_THREADS, len(todo))) as pool:
        return list(pool.map(work, todo))


class Storage:
    """One location. Paths are as in the storage (decoded), never as those of a table's files."""

    def __init__(self, uri: str, options: Mapping[str, str] | None = None) -> None:
        self.uri = location(uri)
        self.options = dict(options or {})

    @property
    def _is_local(self) -> bool:
        return not is_absolute(self.uri)

    @cached_property
    def _files(self) -> pafs.FileSystem:
        return pafs.PyFileSystem(DeltaStorageHandler(self.uri, self.options or None))

    def read(self, path: str) -> bytes | None:
        """The content of a file, None if there is no such file."""
        if self._is_local:  # many small files are read again and again, and this takes a fifth
            try:
                return (Path(self.uri) / path).read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                return None
        try:
            with self.open(path) as stream:
                return bytes(stream.read())
        except (FileNotFoundError, TableNotFoundError):
            return None

    def read_all(self, paths: Iterable[str]) -> list[bytes | None]:
        """The contents of files; all are asked for at once where that means waiting."""
        return [self.read(p) for p in paths] if self._is_local else in_threads(self.read, paths)

    def open(self, path: str) -> pa.NativeFile:
        return self._files.open_input_file(path)

    def create(self, path: str) -> pa.NativeFile:
        """A new file, which is there when it is closed."""
        return self._files.open_output_stream(path)

    def list(self, folder: str, *, recursive: bool) -> tuple[pafs.FileInfo, ...]:
        """The files in a folder, sorted by path; none if there is no such folder."""
        selector = pafs.FileSelector(folder, allow_not_found=True, recursive=recursive)
        try:
            found = self._files.get_file_info(selector)
        except (FileNotFoundError, TableNotFoundError):
            return ()
        return tuple(sorted((f for f in found if f.is_file), key=lambda f: f.path))

    def names(self) -> tuple[str, ...]:
        """What lies at the root of the location: files and folders."""
        try:
            found = self._files.get_file_info(pafs.FileSelector("", allow_not_found=True))
        except (FileNotFoundError, TableNotFoundError):
            return ()
        return tuple(sorted(info.path for info in found))

    def missing(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of the paths where no file is."""
        asked = list(dict.fromkeys(paths))
        step = max(1, -(-len(asked) // _THREADS))
        batches = [asked[i : i + step] for i in range(0, len(asked), step)]
        answers = in_threads(self._files.get_file_info, batches)
        return tuple(info.path for answer in answers for info in answer if not info.is_file)

    def delete(self, paths: Iterable[str]) -> None:
        """Remove files; one that is gone already is as wanted."""
        in_threads(self._delete_one, paths)

    def delete_folder(self, folder: str) -> None:
        """Remove a folder with all that is in it; on a disk its empty folders too."""
        self.delete(f.path for f in self.list(folder, recursive=True))
        if self._is_local:
            shutil.rmtree(Path(self.uri) / folder, ignore_errors=True)

    def _delete_one(self, path: str) -> None:
        try:
            self._files.delete_file(path)
        except FileNotFoundError:
            return
