"""Everything a refresh may ask: the catalog of names, the lake, the session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from everview.errors import NotATable, Place, UnknownName
from everview.facts.pace import Pace
from everview.facts.schema import Schema
from everview.facts.tables import Snapshot
from everview.facts.views import Tail, ViewRecord
from everview.lake.catalog import Catalog, Entries, Entry
from everview.lake.port import Lake, LakeTable
from everview.lake.storage import Storage
from everview.run.driver.held_columns import HeldColumns
from everview.run.faults import FaultProbe, no_fault
from everview.run.refresh.rows_of_run import RowsOfRun
from everview.settings import Settings
from everview.spark.engine import Engine

if TYPE_CHECKING:
    from everview.run.understand.define import Defined

VIEW_PROPERTY = "everview.view"
TABLE_PROPERTY = "everview.table"


@dataclass
class World:
    """One open warehouse."""

    catalog: Catalog
    lake: Lake
    engine: Engine
    storage_options: Mapping[str, str]
    now: Callable[[], int]
    settings: Settings = field(default_factory=Settings)
    probe: FaultProbe = no_fault
    held: HeldColumns = field(default_factory=HeldColumns)  # for one call that refreshes views
    run: RowsOfRun = field(default_factory=RowsOfRun)  # of the same call
    paces: dict[str, Pace] = field(default_factory=dict)  # of views that were looked at
    _defined: dict[str, tuple[str, Defined]] = field(default_factory=dict)

    @property
    def storage(self) -> Storage:
        return Storage(self.catalog.uri, self.storage_options)

    def uri(self, location: str) -> str:
        """The absolute place of a catalog entry's location."""
        is_absolute = "://" in location or location.startswith("/")
        return location if is_absolute else f"{self.catalog.uri}/{location}"

    def open(self, entry: Entry) -> LakeTable:
        """The table of an entry; NotATable, by its name, if its folder is gone."""
        try:
            return self.lake.open(self.uri(entry.location))
        except NotATable as error:
            raise NotATable(
                f"The folder of `{entry.name}` is gone or holds no table: {error.what}.",
                where=self.uri(entry.location),
                remedy=_lost_remedy(entry),
            ) from error

    def entry(self, name: str, kind: str = "", where: Place | None = None) -> Entry:
        """The entry of a name, of a kind if one is given."""
        found = find_entry(self.catalog.read(), name)
        if found is None or (kind and kind != found.kind and (kind, found.kind) != _ATTACHED):
            known = [e.name for e in self.catalog.read().entries]
            what = f"There is no {KINDS.get(kind, 'table or view')} `{name}` in this warehouse"
            if found is not None:
                what += f", it is of another kind: {KINDS[found.kind]}"
            raise UnknownName(
                f"{what}.",
                where=where,
                remedy=f"Known names: {', '.join(known) or 'none yet'}.",
            )
        return found

    def defined(self, table: LakeTable, record: ViewRecord) -> Defined:
        """The definition as understood; asked of Spark once per record and session."""
        # What reads SQL takes long to load; the log alone answers many calls.
        from everview.run.understand.define import define
        from everview.sql.statements.spark_text import query_of

        text = record.to_json()
        known = self._defined.get(table.uri)
        if known is None or known[0] != text:
            schemas = {s.name: s.schema for s in (*record.sources, *record.outside)}
            found = define(self.engine, query_of(record), schemas, record.settings)
            known = self._defined[table.uri] = (text, found)
        return known[1]


_ATTACHED = ("table", "attached")
# What the kinds of catalog entries are called.
KINDS = {
    "table": "table",
    "attached": "attached table",
    "view": "materialized view",
    "virtual": "view",
}


def _lost_remedy(entry: Entry) -> str:
    """What helps if a folder is gone; a table that views read cannot be dropped."""
    name = entry.name
    if entry.kind == "attached":
        return (
            f"If it was moved: ALTER TABLE {name} SET LOCATION 'path', or "
            f"wh.attach({name!r}, path, replace=True) also for another table."
        )
    if entry.kind == "view":
        return f"Create `{name}` again with CREATE OR REPLACE MATERIALIZED VIEW, or drop it."
    return (
        f"Put the folder back, from a copy of it say; or DROP TABLE {name} CASCADE, with the views "
        "that read it, and create them again."
    )


def find_entry(entries: Entries, name: str) -> Entry | None:
    """Names are one name whatever their case."""
    return next((e for e in entries.entries if e.name.lower() == name.lower()), None)


def public_schema(table: LakeTable, version: int) -> Schema:
    """The columns a reader sees at a version: of a view its public ones."""
    record = _record_at(table, version)
    return table.snapshot(version).schema if record is None else record.columns


def tail_at(table: LakeTable, version: int) -> Tail | None:
    """With what a view is read; None of a table, and of a view that is read as it is stored."""
    record = _record_at(table, version)
    return None if record is None else record.layout.tail


def is_limited(table: LakeTable, version: int) -> bool:
    """Whether a reader sees the rows of a view with a LIMIT applied: then which rows he sees
    depends on other rows.
    """
    tail = tail_at(table, version)
    return tail is not None and tail.cuts


def record_of(table: LakeTable) -> ViewRecord:
    """What is recorded of a view now."""
    return ViewRecord.from_json(table.head().properties[VIEW_PROPERTY])


def record_in(snapshot: Snapshot) -> ViewRecord:
    """What was recorded of a view at a version."""
    return ViewRecord.from_json(snapshot.properties[VIEW_PROPERTY])


def seen_of(snapshot: Snapshot) -> tuple[Schema, Tail | None]:
    """The columns that a reader of a snapshot sees, and with what it is read."""
    if VIEW_PROPERTY not in snapshot.properties:
        return snapshot.schema, None
    record = record_in(snapshot)
    return record.columns, record.layout.tail


def _record_at(table: LakeTable, version: int) -> ViewRecord | None:
    """The record of a version, which need not be that of today; None of a table."""
    head = table.head()
    is_head = head.version == version
    properties = head.properties if is_head else table.snapshot(version).properties
    text = properties.get(VIEW_PROPERTY)
    return None if text is None else ViewRecord.from_json(text)


def receipts_of(table: LakeTable, limit: int | None) -> list[Mapping[str, Any]]:
    """The receipts in the commits still in the log, newest first."""
    return [
        {"version": c.version, "timestamp": c.timestamp, **c.metadata["receipt"]}
        for c in table.history(limit)
        if "receipt" in c.metadata
    ]
