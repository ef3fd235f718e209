"""One commit on top of a known version: all of it, once, or an error that says what is certain."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from deltalake import CommitProperties, DeltaTable, PostCommitHookProperties, Transaction
from deltalake.transaction import AddAction, RemoveAction

from everview.errors import CommitConflict, CommitUnknown, LostHistory
from everview.facts.schema import Schema
from everview.facts.tables import Commit
from everview.lake.delta.actions import data_files, milliseconds_now, user_metadata
from everview.lake.delta.commit_file import check_commit, needs_commit_file, write_commit_file
from everview.lake.delta.load import load
from everview.lake.delta.log import read_entries
from everview.lake.delta.marks import check_files
from everview.lake.delta.stats import stats_json
from everview.lake.settle import settle
from everview.lake.storage import Storage, decoded

NO_HOOKS = PostCommitHookProperties(create_checkpoint=False, cleanup_expired_logs=False)


def make_commit(storage: Storage, commit: Commit) -> int:
    """The version of the commit. Its files are never deleted here, whatever happens."""
    check_files(commit)
    try:
        table = load(storage, commit.base)
    except LostHistory as error:
        raise CommitConflict(
            f"version {commit.base} of {storage.uri} is gone: other writers went far ahead",
            remedy="Run it again.",
        ) from error
    if needs_commit_file(table, commit):
        check_commit(table, commit)
    try:
        _write(storage, table, commit)
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


def _write(storage: Storage, table: DeltaTable, commit: Commit) -> None:
    if needs_commit_file(table, commit):
        write_commit_file(storage, table, commit)
        return
    schema = Schema.from_json(table.schema().to_json())
    table.create_write_transaction(
        [*_removes(commit), *_adds(commit, schema)],
        mode="append",
        schema=table.schema(),
        partition_by=table.metadata().partition_columns,
        commit_properties=CommitProperties(
            custom_metadata={"userMetadata": user_metadata(commit, schema)},
            max_commit_retries=0,
            app_transactions=[Transaction(app, version) for app, version in commit.transactions],
        ),
        post_commithook_properties=NO_HOOKS,
    )


def _adds(commit: Commit, schema: Schema) -> Iterator[AddAction]:
    now = milliseconds_now()
    for file in data_files(commit.adds):
        yield AddAction(
            path=decoded(file.path),
            size=file.size,
            partition_values=dict(file.partition),
            modification_time=now,
            data_change=commit.data_change,
            stats=stats_json(file, schema),
        )


def _removes(commit: Commit) -> Iterator[RemoveAction]:
    now = milliseconds_now()
    for file in data_files(commit.removes):
        yield RemoveAction(
            decoded(file.path), commit.data_change, now, file.size, dict(file.partition)
        )
