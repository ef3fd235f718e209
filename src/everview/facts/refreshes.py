"""What is known before a refresh is planned: the pinned sources and the stored view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from everview.algebra.relations import At
from everview.errors import InvalidArgument
from everview.facts.asked_strategy import AskedStrategy, asked_strategy
from everview.facts.merge_on_read import AS_USUAL, MarkingWish
from everview.facts.pace import AS_ESTIMATED, Pace
from everview.facts.readers import EVERYTHING, Readers
from everview.facts.schema import Schema
from everview.facts.tables import Lost, Snapshot, TableChanges
from everview.facts.views import Tail, ViewRecord

STORED = "__ev_stored"  # the name in plans of the view itself, as it is stored before the changes


@dataclass(frozen=True, slots=True)
class Gross:
    """Changes as they were before rows that came and went again were left out of them: how many
    there were, in how many bytes.
    """

    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """One source, pinned: where the view is exact (None before its first build) and where it
    goes; of a view its tail, with which it is read. `at_old` is None where it cannot be read any
    more. `gross` is what the changes were netted from, None if they are as the log tells them.
    """

    name: str
    id: str
    old: int | None
    new: int
    at_new: Snapshot
    at_old: Snapshot | None
    changes: TableChanges | Lost
    tail: Tail | None = None
    gross: Gross | None = None

    def at(self, snapshot: At) -> Snapshot:
        """The source at one of the two; a plan does not read OLD where it is gone."""
        if snapshot is At.NEW:
            return self.at_new
        assert self.at_old is not None, f"{self.name} at version {self.old} is gone"
        return self.at_old

    @property
    def changed(self) -> bool:
        return isinstance(self.changes, Lost) or not self.changes.empty


@dataclass(frozen=True, slots=True)
class StoredFacts:
    """The stored view: its definition, its rows, and what stands against building on them."""

    record: ViewRecord
    snapshot: Snapshot
    built: bool  # whether a refresh ever published rows
    watermark: Mapping[str, int]  # by source name; empty before the first build
    distrust: str  # why the stored rows cannot be built on, "" if they can
    recompute_seconds: float | None = None  # what the last full refresh took
    told_rows: int | None = None  # how many readers saw after the last refresh, by its receipt
    readers: Readers = EVERYTHING  # who can read its folder
    pace: Pace | None = None  # what its receipts tell of estimates, None if they do not

    def as_source(self) -> SourceFacts:
        """The stored view as a source that does not change, for plans that ask its rows."""
        schema, version = self.record.layout.stored, self.snapshot.version
        rows = replace(self.snapshot, schema=schema)
        same = TableChanges(rows.table_id, rows.uri, version, version, schema, ())
        return SourceFacts(STORED, rows.table_id, version, version, rows, rows, same)

    @property
    def seen_rows(self) -> int | None:
        """How many of the stored rows readers see before they are cut: all, or as many as the last
        refresh counted; None if that is not known.
        """
        tail = self.record.layout.tail
        return self.told_rows if tail is not None and tail.shown else self.snapshot.rows


@dataclass(frozen=True, slots=True)
class RefreshFacts:
    """Everything a refresh is planned from; `passes_off` names the passes that are left out,
    `read_by` the views that read this one, and `marking` says whether stored rows may be marked.
    `typical_pace` is that of other views.
    """

    view: str
    policy: str
    stored: StoredFacts
    sources: tuple[SourceFacts, ...]
    passes_off: frozenset[str] = frozenset()
    read_by: tuple[str, ...] = ()
    marking: MarkingWish = AS_USUAL
    typical_pace: Pace = AS_ESTIMATED

    @property
    def pace(self) -> Pace:
        """How long its refreshes take beside what is estimated; of a view whose receipts do not
        tell, what others take.
        """
        return self.typical_pace if self.stored.pace is None else self.stored.pace

    def source_bytes(self) -> int:
        """The bytes of all sources at the versions the view moves to."""
        return sum(s.at_new.bytes for s in self.sources)

    def touched_files(self) -> int:
        """The most files of the stored view that the changes may touch: one per changed row."""
        files = len(self.stored.snapshot.files)
        rows = [s.changes.rows for s in self.sources if isinstance(s.changes, TableChanges)]
        known = [r for r in rows if r is not None]
        return min(files, sum(known)) if len(known) == len(rows) else files

    def source(self, name: str) -> SourceFacts:
        """A source by its name in plans; the stored view is one where its own rows are asked."""
        if name == STORED:
            return self.stored.as_source()
        return next(s for s in self.sources if s.name == name)

    def schema(self, name: str) -> Schema:
        """The columns under which a source is read."""
        record = self.stored.record
        return record.layout.stored if name == STORED else record.source(name).schema


@dataclass(frozen=True, slots=True)
class Wish:
    """What a refresh is asked for: all of it anew, and how often to try again where somebody else
    wrote the view first. `read_by` are the views that read this one. `strategy` is the way that
    was asked for.
    """

    full: bool = False
    retry: int = 0
    read_by: tuple[str, ...] = ()
    strategy: AskedStrategy = AskedStrategy.AUTO

    def __post_init__(self) -> None:
        given: object = self.retry
        if isinstance(given, bool) or not isinstance(given, int) or given < 0:
            raise InvalidArgument(
                f"{self.retry!r} is not a number of tries.", remedy="Give 0 or more: retry=3."
            )

    @staticmethod
    def of(retry: int = 0, strategy: object = "auto", *, full: bool = False) -> Wish:
        """The wish of somebody who gives these arguments."""
        asked = asked_strategy(strategy, full=full)
        return Wish(asked is AskedStrategy.FULL, retry, strategy=asked)

    def for_view(self, *, named: bool, read_by: tuple[str, ...]) -> Wish:
        """The same for one view of several: those below the named ones are refreshed as usual."""
        if named:
            return replace(self, read_by=read_by)
        return Wish(retry=self.retry, read_by=read_by)
