"""Facts of a refresh, made by hand: sizes and versions as a test wants them."""

from __future__ import annotations

from collections.abc import Mapping

from everview.facts.files import ChangeFile, DataFile, Sign
from everview.facts.refreshes import RefreshFacts, SourceFacts, StoredFacts
from everview.facts.schema import Schema
from everview.facts.tables import Lost, Snapshot, TableChanges
from everview.facts.views import Layout, LayoutKind, ViewRecord
from everview.shape.shape import Shape
from tests.sql.schemas import SOURCES


def snapshot(*sizes: int, rows: int | None = 100, version: int = 1) -> Snapshot:
    files = tuple(DataFile(f"f{i}", size, rows) for i, size in enumerate(sizes))
    return Snapshot("id", "uri", version, Schema(()), (), files)


def source(
    name: str,
    *signs: Sign,
    old: int | None = 1,
    size: int = 200_000_000,
    lost: str = "",
) -> SourceFacts:
    """A source of one file, with one small change file per sign; without any it did not move."""
    files = tuple(ChangeFile(DataFile(f"c{i}", 1000, 5), s) for i, s in enumerate(signs))
    new = (old or 1) + (1 if signs or lost else 0)
    changes = Lost(lost) if lost else TableChanges("id", "uri", old or 1, new, SOURCES[name], files)
    at = snapshot(size)
    return SourceFacts(name, f"id-{name}", old, new, at, None if lost else at, changes)


def facts(
    shape: Shape,
    *sources: SourceFacts,
    policy: str = "AUTO",
    stored: Snapshot | None = None,
    distrust: str = "",
) -> RefreshFacts:
    record = ViewRecord(
        "SELECT", {}, Schema(()), (), Layout(LayoutKind.BAG, (), Schema(())), "", "0.1.0"
    )
    watermark: Mapping[str, int] = {s.name: s.old for s in sources if s.old is not None}
    kept = snapshot(50_000, 50_000) if stored is None else stored
    known = StoredFacts(
        record=record,
        snapshot=kept,
        built=bool(watermark),
        watermark=watermark,
        distrust=distrust,
    )
    return RefreshFacts("v", policy, known, sources)
