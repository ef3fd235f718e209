"""The commit files of a Delta log: one JSON object per line, each an action."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from everview.facts.files import DataFile
from everview.facts.schema import Schema
from everview.lake.delta.vectors import Vector, vector_of
from everview.lake.storage import Storage, in_threads

LOG_FOLDER = "_delta_log"
LAST_CHECKPOINT = f"{LOG_FOLDER}/_last_checkpoint"
_COMMIT = re.compile(r"(\d{20})\.json$")


@dataclass(frozen=True, slots=True)
class FileAction:
    """An add, a remove or a cdc action; `complete` if it gives partition values. The file counts
    the rows that it holds, whatever its vector says.
    """

    kind: str  # "add" | "remove" | "cdc"
    file: DataFile
    data_change: bool
    complete: bool
    stats: str | None = None
    vector: Vector | None = None


@dataclass(frozen=True, slots=True)
class Metadata:
    """What identifies and shapes a table: a metaData action."""

    id: str
    schema: Schema
    partition_by: tuple[str, ...]
    configuration: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Protocol:
    """What a reader must know: a protocol action."""

    reader_version: int
    features: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One commit file. `own` is our JSON in its user metadata, {} for a foreign commit."""

    version: int
    timestamp: int
    operation: str
    engine: str = ""
    own: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[FileAction, ...] = ()
    metadata: Metadata | None = None
    protocol: Protocol | None = None

    def of_kind(self, kind: str) -> tuple[FileAction, ...]:
        return tuple(f for f in self.files if f.kind == kind)

    @property
    def data_change(self) -> bool:
        return any(f.data_change for f in self.files if f.kind != "cdc")


def commit_path(version: int) -> str:
    """Where the commit file of a version lies."""
    return f"{LOG_FOLDER}/{version:020d}.json"


def read_entry(storage: Storage, version: int) -> LogEntry | None:
    """The commit file of a version, None if it is gone or not there yet."""
    content = storage.read(commit_path(version))
    return None if content is None else parse_entry(version, content.decode("utf-8"))


def read_entries(storage: Storage, versions: Iterable[int]) -> list[LogEntry | None]:
    return in_threads(lambda version: read_entry(storage, version), versions)


def versions_in_log(storage: Storage) -> tuple[int, ...]:
    """The versions whose commit files are still there, oldest first."""
    found = (_COMMIT.search(info.path) for info in storage.list(LOG_FOLDER, recursive=False))
    return tuple(sorted(int(match.group(1)) for match in found if match))


def parse_entry(version: int, text: str) -> LogEntry:
    # Not str.splitlines: a value may hold U+2028 and its kin unescaped.
    actions = [json.loads(line) for line in text.split("\n") if line.strip()]
    merged = {key: value for action in actions for key, value in action.items()}
    info = merged.get("commitInfo") or {}
    own = _own_metadata(info.get("userMetadata"))
    return LogEntry(
        version=version,
        timestamp=int(info.get("inCommitTimestamp") or info.get("timestamp") or 0),
        operation=str(own.get("operation") or info.get("operation") or ""),
        engine=f"{info.get('engineInfo') or ''} {info.get('clientVersion') or ''}".strip(),
        own=own,
        files=tuple(
            _file_action(kind, action[kind])
            for action in actions
            for kind in ("add", "remove", "cdc")
            if kind in action
        ),
        metadata=_metadata(merged["metaData"]) if "metaData" in merged else None,
        protocol=_protocol(merged["protocol"]) if "protocol" in merged else None,
    )


def partition_of(values: Mapping[str, str | None]) -> tuple[tuple[str, str | None], ...]:
    """Partition values as the log has them; the empty string stands for NULL there."""
    return tuple((name, value or None) for name, value in values.items())


def _file_action(kind: str, action: dict[str, Any]) -> FileAction:
    file = DataFile(
        path=action["path"],
        size=int(action.get("size") or 0),
        rows=_row_count(action.get("stats")),
        partition=partition_of(action.get("partitionValues") or {}),
    )
    return FileAction(
        kind=kind,
        file=file,
        stats=action.get("stats"),
        data_change=bool(action.get("dataChange", True)),
        complete=action.get("partitionValues") is not None,
        vector=vector_of(action.get("deletionVector")),
    )


def _row_count(stats: str | None) -> int | None:
    if not stats:
        return None
    count = json.loads(stats).get("numRecords")
    return None if count is None else int(count)


def _metadata(action: dict[str, Any]) -> Metadata:
    return Metadata(
        id=action["id"],
        schema=Schema.from_json(action["schemaString"]),
        partition_by=tuple(action.get("partitionColumns") or ()),
        configuration=action.get("configuration") or {},
    )


def _protocol(action: dict[str, Any]) -> Protocol:
    return Protocol(int(action["minReaderVersion"]), tuple(action.get("readerFeatures") or ()))


def _own_metadata(text: object) -> Mapping[str, Any]:
    if not isinstance(text, str):
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    own = value.get("everview") if isinstance(value, dict) else None
    return own if isinstance(own, dict) else {}
