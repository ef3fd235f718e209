"""Taking deletion vectors out of what a table asks of its readers, once nothing names one."""

from __future__ import annotations

from functools import partial

from deltalake import DeltaTable

from everview.errors import UnsupportedFeature
from everview.facts.tables import Commit
from everview.lake.delta.actions import milliseconds_now
from everview.lake.delta.commit import search_token
from everview.lake.delta.commit_file import commit_info, put_actions, with_properties
from everview.lake.delta.live import checkpoint_vectors, checkpoints
from everview.lake.delta.load import load
from everview.lake.delta.log import read_entries, versions_in_log
from everview.lake.delta.protocol import ENABLED, has_vectors, lowered, why_not_write
from everview.lake.delta.snapshot import metadata_of
from everview.lake.settle import settle
from everview.lake.storage import Storage


def drop_vectors(storage: Storage, base: int, token: str) -> int:
    """Lower the protocol on top of a version: readers that do not know deletion vectors can read
    the table from then on. UnsupportedFeature says why not yet.
    """
    table = load(storage, base)
    why = why_vectors_stay(storage, table)
    if why:
        remedy = "OPTIMIZE rewrites the files; the log is kept for delta.logRetentionDuration."
        raise UnsupportedFeature(why, remedy=remedy)
    try:
        _write(storage, table, Commit(base, "DROP FEATURE", token))
    except Exception as error:
        return settle(storage.uri, base, token, partial(search_token, storage), error)
    return base + 1


def why_vectors_stay(storage: Storage, table: DeltaTable) -> str:
    """Why readers must go on knowing deletion vectors, "" if they need not.

    A reader of changes looks at older commits under the newest protocol: as long as the log names
    a vector, one that does not know vectors would misread it.
    """
    if not has_vectors(table):
        return f"the table at {storage.uri} does not ask its readers for deletion vectors"
    for entry in read_entries(storage, versions_in_log(storage)):
        if entry is not None and any(action.vector is not None for action in entry.files):
            return f"version {entry.version} of {storage.uri} names deletion vectors"
    for version in checkpoints(storage):
        known = checkpoint_vectors(storage, version)
        if known.live or known.removed:
            return f"the checkpoint {version} of {storage.uri} names deletion vectors"
    return why_not_write(table, deletes=False)


def _write(storage: Storage, table: DeltaTable, commit: Commit) -> None:
    configuration = table.metadata().configuration
    kept = {name: value for name, value in configuration.items() if name != ENABLED}
    info = commit_info(commit, metadata_of(table).schema, milliseconds_now())
    actions = [info, lowered(table), with_properties(table, kept)]
    put_actions(storage, commit.base + 1, actions)
