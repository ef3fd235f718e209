"""New columns and properties of a table, each by one commit on top of a known version."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

from deltalake import CommitProperties, DeltaTable
from deltalake import Schema as DeltaSchema

from everview.facts.schema import Schema
from everview.lake.delta.commit import NO_HOOKS, search_token
from everview.lake.delta.load import load
from everview.lake.settle import settle
from everview.lake.storage import Storage
from everview.lake.types import check_types


def add_columns(storage: Storage, new: Schema, base: int, token: str) -> int:
    """Add columns at the end; the rows that are there have NULL in them."""
    check_types(new)
    fields = list(DeltaSchema.from_json(new.to_json()).fields)

    def add(table: DeltaTable) -> None:
        properties = _properties("ADD COLUMNS", token)
        table.alter.add_columns(
            fields, commit_properties=properties, post_commithook_properties=NO_HOOKS
        )

    return _altered(storage, base, token, add)


def set_properties(storage: Storage, wanted: dict[str, str], base: int, token: str) -> int:
    """Set properties of the table; the others stay."""

    def set_(table: DeltaTable) -> None:
        table.alter.set_table_properties(
            wanted,
            raise_if_not_exists=False,
            commit_properties=_properties("SET PROPERTIES", token),
            post_commithook_properties=NO_HOOKS,
        )

    return _altered(storage, base, token, set_)


def _altered(storage: Storage, base: int, token: str, change: Callable[[DeltaTable], None]) -> int:
    table = load(storage, base)
    try:
        change(table)
    except Exception as error:
        return settle(storage.uri, base, token, partial(search_token, storage), error)
    return base + 1


def _properties(operation: str, token: str) -> CommitProperties:
    own = {"token": token, "operation": operation}
    return CommitProperties(
        custom_metadata={"userMetadata": json.dumps({"everview": own})}, max_commit_retries=0
    )
