"""New columns and properties of a table, each by one commit on top of a known version."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial

from deltalake import CommitProperties, DeltaTable
from deltalake import Schema as DeltaSchema

from everview.errors import UnsupportedFeature
from everview.facts.schema import Schema
from everview.facts.tables import Commit
from everview.lake.delta.actions import milliseconds_now
from everview.lake.delta.commit import NO_HOOKS, search_token
from everview.lake.delta.commit_file import commit_info, put_actions, with_properties
from everview.lake.delta.landed import after_commit
from everview.lake.delta.load import load_own
from everview.lake.delta.protocol import names_features, why_not_write
from everview.lake.delta.put import why_not_put
from everview.lake.delta.snapshot import metadata_of
from everview.lake.settle import settle
from everview.lake.storage import Storage
from everview.lake.types import check_types


def add_delta_columns(storage: Storage, new: Schema, base: int, token: str) -> int:
    """Add columns at the end; the rows that are there have NULL in them."""
    check_types(new)
    fields = list(DeltaSchema.from_json(new.to_json()).fields)

    table = load_own(storage, base)

    def add() -> None:
        properties = _properties("ADD COLUMNS", token)
        table.alter.add_columns(
            fields, commit_properties=properties, post_commithook_properties=NO_HOOKS
        )

    return _altered(storage, table, token, add)


def set_properties(storage: Storage, wanted: dict[str, str], base: int, token: str) -> int:
    """Set properties of the table; the others stay.

    The Delta library adds features to the protocol of a table that lists them by name, which we
    then cannot read ourselves. Such a table gets a commit file of our own.
    """

    table = load_own(storage, base)
    if names_features(table):
        _check_put(storage, table)

    def set_() -> None:
        if names_features(table):
            _put_properties(storage, table, wanted, Commit(base, "SET PROPERTIES", token))
            return
        table.alter.set_table_properties(
            wanted,
            raise_if_not_exists=False,
            commit_properties=_properties("SET PROPERTIES", token),
            post_commithook_properties=NO_HOOKS,
        )

    return _altered(storage, table, token, set_)


def _put_properties(
    storage: Storage, table: DeltaTable, wanted: Mapping[str, str], commit: Commit
) -> None:
    info = commit_info(commit, metadata_of(table).schema, milliseconds_now())
    properties = {**table.metadata().configuration, **wanted}
    put_actions(storage, commit.base + 1, [info, with_properties(table, properties)])


def _check_put(storage: Storage, table: DeltaTable) -> None:
    why = why_not_write(table, deletes=False) or why_not_put(storage)
    if why:
        raise UnsupportedFeature(why, remedy="Let the writer that asked for it change the table.")


def _altered(storage: Storage, table: DeltaTable, token: str, change: Callable[[], None]) -> int:
    base = table.version()
    try:
        change()
    except Exception as error:
        return settle(storage.uri, base, token, partial(search_token, storage), error)
    after_commit(storage, table, token)
    return base + 1


def _properties(operation: str, token: str) -> CommitProperties:
    own = {"token": token, "operation": operation}
    return CommitProperties(
        custom_metadata={"userMetadata": json.dumps({"everview": own})}, max_commit_retries=0
    )
