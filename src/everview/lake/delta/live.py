"""The add actions of a version as the log has them, with all that other writers put there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from everview.errors import LostHistory
from everview.lake.delta.actions import Action
from everview.lake.delta.log import LOG_FOLDER
from everview.lake.delta.vectors import Vector, vector_of
from everview.lake.storage import Storage, decoded, in_threads

_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint\.(?:(\d{10})\.(\d{10})\.)?parquet$")
# Said in the other columns of an add action too, in a form that no log line has.
_PARSED = frozenset({"stats_parsed", "partitionValues_parsed"})


def live_adds(storage: Storage, version: int, paths: Iterable[str]) -> dict[str, Action]:
    """The add actions of these files at a version, by path (as in the storage); those that are
    not part of it are left out.
    """
    wanted = {decoded(path) for path in paths}
    found: dict[str, Action] = {}
    if not wanted:
        return found
    checkpoint, parts = _newest_checkpoint(storage, version)
    for content in in_threads(lambda v: _commit(storage, v), range(version, checkpoint, -1)):
        adds, removed = _named(content, wanted)
        found |= adds
        wanted -= adds.keys() | removed
    for part in parts if wanted else ():
        found |= _of_checkpoint(storage, part, wanted)
    return found


@dataclass(frozen=True, slots=True)
class CheckpointVectors:
    """The vectors that the newest checkpoint names: of files that are there, and of files that were
    removed, with the time of that.
    """

    version: int = -1
    live: frozenset[tuple[str, Vector]] = frozenset()
    removed: frozenset[tuple[Vector, int]] = frozenset()


def checkpoint_vectors(storage: Storage, version: int) -> CheckpointVectors:
    """What the newest checkpoint up to a version says; nothing if there is none."""
    checkpoint, parts = _newest_checkpoint(storage, version)
    live: set[tuple[str, Vector]] = set()
    removed: set[tuple[Vector, int]] = set()
    for part in parts:
        for action in _checkpoint_column(storage, part, "add"):
            vector = vector_of(action.get("deletionVector"))
            live |= {(decoded(action["path"]), vector)} if vector is not None else set()
        for action in _checkpoint_column(storage, part, "remove"):
            vector = vector_of(action.get("deletionVector"))
            moment = int(action.get("deletionTimestamp") or 0)
            removed |= {(vector, moment)} if vector is not None else set()
    return CheckpointVectors(checkpoint, frozenset(live), frozenset(removed))


def _checkpoint_column(storage: Storage, part: str, kind: str) -> list[Action]:
    """The actions of a kind with all that vectors need of them."""
    with storage.open(part) as stream:
        file = pq.ParquetFile(stream)
        known = file.schema_arrow
        inside = [f.name for f in known.field(kind).type] if kind in known.names else []
        if "deletionVector" not in inside:
            return []
        wanted = [n for n in ("path", "deletionVector", "deletionTimestamp") if n in inside]
        rows = file.read(columns=[f"{kind}.{name}" for name in wanted])
    actions = rows[kind].combine_chunks()
    return [a for a in actions.drop_null().to_pylist() if a["path"] is not None]


def _commit(storage: Storage, version: int) -> bytes:
    content = storage.read(f"{LOG_FOLDER}/{version:020d}.json")
    if content is None:
        raise LostHistory(f"the commit of version {version} of {storage.uri} is gone from its log")
    return content


def _named(content: bytes, wanted: set[str]) -> tuple[dict[str, Action], set[str]]:
    """What a commit adds and removes of the wanted files. One that is removed and added again,
    with another vector, is there: only the addition says how.
    """
    adds, removed = {}, set()
    for line in content.decode("utf-8").split("\n"):
        if '"path"' not in line:
            continue
        action = json.loads(line)
        for kind in ("add", "remove"):
            path = decoded(action[kind]["path"]) if kind in action else None
            if path is None or path not in wanted:
                continue
            if kind == "add":
                adds[path] = action["add"]
            else:
                removed.add(path)
    return adds, removed


def _of_checkpoint(storage: Storage, part: str, wanted: set[str]) -> dict[str, Action]:
    with storage.open(part) as stream:
        file = pq.ParquetFile(stream)
        if "add" not in file.schema_arrow.names:
            return {}
        inside = [f.name for f in file.schema_arrow.field("add").type if f.name not in _PARSED]
        rows = file.read(columns=[f"add.{name}" for name in inside])
    adds = rows["add"].combine_chunks()
    paths = pc.struct_field(adds, "path").to_pylist()
    places = [i for i, path in enumerate(paths) if path is not None and decoded(path) in wanted]
    return {
        decoded(a["path"]): _plain(a) for a in adds.take(pa.array(places, pa.int64())).to_pylist()
    }


def _plain(action: Action) -> Action:
    """As a line of the log has it: maps as objects, and nothing that is not known."""
    known = {name: value for name, value in action.items() if value is not None}
    for name in ("partitionValues", "tags"):
        if isinstance(known.get(name), list):
            known[name] = dict(known[name])
    return known


def checkpoints(storage: Storage) -> tuple[int, ...]:
    """The versions of all checkpoints that are still there."""
    found = (_CHECKPOINT.search(info.path) for info in storage.list(LOG_FOLDER, recursive=False))
    return tuple(sorted({int(match.group(1)) for match in found if match}))


def _newest_checkpoint(storage: Storage, version: int) -> tuple[int, tuple[str, ...]]:
    """The newest complete checkpoint up to a version with its files; (-1, ()) if there is none."""
    parts: dict[tuple[int, int], list[str]] = {}
    for info in storage.list(LOG_FOLDER, recursive=False):
        match = _CHECKPOINT.search(info.path)
        if match and int(match.group(1)) <= version:
            number, count = int(match.group(1)), int(match.group(3) or 1)
            parts.setdefault((number, count), []).append(info.path)
    complete = [(at, count) for (at, count), found in parts.items() if len(found) == count]
    if not complete:
        return -1, ()
    newest = max(complete)
    return newest[0], tuple(parts[newest])
