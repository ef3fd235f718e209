"""Logs opened before, used again while the storage still holds what they were opened from."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from deltalake import DeltaTable

from everview.facts.tables import Snapshot
from everview.lake.delta.log import LAST_CHECKPOINT, commit_path, versions_in_log
from everview.lake.storage import Storage

MOST_LOGS = 64
MOST_FILES = 200_000  # listed by the snapshots that are kept
VERSIONS_OF_A_TABLE = 3  # what a refresh reads: old, new and what it publishes

StoragePlace = tuple[str, tuple[tuple[str, str], ...]]
Open = Callable[[Storage, int | None], DeltaTable]


@dataclass(frozen=True, slots=True)
class Signature:
    """What tells one log from another: digests of a commit file and of `_last_checkpoint`."""

    commit: bytes
    checkpoint: bytes


@dataclass(slots=True)
class OpenedLog:
    """A table at one version. It is shared: who changes the table object opens one of his own."""

    table: DeltaTable
    signature: Signature | None = None
    was_head: bool = False
    snapshot: Snapshot | None = field(default=None)

    @property
    def files(self) -> int:
        return len(self.snapshot.files) if self.snapshot is not None else 1


class OpenedLogs:
    """The logs of a process, those used last kept longest.

    A version of a table never changes, so an opened one serves until its commit file is another one
    (the table was made again at its place) or is gone. The head needs more: no later commit file,
    and the same `_last_checkpoint`, without which no cleanup can have removed a later commit file.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: OrderedDict[tuple[StoragePlace, int], OpenedLog] = OrderedDict()

    def at(self, storage: Storage, version: int, open_: Open) -> OpenedLog:
        """The log at a version."""
        known = self._used(storage, version)
        signature, _ = _look(storage, version)
        if known is not None and known.signature is not None:
            if signature is not None and signature.commit == known.signature.commit:
                return known
            self._forget(storage)
        return self._kept(storage, OpenedLog(open_(storage, version), signature))

    def head(self, storage: Storage, open_: Open) -> OpenedLog:
        """The log at its head."""
        version = self._newest(storage)
        known = None if version is None else self._used(storage, version)
        if version is not None and known is not None and known.signature is not None:
            signature, has_later = _look(storage, version)
            if signature == known.signature and not has_later:
                return known
            if signature is None or signature.commit != known.signature.commit:
                self._forget(storage)
        newest = max(versions_in_log(storage), default=None)
        signature = None if newest is None else _look(storage, newest)[0]
        log = OpenedLog(open_(storage, None), signature, was_head=True)
        return self._kept(storage, log) if log.table.version() == newest else log

    def keep(self, storage: Storage, table: DeltaTable, landed: bytes) -> None:
        """Keep the table of a writer, which has nothing more to change, at the version whose commit
        file it wrote; `landed` is something that only this file has in it.
        """
        content, checkpoint = storage.read_all((commit_path(table.version()), LAST_CHECKPOINT))
        if content is not None and landed in content:
            signature = Signature(_digest(content), _digest(checkpoint))
            self._kept(storage, OpenedLog(table, signature, was_head=True))

    def clear(self) -> None:
        """Forget all, as a new process has."""
        with self._lock:
            self._known.clear()

    def _kept(self, storage: Storage, log: OpenedLog) -> OpenedLog:
        """The log, kept if it has a signature: without its commit file nothing tells whose it is.

        It is read before the log is opened. If another table takes the place in between, it is not
        that of what lies there, and the log is not used again.
        """
        if log.signature is None:
            return log
        place = _place(storage)
        with self._lock:
            self._known[place, log.table.version()] = log
            self._known.move_to_end((place, log.table.version()))
            for key in [key for key in self._known if key[0] == place][:-VERSIONS_OF_A_TABLE]:
                del self._known[key]
            while len(self._known) > 1 and self._is_too_much():
                self._known.popitem(last=False)
        return log

    def _is_too_much(self) -> bool:
        files = sum(log.files for log in self._known.values())
        return len(self._known) > MOST_LOGS or files > MOST_FILES

    def _used(self, storage: Storage, version: int) -> OpenedLog | None:
        key = _place(storage), version
        with self._lock:
            found = self._known.get(key)
            if found is not None:
                self._known.move_to_end(key)
            return found

    def _newest(self, storage: Storage) -> int | None:
        """The newest version that was the head when it was opened."""
        place = _place(storage)
        with self._lock:
            known = (key[1] for key, log in self._known.items() if key[0] == place and log.was_head)
            return max(known, default=None)

    def _forget(self, storage: Storage) -> None:
        """Another table lies at the place now, or its log was cleaned."""
        place = _place(storage)
        with self._lock:
            for key in [key for key in self._known if key[0] == place]:
                del self._known[key]


OPENED = OpenedLogs()


def _place(storage: Storage) -> StoragePlace:
    return storage.uri, tuple(sorted(storage.options.items()))


def _look(storage: Storage, version: int) -> tuple[Signature | None, bool]:
    """The signature of a version, None if its commit file is gone; whether a later one is there."""
    paths = (commit_path(version), LAST_CHECKPOINT, commit_path(version + 1))
    commit, checkpoint, later = storage.read_all(paths)
    signature = None if commit is None else Signature(_digest(commit), _digest(checkpoint))
    return signature, later is not None


def _digest(content: bytes | None) -> bytes:
    return hashlib.blake2b(content or b"", digest_size=16).digest()
