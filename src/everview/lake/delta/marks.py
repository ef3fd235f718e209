"""Rows deleted in files that stay: the vectors of a commit, and the actions that name them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from json.decoder import JSONDecoder

import pyarrow.parquet as pq

from everview.facts.files import DataFile, Positions
from everview.facts.tables import Commit
from everview.lake.delta.actions import Action, data_files
from everview.lake.delta.put import put_if_absent
from everview.lake.delta.vectors import (
    Vector,
    inline_vector,
    read_vector,
    vector_bytes,
    vector_file,
    vector_of,
)
from everview.lake.storage import Storage, decoded

# A vector in the log costs no further read, and makes every reader of the log carry it.
_LONGEST_INLINE = 1024
_LONGEST_INLINE_TOGETHER = 65_536
_TIGHT = "tightBounds"


@dataclass(frozen=True, slots=True)
class Marked:
    """A file before a commit, as its add action, and the rows that are deleted in it after."""

    add: Action
    deleted: Positions
    rows: int

    @property
    def is_empty(self) -> bool:
        return len(self.deleted) == self.rows


def check_files(commit: Commit) -> None:
    """Raise TypeError for files of another format, ValueError for marks that contradict the rest of
    the commit.
    """
    list(data_files((*commit.adds, *commit.minus, *commit.plus)))
    marked = [file.path for file in data_files(mark.file for mark in commit.marks)]
    removed = {file.path for file in data_files(commit.removes)}
    twice = [path for i, path in enumerate(marked) if path in marked[:i] or path in removed]
    if twice:
        raise ValueError(f"the file {twice[0]} is marked twice, or marked and removed")
    if commit.marks and (not commit.data_change or commit.shape is not None):
        raise ValueError("rows are marked by a commit that changes no rows, or all of them")


def marked_files(storage: Storage, commit: Commit, live: dict[str, Action]) -> list[Marked]:
    """The files in which the commit deletes rows that were not deleted before."""
    found = []
    for mark in commit.marks:
        (file,) = data_files([mark.file])
        add = live[decoded(file.path)]
        before = read_vector(storage, vector_of(add.get("deletionVector")))
        rows = _physical_rows(storage, file, add)
        if mark.rows and mark.rows.max() >= rows:
            raise ValueError(f"{file.path} has {rows} rows, and row {mark.rows.max()} is marked")
        if not mark.rows <= before:
            found.append(Marked(add, before | mark.rows, rows))
    return found


def write_vectors(storage: Storage, files: list[Marked]) -> list[Vector]:
    """The vectors of the files: short ones for the log itself, others in one new file."""
    encoded = [(file.deleted, vector_bytes(file.deleted)) for file in files]
    together = sum(len(data) for _, data in encoded if len(data) <= _LONGEST_INLINE)
    longest = _LONGEST_INLINE if together <= _LONGEST_INLINE_TOGETHER else 0
    content, placed = vector_file(uuid.uuid4(), [v for v in encoded if len(v[1]) > longest])
    if placed:
        put_if_absent(storage, placed[0].file or "", content)
    stored = iter(placed)
    return [
        next(stored) if len(data) > longest else inline_vector(rows, data) for rows, data in encoded
    ]


def mark_actions(storage: Storage, files: list[Marked], now: int) -> Iterator[Action]:
    """Each file removed as it was and added as it is: the same path with another vector. One
    without rows is removed alone.
    """
    left = [file for file in files if not file.is_empty]
    vectors = write_vectors(storage, left)
    for file in files:
        yield remove_action(file.add, now, data_change=True)
    for file, vector in zip(left, vectors, strict=True):
        stats = loosened(file.add.get("stats"), file.rows)
        again = {"dataChange": True, "stats": stats, "deletionVector": vector.action()}
        yield {"add": {**file.add, **again}}


def remove_action(add: Action, now: int, *, data_change: bool) -> Action:
    """The removal of a file as it is: without its vector it would remove nothing."""
    kept = {
        name: add[name]
        for name in (
            *("path", "partitionValues", "size", "tags", "deletionVector"),
            *("baseRowId", "defaultRowCommitVersion"),
        )
        if add.get(name) is not None
    }
    more = {"deletionTimestamp": now, "extendedFileMetadata": True, "dataChange": data_change}
    return {"remove": {**kept, **more}}


def loosened(stats: str | None, rows: int) -> str:
    """The statistics of a file that lost rows: its bounds still hold, but may be met by none. They
    stay as they are written, digit by digit.
    """
    members = dict(_members(stats or "{}"))
    members |= {"numRecords": str(rows), _TIGHT: "false"}
    return "{" + ",".join(f"{json.dumps(n)}:{text}" for n, text in members.items()) + "}"


def _members(text: str) -> Iterator[tuple[str, str]]:
    """The members of a JSON object, their values as text."""
    read = JSONDecoder().raw_decode
    at = _skipped(text, text.index("{") + 1)
    while text[at] != "}":
        name, at = read(text, at)
        start = _skipped(text, at)
        _, at = read(text, start)
        yield name, text[start:at]
        at = _skipped(text, at)


def _skipped(text: str, at: int) -> int:
    """The next place that holds neither a space nor a sign between members."""
    while text[at] in " \t\r\n:,":
        at += 1
    return at


def _physical_rows(storage: Storage, file: DataFile, add: Action) -> int:
    recorded = json.loads(add.get("stats") or "{}").get("numRecords")
    known = file.physical_rows if recorded is None else int(recorded)
    if known is not None:
        return known
    with storage.open(decoded(file.path)) as stream:
        return int(pq.read_metadata(stream).num_rows)
