"""What is recorded of a materialized view: definition, sources, layout."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from everview.facts.schema import Field, Schema

HIDDEN = "__ev"
RESERVED_PREFIX = "__ev"

LayoutKind = Literal["keyed", "grouped", "bag", "rows"]
Policy = Literal["AUTO", "INCREMENTAL", "INCREMENTAL STRICT", "FULL"]
POLICIES: tuple[Policy, ...] = ("AUTO", "INCREMENTAL", "INCREMENTAL STRICT", "FULL")


@dataclass(frozen=True, slots=True)
class Layout:
    """How the rows of a view are stored.

    keyed: one row per key. grouped: the rows of a key are replaced together. bag: rows as they
    are, duplicates included. rows: as they are, never changed row by row. `key` names stored
    columns, `stored` all of them; `__ev.x` is field x of the struct `__ev`.
    """

    kind: LayoutKind
    key: tuple[str, ...]
    stored: Schema


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A table or view that a view reads: its name in the text, its id, and its columns at
    creation.
    """

    name: str
    id: str
    schema: Schema
    used: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ViewRecord:
    """The definition as created; one JSON table property, never changed afterwards."""

    sql: str
    settings: Mapping[str, str]
    columns: Schema
    sources: tuple[SourceRecord, ...]
    layout: Layout
    full_only: str  # why the view cannot be maintained incrementally, "" if it can
    created_with: str
    inlined: tuple[str, ...] = ()  # the virtual views whose queries are part of the text
    outside: tuple[SourceRecord, ...] = ()  # of the session's catalog: no versions, its name as id
    comments: Mapping[str, str] = field(default_factory=dict)  # by column

    def source(self, name: str) -> SourceRecord:
        return next(s for s in self.sources if s.name == name)

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def from_json(text: str) -> ViewRecord:
        raw = json.loads(text)
        layout = raw["layout"]
        return ViewRecord(
            sql=raw["sql"],
            settings=raw["settings"],
            columns=_schema(raw["columns"]),
            sources=_sources(raw["sources"]),
            layout=Layout(layout["kind"], tuple(layout["key"]), _schema(layout["stored"])),
            full_only=raw["full_only"],
            created_with=raw["created_with"],
            inlined=tuple(raw.get("inlined", ())),
            outside=_sources(raw.get("outside", ())),
            comments=raw.get("comments", {}),
        )


def _sources(raw: Iterable[Mapping[str, Any]]) -> tuple[SourceRecord, ...]:
    return tuple(
        SourceRecord(s["name"], s["id"], _schema(s["schema"]), tuple(s["used"])) for s in raw
    )


def _schema(raw: Mapping[str, Any]) -> Schema:
    return Schema(tuple(Field(**f) for f in raw["fields"]))


@dataclass(frozen=True, slots=True)
class TableRecord:
    """What was declared of a table: keys, kept as they were said."""

    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...] = ()
    comments: Mapping[str, str] = field(default_factory=dict)  # by column

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def from_json(text: str) -> TableRecord:
        raw = json.loads(text)
        foreign = tuple((tuple(a), t, tuple(b)) for a, t, b in raw["foreign_keys"])
        return TableRecord(tuple(raw["primary_key"]), foreign, raw.get("comments", {}))


Watermark = Mapping[str, int]  # source name -> version
