"""The warehouse's catalog: one small Delta table of names, changed by compare-and-swap."""

from __future__ import annotations

import json
import random
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError, TableNotFoundError

from everview.errors import CommitConflict, LostHistory, NotAWarehouse
from everview.facts.schema import Field, Schema
from everview.lake.delta.commit import NO_HOOKS, search_token
from everview.lake.delta.landed import after_commit
from everview.lake.delta.load import arrow_table, load, load_own
from everview.lake.delta.log import LOG_FOLDER
from everview.lake.delta.refusals import plain_message, refuse_file_as_warehouse, storage_errors
from everview.lake.delta.table import EmbeddedDelta
from everview.lake.settle import settle
from everview.lake.storage import Storage

_FOLDER = "_everview"
_PLACE = f"{_FOLDER}/catalog"
_COLUMNS = ("name", "kind", "location", "comment", "policy", "definition")
# Columns that a catalog gets when they first say something: those made before lack them.
_LATER = ("when", "suspended")
_SCHEMA = Schema(tuple(Field(name, "string") for name in _COLUMNS))
_ATTEMPTS = 10
_PAUSE = 0.02  # seconds, times the number of the attempt


@dataclass(frozen=True, slots=True)
class Entry:
    """A name of the warehouse. `location` is a folder of the warehouse or an absolute URI."""

    name: str
    kind: str  # "table" | "view" (materialized) | "attached" | "virtual"
    location: str
    comment: str = ""
    policy: str = ""
    definition: str = ""  # of a virtual view, which has no folder
    when: str = ""  # a materialized view is refreshed, as SQL says it; "" is ON DEMAND
    suspended: str = ""  # "yes" of a materialized view that waits until somebody names it


@dataclass(frozen=True, slots=True)
class Entries:
    """The catalog at one version, sorted by name."""

    version: int
    entries: tuple[Entry, ...]

    def get(self, name: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.name == name), None)


class Catalog:
    """The names of the warehouse at a URI."""

    def __init__(self, uri: str, storage_options: Mapping[str, str] | None = None) -> None:
        self._warehouse = Storage(uri, storage_options)
        self._storage = Storage(f"{self._warehouse.uri}/{_PLACE}", storage_options)
        # What was read last: a version of the log never changes, so it is read once.
        self._last: tuple[tuple[str, int], Entries] | None = None

    @property
    def uri(self) -> str:
        """The warehouse's location."""
        return self._warehouse.uri

    def create(self) -> None:
        """Make an empty catalog; NameTaken if there is one, NotAWarehouse if none can be made."""
        try:
            EmbeddedDelta(self._storage.options).create(self._storage.uri, _SCHEMA, (), {})
        except (TableNotFoundError, DeltaError, OSError) as error:
            raise NotAWarehouse(
                f"No warehouse can be made there: {plain_message(error)}",
                where=self.uri,
                remedy="Choose a folder that can be written.",
            ) from error

    def exists(self) -> bool:
        return bool(self._storage.list(LOG_FOLDER, recursive=False))

    def read(self) -> Entries:
        """The catalog now; NotATable if there is none."""
        with storage_errors(self.uri):
            table = load(self._storage)
        read = str(table.metadata().id), table.version()
        last = self._last
        if last is not None and last[0] == read:
            return last[1]
        rows = arrow_table(table.scan()).to_pylist()
        known = (*_COLUMNS, *_LATER)
        entries = (Entry(**{column: row.get(column) or "" for column in known}) for row in rows)
        found = Entries(table.version(), tuple(sorted(entries, key=lambda entry: entry.name)))
        self._last = read, found
        return found

    def write(self, entries: tuple[Entry, ...], base_version: int) -> int:
        """Replace the catalog of `base_version`; CommitConflict if another writer was first."""
        token = uuid.uuid4().hex
        try:
            table = load_own(self._storage, base_version)
        except LostHistory as error:
            raise CommitConflict(f"version {base_version} of the catalog is gone") from error
        try:
            _overwrite(table, entries, token)
        except Exception as error:
            search = partial(search_token, self._storage)
            return settle(self._storage.uri, base_version, token, search, error)
        after_commit(self._storage, table, token)
        return base_version + 1

    def change(self, decide: Callable[[Entries], tuple[Entry, ...]]) -> Entries:
        """Apply `decide` to the catalog as it is, again if another writer was first."""
        for attempt in range(1, _ATTEMPTS + 1):
            current = self.read()
            wanted = tuple(sorted(decide(current), key=lambda entry: entry.name))
            if wanted == current.entries:
                return current
            try:
                return Entries(self.write(wanted, current.version), wanted)
            except CommitConflict:
                if attempt == _ATTEMPTS:
                    raise
                time.sleep(_PAUSE * attempt * random.random())
        raise AssertionError("unreachable: the last attempt returns or raises")


def warehouse_state(uri: str, storage_options: Mapping[str, str] | None = None) -> str:
    """'warehouse' where a catalog is, 'empty' where nothing is, 'other' where something else is."""
    storage = Storage(uri, storage_options)
    refuse_file_as_warehouse(storage.uri)
    with storage_errors(storage.uri):
        if Catalog(uri, storage_options).exists():
            return "warehouse"
        # A creation that died before its first commit leaves the folder of the catalog alone.
        names = set(storage.names()) - {_FOLDER}
    return "other" if names else "empty"


def _overwrite(table: DeltaTable, entries: tuple[Entry, ...], token: str) -> None:
    there = {f.name for f in table.schema().fields}
    later = [c for c in _LATER if c in there or any(getattr(e, c) for e in entries)]
    columns = {
        column: pa.array([getattr(entry, column) for entry in entries], pa.string())
        for column in (*_COLUMNS, *later)
    }
    is_new = not there.issuperset(later)
    own = {"token": token, "operation": "CATALOG"}
    write_deltalake(
        table,
        pa.table(columns),
        mode="overwrite",
        schema_mode="overwrite" if is_new else None,
        commit_properties=CommitProperties(
            custom_metadata={"userMetadata": json.dumps({"everview": own})}, max_commit_retries=0
        ),
        post_commithook_properties=NO_HOOKS,
    )
