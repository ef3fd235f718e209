"""One commit on top of a known version: all of it, once, or an error that says what is certain."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from deltalake import CommitProperties, DeltaTable, PostCommitHookProperties, Transaction
from deltalake.transaction import AddAction, RemoveAction

from everview.errors import CommitConflict, CommitUnknown, LostHistory, UnsupportedFeature
from everview.facts.files import DataFile, TableFile
from everview.facts.schema import Schema
from everview.facts.tables import Commit
from everview.lake.delta.load import load
from everview.lake.delta.log import read_entries
from everview.lake.delta.stats import stats_json
from everview.lake.delta.storage import Storage, decoded
from everview.lake.settle import settle

NO_HOOKS = PostCommitHookProperties(create_checkpoint=False, cleanup_expired_logs=False)


def make_commit(storage: Storage, commit: Commit) -> int:
    """The version of the commit. Its files are never deleted here, whatever happens."""
    _refuse_vectors(commit)
    try:
        table = load(storage, commit.base)
    except LostHistory as error:
        raise CommitConflict(
            f"version {commit.base} of {storage.uri} is gone: other writers went far ahead",
            remedy="Run it again.",
        ) from error
    try:
        _write(table, commit)
    except Exception as error:
        return settle(storage.uri, commit.base, commit.token, partial(search_token, storage), error)
    return commit.base + 1


def search_token(storage: Storage, token: str, since: int) -> tuple[int, int | None]:
    """The head, and the version after `since` up to it whose commit carries the token."""
    head = load(storage).version()
    if head < since:
        raise CommitUnknown(f"{storage.uri} is at version {head}, before version {since}")
    entries = read_entries(storage, range(since + 1, head + 1))
    for entry in entries:
        if entry is not None and entry.own.get("token") == token:
            return head, entry.version
    if any(entry is None for entry in entries):
        raise CommitUnknown(
            f"commits of {storage.uri} after version {since} are gone from its log, "
            f"so the token {token} cannot be looked for"
        )
    return head, None


def _write(table: DeltaTable, commit: Commit) -> None:
    schema = Schema.from_json(table.schema().to_json())
    table.create_write_transaction(
        [*_removes(commit), *_adds(commit, schema)],
        mode="append",
        schema=table.schema(),
        partition_by=table.metadata().partition_columns,
        commit_properties=CommitProperties(
            custom_metadata={"userMetadata": _user_metadata(commit, schema)},
            max_commit_retries=0,
            app_transactions=[Transaction(app, version) for app, version in commit.transactions],
        ),
        post_commithook_properties=NO_HOOKS,
    )


def _adds(commit: Commit, schema: Schema) -> Iterator[AddAction]:
    now = _now()
    for file in _data_files(commit.adds):
        yield AddAction(
            path=decoded(file.path),
            size=file.size,
            partition_values=dict(file.partition),
            modification_time=now,
            data_change=commit.data_change,
            stats=stats_json(file, schema),
        )


def _removes(commit: Commit) -> Iterator[RemoveAction]:
    now = _now()
    for file in _data_files(commit.removes):
        yield RemoveAction(
            decoded(file.path), commit.data_change, now, file.size, dict(file.partition)
        )


def _user_metadata(commit: Commit, schema: Schema) -> str:
    own = {
        **commit.metadata,
        "token": commit.token,
        "operation": commit.operation,
        "minus": [_named(file, schema) for file in _data_files(commit.minus)],
        "plus": [_named(file, schema) for file in _data_files(commit.plus)],
        "has_change_files": commit.has_change_files,
    }
    return json.dumps({"everview": own})


def _named(file: DataFile, schema: Schema) -> dict[str, Any]:
    return {
        "path": file.path,
        "size": file.size,
        "rows": file.rows,
        "partition": [list(pair) for pair in file.partition],
        "stats": stats_json(file, schema),
    }


def _data_files(files: Iterable[TableFile]) -> Iterator[DataFile]:
    for file in files:
        if not isinstance(file, DataFile):
            raise TypeError(f"a Delta table holds Parquet files, not {type(file).__name__}")
        yield file


def _refuse_vectors(commit: Commit) -> None:
    """A remove without the deletion vector of its file removes nothing."""
    vector = next((f for f in _data_files(commit.removes) if f.selection is not None), None)
    if vector is not None:
        raise UnsupportedFeature(
            f"the file {vector.path} has a deletion vector, made by another writer",
            remedy="Have that writer rewrite it: REORG TABLE ... APPLY (PURGE).",
        )


def _now() -> int:
    return time.time_ns() // 1_000_000
