"""What the lake in memory stores at one location."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from everview.facts.files import InlineFile, TableFile
from everview.facts.tables import Commit, CommitInfo, TableShape


@dataclass(frozen=True)
class MemoryVersion:
    """The state after a commit, and the commit (None for the creation)."""

    timestamp: int
    commit: Commit | None
    files: Mapping[str, TableFile]
    transactions: Mapping[str, int]
    shape: TableShape


@dataclass
class MemoryState:
    """What is stored at one location. `first` is the oldest version whose history is kept."""

    id: str
    versions: list[MemoryVersion]
    first: int = 0
    vacuumed: set[str] = field(default_factory=set)
    folders: dict[str, tuple[InlineFile, ...]] = field(default_factory=dict)


def commit_info(number: int, version: MemoryVersion) -> CommitInfo:
    commit = version.commit
    if commit is None:
        return CommitInfo(number, version.timestamp, "CREATE TABLE", {}, data_change=False)
    own = {
        **commit.metadata,
        "token": commit.token,
        "operation": commit.operation,
        "has_change_files": commit.has_change_files,
    }
    changed = commit.data_change and bool(commit.adds or commit.removes)
    return CommitInfo(number, version.timestamp, commit.operation, own, data_change=changed)


def now_in_milliseconds() -> int:
    return time.time_ns() // 1_000_000
