"""Gathering the facts of one refresh: what is stored, and every source at its pinned version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from everview.errors import EverviewError, LostHistory
from everview.facts.files import count_marked
from everview.facts.merge_on_read import marking_wish
from everview.facts.methods import Way, stored_method
from everview.facts.pace import Pace, typical_pace
from everview.facts.readers import Readers
from everview.facts.refreshes import RefreshFacts, SourceFacts, StoredFacts
from everview.facts.tables import Head, Lost, Snapshot, TableChanges
from everview.facts.views import SourceRecord, ViewRecord
from everview.facts.watermarks import SELF, source_app
from everview.lake.catalog import Entry
from everview.lake.port import LakeTable
from everview.views.world import VIEW_PROPERTY, World, receipts_of, record_in, seen_of

Pins = dict[str, int]  # source table id -> version; filled as sources are met


def gather_comparable(world: World, entry: Entry, stored: StoredFacts) -> RefreshFacts:
    """The facts with each source pinned where the view is exact; LostHistory, by the source's
    name, if that version of that table cannot be read any more.
    """
    for source in stored.record.sources:
        _require_at_hand(world, entry.name, source, stored.watermark[source.name])
    pins = {s.id: stored.watermark[s.name] for s in stored.record.sources}
    return gather_from(world, entry, stored, pins)


def _require_at_hand(world: World, view: str, source: SourceRecord, version: int) -> None:
    """LostHistory, or what keeps the source from being read at all."""
    kind: type[EverviewError] = LostHistory
    remedy = f"Refresh `{view}`; it is then compared at the versions of today."
    try:
        found = world.open(world.entry(source.name)).readable_snapshot(version)
        why = "" if found.table_id == source.id else "another table has its name now"
    except LostHistory as error:
        why = error.what.removesuffix(".")
    except EverviewError as error:
        kind, why, remedy = type(error), error.what.removesuffix("."), error.remedy
    if why:
        raise kind(
            f"`{view}` cannot be compared at version {version} of `{source.name}`, from which it "
            f"was computed: {why}.",
            remedy=remedy,
        )


def gather(world: World, entry: Entry, table: LakeTable, pins: Pins) -> RefreshFacts:
    """The facts, with each source pinned at the version that `pins` says or its head."""
    return gather_from(world, entry, stored_facts(table), pins)


def gather_from(world: World, entry: Entry, stored: StoredFacts, pins: Pins) -> RefreshFacts:
    """The same where what is stored is known already."""
    sources = tuple(_source(world, s, stored, pins) for s in stored.record.sources)
    wish = marking_wish(stored.snapshot.properties, world.settings.merge_on_read)
    if stored.pace is not None:
        world.paces[entry.name] = stored.pace
    return RefreshFacts(
        entry.name,
        entry.policy,
        stored,
        sources,
        _passes_off(world),
        marking=wish,
        typical_pace=typical_pace(world.paces.values()),
    )


def facts_to_build(
    world: World, entry: Entry, stored: tuple[ViewRecord, Snapshot], pins: Pins
) -> RefreshFacts:
    """The facts of a view whose rows are all to be computed, by a record that is published with
    them on top of a version.
    """
    record, base = stored
    none = StoredFacts(record, base, built=False, watermark={}, distrust="")
    sources = tuple(_source(world, s, none, pins) for s in record.sources)
    return RefreshFacts(entry.name, entry.policy, none, sources, _passes_off(world))


def _passes_off(world: World) -> frozenset[str]:
    return frozenset(world.settings.passes_off)


def stored_facts(table: LakeTable) -> StoredFacts:
    head = table.head()
    snapshot = table.snapshot(head.version)
    record = _with_moment(record_in(snapshot))
    recorded = {s.name: table.transaction(source_app(s.id)) for s in record.sources}
    watermark = {name: version for name, version in recorded.items() if version is not None}
    receipt = _newest_receipt(table)
    own = table.transaction(SELF)
    return StoredFacts(
        record=record,
        built=own is not None and len(watermark) == len(record.sources),
        snapshot=snapshot,
        watermark=watermark,
        distrust=_distrust(table, head, own) if own is not None else "",
        recompute_seconds=_recompute_seconds(receipt),
        pace=None if receipt.get("pace") is None else Pace.from_dict(receipt["pace"]),
        told_rows=receipt.get("rows"),
        readers=Readers(head.reader_features, count_marked(snapshot.files)),
    )


def _with_moment(record: ViewRecord) -> ViewRecord:
    """An older record does not say what makes the view depend on the clock; its text does."""
    if record.moment is not None or not record.full_only or record.kept:
        return record
    from everview.sql.bind.moments import known_moment
    from everview.sql.statements.spark_text import SparkText, query_of

    sources = {s.name: s.schema for s in (*record.sources, *record.outside)}
    query = query_of(record)
    if isinstance(query, SparkText):
        return record
    return replace(record, moment=known_moment(query, sources))


def _newest_receipt(table: LakeTable) -> Mapping[str, Any]:
    """That of the last refresh, as it was stored; nothing if the log does not hold it any more."""
    newest = [c.metadata["receipt"] for c in table.history(1) if "receipt" in c.metadata]
    return next(iter(newest or receipts_of(table, _COMMITS_SEARCHED)), {})


def _recompute_seconds(receipt: Mapping[str, Any]) -> float | None:
    """What the last full refresh took: every receipt carries it on, so the newest one knows."""
    if not receipt:
        return None
    is_full = stored_method(receipt).way is Way.FULL
    known: float | None = receipt.get("recompute_seconds")
    return float(sum(receipt["seconds"].values())) if is_full else known


_COMMITS_SEARCHED = 5  # the newest ones may be compactions, which leave no receipt


def _distrust(table: LakeTable, head: Head, own: int) -> str:
    """Why the stored rows are not what a refresh left there, "" if they are."""
    if own == head.version:
        return ""
    newest = table.history(max(0, head.version - own))
    later = [c for c in newest if own < c.version <= head.version]
    gap = own > head.version or len(later) != head.version - own
    if gap or any(c.data_change for c in later):
        return f"the stored view was changed by another writer after version {own}"
    return ""


def _source(world: World, source: SourceRecord, stored: StoredFacts, pins: Pins) -> SourceFacts:
    table = world.open(world.entry(source.name))
    head = table.head()
    new = pins.setdefault(source.id, head.version)
    old = stored.watermark.get(source.name)
    if old is not None and new < old <= head.version:
        new = old  # another refresh went further since the versions were pinned
    at_new = table.snapshot(new)
    if at_new.table_id != source.id:
        raise LostHistory(
            f"`{source.name}` was replaced by another table meanwhile.", remedy="Run it again."
        )
    used = () if stored.record.full_only else source.used  # its text is recomputed as a whole
    at_old = _old(table, old, at_new)
    changes = _changes(table, used, old, new)
    if isinstance(changes, TableChanges) and not _is_shown_alike(at_old, at_new):
        changes = Lost(f"`{source.name}` stores its rows otherwise since then")
    return SourceFacts(
        name=source.name,
        id=source.id,
        old=old,
        new=new,
        at_new=at_new,
        at_old=at_old,
        changes=changes,
        tail=seen_of(at_new)[1],
    )


def _is_shown_alike(old: Snapshot | None, new: Snapshot) -> bool:
    """Whether the same column, or none, says at both versions which stored rows a reader sees:
    else changes of stored rows are not those of what is seen.
    """
    if VIEW_PROPERTY not in new.properties:
        return True
    return old is not None and _shown_by(old) == _shown_by(new)


def _shown_by(snapshot: Snapshot) -> str:
    tail = seen_of(snapshot)[1]
    return "" if tail is None else tail.shown


def _old(table: LakeTable, old: int | None, new: Snapshot) -> Snapshot | None:
    """The source where the view is exact; None if its log or its files are gone."""
    if old is None or old > new.version:
        return None
    if old == new.version:
        return new
    try:
        return table.readable_snapshot(old, beside=new)
    except LostHistory:
        return None


def _changes(
    table: LakeTable, used: tuple[str, ...], old: int | None, new: int
) -> TableChanges | Lost:
    if old is None:
        return Lost("the view was never built")
    if old > new:
        return Lost(f"the table went back from version {old} to {new}")
    return table.changes(old, new, used)
