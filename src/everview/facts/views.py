"""What is recorded of a materialized view: definition, sources, layout."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any, Literal, assert_never

from everview.errors import Place
from everview.facts.refusals import RefusalKind
from everview.facts.schema import Field, Schema
from everview.facts.self_maintenance import SelfMaintenance, self_maintenance_from

HIDDEN = "__ev"
RESERVED_PREFIX = "__ev"

Policy = Literal["AUTO", "INCREMENTAL", "INCREMENTAL STRICT", "FULL"]
POLICIES: tuple[Policy, ...] = ("AUTO", "INCREMENTAL", "INCREMENTAL STRICT", "FULL")


class LayoutKind(Enum):
    """Which stored rows belong together. KEYED: there is one row per key. GROUPED: the rows of a
    key are replaced together. BAG: rows as they are, duplicates included. ROWS: as they are, never
    changed row by row.
    """

    KEYED = "keyed"
    GROUPED = "grouped"
    BAG = "bag"
    ROWS = "rows"


def hidden_name(letter: str, number: int, name: str) -> str:
    """The name in a layout of a hidden column: plain letters, told apart by the number."""
    plain = "".join(ch if ch.isalnum() and ch.isascii() else "_" for ch in name.lower())
    return f"{HIDDEN}.{letter}{number}_{plain}"


@dataclass(frozen=True, slots=True)
class OrderKey:
    """A stored column to order by; NULLs first or last."""

    column: str
    descending: bool
    nulls_first: bool

    def __str__(self) -> str:
        nulls = f" NULLS {'FIRST' if self.nulls_first else 'LAST'}"
        said = "" if self.nulls_first != self.descending else nulls  # first ascending is usual
        is_plain = self.column.removeprefix(f"{HIDDEN}.").isidentifier()
        name = self.column if is_plain else f"`{self.column.replace('`', '``')}`"
        return f"{name}{' DESC' if self.descending else ''}{said}"


@dataclass(frozen=True, slots=True)
class Tail:
    """Which of the stored rows a reader sees: those in which the column `shown` is true, if there
    is one; of them, in this order, those after the first `offset`, at most `limit`. Its text is
    the SQL that shows them where the stored rows are read.
    """

    order: tuple[OrderKey, ...] = ()
    limit: int | None = None
    offset: int = 0
    shown: str = ""

    @property
    def cuts(self) -> bool:
        """Whether rows that are to be shown are left out by their number, so that what is seen of
        one row depends on others.
        """
        return self.limit is not None or self.offset > 0

    def left(self, rows: int) -> int:
        """How many rows a reader sees of so many to be shown."""
        left = max(0, rows - self.offset)
        return left if self.limit is None else min(left, self.limit)

    def __str__(self) -> str:
        parts = (
            f"WHERE {self.shown}" if self.shown else "",
            f"ORDER BY {', '.join(map(str, self.order))}" if self.order else "",
            "" if self.limit is None else f"LIMIT {self.limit}",
            f"OFFSET {self.offset}" if self.offset else "",
        )
        return " ".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class Layout:
    """How the rows of a view are stored, and what is left to do when they are read.

    `key` names stored columns, `stored` all of them; `__ev.x` is field x of the struct `__ev`.
    """

    kind: LayoutKind
    key: tuple[str, ...]
    stored: Schema
    tail: Tail | None = None

    @property
    def has_key(self) -> bool:
        """Whether changes are applied by key; one without columns is the key of a single row."""
        match self.kind:
            case LayoutKind.KEYED | LayoutKind.GROUPED:
                return True
            case LayoutKind.BAG | LayoutKind.ROWS:
                return False
            case _:
                assert_never(self.kind)


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A table or view that a view reads: its name in the text, its id, and its columns at
    creation.
    """

    name: str
    id: str
    schema: Schema
    used: tuple[str, ...]
    limited: bool = False  # whether it is a view with a LIMIT


@dataclass(frozen=True, slots=True)
class Mention:
    """Where a text that only Spark parses names a table: the characters from start up to end, the
    name in lower case, and the alias to give it, "" where the text gives one or none may stand.
    """

    start: int
    end: int
    name: str
    alias: str


@dataclass(frozen=True, slots=True)
class Moment:
    """An expression because of which the rows depend on when they are computed, and where it
    stands in the text, if that is known.
    """

    expression: str
    place: Place | None = None

    def __str__(self) -> str:
        place = self.place
        where = f" (line {place.line}, column {place.column})" if place else ""
        return f"{self.expression}{where}"


