"""A lake in memory with the behaviour of the others, for tests: rows are values, not files."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import RLock
from typing import Any

from everview.errors import (
    CommitConflict,
    CommitUnknown,
    LostHistory,
    NameTaken,
    NotATable,
    UnsupportedFeature,
)
from everview.facts.files import InlineFile, Sign
from everview.facts.schema import Schema
from everview.facts.tables import Commit, CommitInfo, Head, Lost, Snapshot, TableChanges, TableShape
from everview.lake.settle import settle
from everview.lake.shapes import common_columns
from everview.lake.summed import APPENDED, CHANGE_FILES, DIFFERENCE, NO_DATA_CHANGE, Summed
from tests.lake.memory_state import MemoryState, MemoryVersion, commit_info, now_in_milliseconds

_HOUR = 3_600_000


class MemoryTable:
    """A table of the in-memory lake."""

    def __init__(self, lake: MemoryLake, uri: str, becomes: TableShape | None = None) -> None:
        self._lake = lake
        self._uri = uri
        self._becomes = becomes

    @property
    def uri(self) -> str:
        return self._uri

    def head(self) -> Head:
        state = self._state()
        return Head(state.id, len(state.versions) - 1, dict(state.versions[-1].shape.properties))

    def snapshot(self, version: int) -> Snapshot:
        state = self._state()
        if not state.first <= version < len(state.versions):
            raise LostHistory(f"version {version} of {self._uri} is gone or was never there")
        at = state.versions[version]
        return Snapshot(
            table_id=state.id,
            uri=self._uri,
            version=version,
            schema=at.shape.schema,
            partition_by=at.shape.partition_by,
            files=tuple(at.files.values()),
            properties=dict(at.shape.properties),
        )

    def readable_snapshot(self, version: int, beside: Snapshot | None = None) -> Snapshot:
        snapshot = self.snapshot(version)
        there = () if beside is None else tuple(file.path for file in beside.files)
        gone = self._state().vacuumed.difference(there)
        if any(file.path in gone for file in snapshot.files):
            raise LostHistory(f"files of version {version} of {self._uri} were vacuumed")
        return snapshot

    def changes(
        self, old: int, new: int, columns: tuple[str, ...] | None = None
    ) -> TableChanges | Lost:
        state = self._state()
        if old > new:
            return Lost(f"version {old} is newer than version {new}")
        if not state.first <= old <= new < len(state.versions):
            return Lost(f"version {old} or {new} of {self._uri} is gone or was never there")
        shapes = list(enumerate((v.shape for v in state.versions[old:new]), old))
        schema = common_columns(shapes, state.versions[new].shape, columns)
        is_alike = not isinstance(schema, Lost)
        if not is_alike:
            schema = common_columns(shapes[:1], state.versions[new].shape, columns)
        if isinstance(schema, Lost):
            return schema
        total = Summed()
        for version in state.versions[old + 1 : new + 1]:
            _add_commit(total, version.commit)
        if not is_alike or not total.is_single:
            total = _between_ends(state.versions[old : new + 1])
        lost = next((c for c in total.files if c.file.path in state.vacuumed), None)
        if lost is not None:
            return Lost(f"files of the changes were vacuumed, {lost.file.path} for one")
        return TableChanges(state.id, self._uri, old, new, schema, total.files, total.ways)

    def commit(self, commit: Commit) -> int:
        try:
            self._land(commit)
        except Exception as error:
            return settle(self._uri, commit.base, commit.token, self._search, error)
        return commit.base + 1

    def add_columns(self, new: Schema, base: int, token: str) -> int:
        def wider(shape: TableShape) -> TableShape:
            return replace(shape, schema=Schema((*shape.schema.fields, *new.fields)))

        return self._altered(Commit(base, "ADD COLUMNS", token), wider)

    def set_properties(self, properties: dict[str, str], base: int, token: str) -> int:
        def described(shape: TableShape) -> TableShape:
            return replace(shape, properties={**shape.properties, **properties})

        return self._altered(Commit(base, "SET PROPERTIES", token), described)

    def becoming(self, shape: TableShape) -> MemoryTable:
        return MemoryTable(self._lake, self._uri, shape)

    def partition_by(self) -> tuple[str, ...]:
        return (self._becomes or self._state().versions[-1].shape).partition_by

    def open_file(self, path: str) -> Any:
        raise FileNotFoundError(path)  # there are rows alone

    create_file = open_file

    def written(self, folder: str) -> tuple[InlineFile, ...]:
        return self._state().folders.get(folder, ())

    def leave(self, folder: str, file: InlineFile) -> None:
        """What a writer does: leave a file in a folder of the table."""
        self._state().folders[folder] = (*self.written(folder), file)

    def remove_folder(self, folder: str) -> None:
        self._state().folders.pop(folder, None)

    def why_not_mark(self) -> str:
        return ""

    def drop_vectors(self, base: int, token: str) -> int:
        raise UnsupportedFeature(f"{self._uri} does not ask its readers for deletion vectors")

    def find_token(self, token: str, since: int) -> int | None:
        return self._search(token, since)[1]

    def transaction(self, app_id: str) -> int | None:
        return self._state().versions[-1].transactions.get(app_id)

    def history(self, limit: int | None = None) -> tuple[CommitInfo, ...]:
        state = self._state()
        kept = range(len(state.versions) - 1, state.first - 1, -1)[:limit]
        return tuple(commit_info(number, state.versions[number]) for number in kept)

    def checkpoint(self) -> None:
        self._state()

    def vacuum(self, retention_hours: float, *, dry_run: bool) -> tuple[str, ...]:
        state = self._state()
        moment = now_in_milliseconds() - retention_hours * _HOUR
        old = [v for v in state.versions if v.timestamp < moment or retention_hours == 0]
        doomed = {path for version in old for path in _ended_by(version)}
        gone = tuple(sorted(doomed - set(state.versions[-1].files) - state.vacuumed))
        if not dry_run:
            state.vacuumed.update(gone)
        return gone

    def forget(self, before: int) -> None:
        """Lose the history before a version, as a cleanup of the log does."""
        self._state().first = before

    def _state(self) -> MemoryState:
        return self._lake.state(self._uri)

    def _land(self, commit: Commit) -> None:
        with self._lake.lock:
            state = self._state()
            head = len(state.versions) - 1
            if commit.base != head:
                raise CommitConflict(f"{self._uri} is at version {head}, not {commit.base}")
            before = state.versions[-1]
            commit = _rewritten(commit)
            removed = {file.path for file in commit.removes}
            files = {p: f for p, f in before.files.items() if p not in removed}
            if commit.shape is not None and files:
                raise ValueError("a new shape for a table that keeps files of the old one")
            files.update((file.path, file) for file in commit.adds)
            transactions = {**before.transactions, **dict(commit.transactions)}
            shape = _shape_after(before.shape, commit.shape)
            state.versions.append(
                MemoryVersion(now_in_milliseconds(), commit, files, transactions, shape)
            )

    def _altered(self, commit: Commit, change: Callable[[TableShape], TableShape]) -> int:
        try:
            with self._lake.lock:
                self._land(commit)
                last = self._state().versions[-1]
                self._state().versions[-1] = replace(last, shape=change(last.shape))
        except Exception as error:
            return settle(self._uri, commit.base, commit.token, self._search, error)
        return commit.base + 1

    def _search(self, token: str, since: int) -> tuple[int, int | None]:
        state = self._state()
        head = len(state.versions) - 1
        if head < since or since + 1 < state.first:
            raise CommitUnknown(f"commits of {self._uri} after version {since} are gone")
        for number in range(since + 1, head + 1):
            commit = state.versions[number].commit
            if commit is not None and commit.token == token:
                return head, number
        return head, None


class MemoryLake:
    """Tables by location, shared by everyone who holds the lake."""

    def __init__(self) -> None:
        self.lock = RLock()
        self._states: dict[str, MemoryState] = {}

    def open(self, uri: str) -> MemoryTable:
        self.state(uri)
        return MemoryTable(self, uri)

    def create(
        self, uri: str, schema: Schema, partition_by: tuple[str, ...], properties: dict[str, str]
    ) -> MemoryTable:
        with self.lock:
            if uri in self._states:
                raise NameTaken(f"there is a table at {uri} already")
            shape = TableShape(schema, partition_by, dict(properties))
            self._states[uri] = MemoryState(
                str(uuid.uuid4()), [MemoryVersion(now_in_milliseconds(), None, {}, {}, shape)]
            )
        return MemoryTable(self, uri)

    def drop(self, uri: str) -> None:
        """Remove the table with all its versions, as deleting its folder does."""
        del self._states[uri]

    def state(self, uri: str) -> MemoryState:
        if uri not in self._states:
            raise NotATable(f"no table at {uri}")
        return self._states[uri]


def _rewritten(commit: Commit) -> Commit:
    """Rows of this lake have no positions: a file with marked rows is written anew without them."""
    files = [(m.file, m.rows) for m in commit.marks if isinstance(m.file, InlineFile)]
    adds = tuple(
        replace(
            file,
            path=f"{file.path}-{commit.token}",
            values=tuple(v for i, v in enumerate(file.values) if i not in rows),
        )
        for file, rows in files
    )
    removes = tuple(file for file, _ in files)
    return replace(
        commit, adds=(*commit.adds, *adds), removes=(*commit.removes, *removes), marks=()
    )


def _shape_after(before: TableShape, new: TableShape | None) -> TableShape:
    if new is None:
        return before
    return replace(new, properties={**before.properties, **new.properties})


def _add_commit(total: Summed, commit: Commit | None) -> None:
    if commit is None or not commit.data_change or not (commit.adds or commit.removes):
        total.count(NO_DATA_CHANGE)
    elif commit.has_change_files:
        total.count(CHANGE_FILES)
        total.give(commit.minus, Sign.MINUS)
        total.give(commit.plus, Sign.PLUS)
    else:
        total.count(DIFFERENCE if commit.removes else APPENDED)
        for file in commit.removes:
            total.add(file, -1)
        for file in commit.adds:
            total.add(file, 1)


def _between_ends(versions: list[MemoryVersion]) -> Summed:
    total = Summed()
    for _ in versions[1:]:
        total.count(DIFFERENCE)
    for file in versions[0].files.values():
        total.add(file, -1)
    for file in versions[-1].files.values():
        total.add(file, 1)
    return total


def _ended_by(version: MemoryVersion) -> Iterator[str]:
    """The files that nobody needs once the version before this one is out of retention."""
    commit = version.commit or Commit(0, "", "")
    return (file.path for file in (*commit.removes, *commit.minus, *commit.plus))