@dataclass(frozen=True, slots=True)
class ViewRecord:
    """The definition; one JSON table property, which changes only together with all rows."""

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
    mentions: tuple[Mention, ...] | None = None  # of a text that only Spark parses
    full_kind: RefusalKind | None = (
        None  # what kind of reason that is; None if it is none, or unknown
    )
    moment: Moment | None = None  # what makes it depend on the clock; older records do not say
    kept: str = ""  # how it is maintained, in words
    cluster_by: tuple[str, ...] = ()  # columns whose ranges the files should be of
    written: str = ""  # the text as it was given, where virtual views in it were replaced in `sql`
    beside: SelfMaintenance | None = None  # what is read beside changes; older records do not say

    @property
    def given(self) -> str:
        """The text as the user gave it, virtual views by their names."""
        return self.written or self.sql

    def source(self, name: str) -> SourceRecord:
        return next(s for s in self.sources if s.name == name)

    def to_json(self) -> str:
        kind = None if self.full_kind is None else self.full_kind.name
        layout = {**asdict(self.layout), "kind": self.layout.kind.value}
        return json.dumps({**asdict(self), "layout": layout, "full_kind": kind}, sort_keys=True)

    @staticmethod
    def from_json(text: str) -> ViewRecord:
        raw = json.loads(text)
        return ViewRecord(
            sql=raw["sql"],
            settings=raw["settings"],
            columns=_schema(raw["columns"]),
            sources=_sources(raw["sources"]),
            layout=_layout(raw["layout"]),
            full_only=raw["full_only"],
            created_with=raw["created_with"],
            inlined=tuple(raw.get("inlined", ())),
            outside=_sources(raw.get("outside", ())),
            comments=raw.get("comments", {}),
            mentions=_mentions(raw.get("mentions")),
            full_kind=_kind(raw.get("full_kind")),
            moment=_moment(raw.get("moment")),
            cluster_by=tuple(raw.get("cluster_by", ())),
            written=raw.get("written", ""),
            kept=raw.get("kept", ""),
            beside=self_maintenance_from(raw.get("beside")),
        )


def _mentions(raw: Iterable[Mapping[str, Any]] | None) -> tuple[Mention, ...] | None:
    return None if raw is None else tuple(Mention(**m) for m in raw)


def _kind(name: str | None) -> RefusalKind | None:
    """The kind of that name; a name of a later version is as good as none."""
    return RefusalKind.__members__.get(name) if name is not None else None


def _moment(raw: Mapping[str, Any] | None) -> Moment | None:
    if raw is None:
        return None
    place = raw["place"]
    return Moment(raw["expression"], None if place is None else Place(**place))


def _layout(raw: Mapping[str, Any]) -> Layout:
    tail = raw.get("tail")
    return Layout(
        _layout_kind(raw["kind"]),
        tuple(raw["key"]),
        _schema(raw["stored"]),
        None if tail is None else _tail(tail),
    )


def _layout_kind(text: str) -> LayoutKind:
    """The kind of that text; of one of a later version nothing is known but that rows are there."""
    return next((kind for kind in LayoutKind if kind.value == text), LayoutKind.ROWS)


def _tail(raw: Mapping[str, Any]) -> Tail:
    order = tuple(OrderKey(**k) for k in raw["order"])
    return Tail(order, raw["limit"], raw["offset"], raw.get("shown", ""))


def _sources(raw: Iterable[Mapping[str, Any]]) -> tuple[SourceRecord, ...]:
    return tuple(
        SourceRecord(
            s["name"], s["id"], _schema(s["schema"]), tuple(s["used"]), s.get("limited", False)
        )
        for s in raw
    )


def _schema(raw: Mapping[str, Any]) -> Schema:
    return Schema(tuple(Field(**f) for f in raw["fields"]))


@dataclass(frozen=True, slots=True)
class TableRecord:
    """What was declared of a table: keys, kept as they were said.

    The record of a table made by an earlier version does not say whether its primary key is
    enforced: then it is.
    """

    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...] = ()
    comments: Mapping[str, str] = field(default_factory=dict)  # by column
    primary_key_enforced: bool = True

    @property
    def enforced_key(self) -> tuple[str, ...]:
        """The primary key that every write is held to, () if none is."""
        return self.primary_key if self.primary_key_enforced else ()

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def from_json(text: str) -> TableRecord:
        raw = json.loads(text)
        foreign = tuple((tuple(a), t, tuple(b)) for a, t, b in raw["foreign_keys"])
        return TableRecord(
            tuple(raw["primary_key"]),
            foreign,
            raw.get("comments", {}),
            raw.get("primary_key_enforced", True),
        )
