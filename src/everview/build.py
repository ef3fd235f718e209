"""Building a view: its rows by its definition, compared with the user's text, then published."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from everview.choose.choose import recomputed
from everview.errors import CommitUnknown, NotATable, StillUsed, UnknownName
from everview.facts.receipts import Receipt
from everview.facts.refreshes import RefreshFacts
from everview.facts.refusals import RefusalKind
from everview.facts.tables import Snapshot, TableShape
from everview.facts.views import ViewRecord
from everview.lake.catalog import Entry
from everview.lake.port import LakeTable
from everview.lake.storage import Storage, decoded
from everview.program.planned import with_steps
from everview.refresh import run
from everview.run.check.compare import is_same
from everview.run.refresh.work import Rebuild, Work
from everview.run.rows.read import packed_schema
from everview.run.rows.tails import shown_frame
from everview.run.rows.write import Written
from everview.run.understand.define import Defined
from everview.shape.loose import loose_columns
from everview.shape.shape import FullOnly, full_only
from everview.spark.log import logged
from everview.sql.names import quoted
from everview.understand import (
    Definition,
    SourceNow,
    check_circle,
    find_sources,
    record_for,
    require_policy,
    sources_now,
    understand,
)
from everview.views.catalog_changes import attach_found, drop_entry
from everview.views.gather import Pins, facts_to_build
from everview.views.resolve import Resolved
from everview.views.world import VIEW_PROPERTY, World, find_entry


@dataclass(frozen=True, slots=True)
class Understood:
    """A definition understood over its sources, ready to be built."""

    definition: Definition
    sources: Resolved
    now: dict[str, SourceNow]
    defined: Defined

    @property
    def limited(self) -> bool:
        """Whether a reader sees the rows with a LIMIT applied."""
        tail = self.defined.shape.layout.tail
        return tail is not None and tail.cuts

    def record(self, world: World) -> ViewRecord:
        return record_for(world, self.definition, self.defined, self.sources, self.now)


@dataclass(frozen=True, slots=True)
class BuildPlace:
    """Where a view is built: on top of this version of its table, and why."""

    entry: Entry
    table: LakeTable
    base: Snapshot
    reason: str


class _Misread(Exception):
    """The rows built are not those of the user's own text."""


@contextlib.contextmanager
def understood(world: World, definition: Definition, pins: Pins) -> Iterator[Understood]:
    """The definition over its sources, which are attached where the session's catalog has them;
    if the block fails they are forgotten again.
    """
    sources = find_sources(world, definition)
    attached = attach_found(world, sources.entries.values())
    try:
        check_circle(world, definition.name.lower(), (*sources.entries, *sources.inlined))
        now = sources_now(world, sources, pins)
        yield Understood(definition, sources, now, understand(world, definition, sources, now))
    except CommitUnknown:
        raise
    except BaseException as error:
        for name in attached:
            with contextlib.suppress(StillUsed):
                drop_entry(world, name)
        if not isinstance(error, NotATable):
            raise
        names = ", ".join(sources.entries)
        raise UnknownName(
            f"A source of `{definition.name}` went away while it was built: {names}.",
            remedy="Nothing was published; create the view again.",
        ) from error


def shape_for(record: ViewRecord) -> TableShape:
    """The table that stores a view."""
    stored = packed_schema(record.layout.stored)
    return TableShape(stored, (), {VIEW_PROPERTY: record.to_json()})


def build(world: World, plan: Understood, place: BuildPlace, pins: Pins) -> Receipt:
    """Write the view's rows and publish them, with its record, as the next version of its table.

    Rows other than those of the user's own text are not published: the view is then built by
    that text alone.
    """
    try:
        return _attempt(world, plan, place, pins)
    except _Misread:
        reason = "our reading of the text gives other rows than Spark's (found at creation)"
    shape = full_only(RefusalKind.MISREAD, reason, None, plan.defined.columns)
    require_policy(shape, plan.definition.policy)
    defined = dataclasses.replace(plan.defined, shape=shape)
    return _attempt(world, dataclasses.replace(plan, defined=defined), place, pins)


def _attempt(world: World, plan: Understood, place: BuildPlace, pins: Pins) -> Receipt:
    record, shape = plan.record(world), plan.defined.shape
    wanted = dataclasses.replace(place.entry, policy=plan.definition.policy)
    facts = facts_to_build(world, wanted, (record, place.base), pins)
    planned = with_steps(facts, shape, recomputed(facts, place.reason))
    rebuild = Rebuild(_changed_shape(record, place.base), partial(_check, world, plan))
    published = run(world, place.table, planned, rebuild)
    pins[place.base.table_id] = published.version
    return published.receipt


def _changed_shape(record: ViewRecord, base: Snapshot) -> TableShape | None:
    """What the table becomes, None if that is what it is."""
    shape = shape_for(record)
    is_same_record = base.properties.get(VIEW_PROPERTY) == shape.properties[VIEW_PROPERTY]
    return None if is_same_record and base.schema == shape.schema else shape


def _check(world: World, plan: Understood, work: Work, written: Written) -> None:
    """What must hold right before the rows are published."""
    _require_sources(world, plan)
    if not isinstance(plan.defined.shape, FullOnly) and not _is_text(world, plan, work, written):
        _remove_written(world, work, written)
        raise _Misread
    _require_sources(world, plan)


def _require_sources(world: World, plan: Understood) -> None:
    known = world.catalog.read()
    gone = [name for name in plan.sources.entries if find_entry(known, name) is None]
    if gone:
        raise UnknownName(
            f"`{gone[0]}`, which `{plan.definition.name}` reads, was dropped meanwhile.",
            remedy="Nothing was published.",
        )


def _is_text(world: World, plan: Understood, work: Work, written: Written) -> bool:
    """Whether the rows written are those of the user's own text; more than the setting of bytes
    to compare are not asked.
    """
    facts = work.facts
    if facts.source_bytes() > world.settings.compare_bytes:
        return True
    loose = loose_columns(plan.defined.shape).all
    with work.failures("compare"), logged(facts.view, "compare"):
        frames = {
            s.name: shown_frame(world.engine.own, s.at_new, s.tail).select(
                *map(quoted, plan.now[s.name].schema.names)
            )
            for s in facts.sources
        }
        return is_same(world.engine, facts.stored.record, _published(facts, written), frames, loose)


def _published(facts: RefreshFacts, written: Written) -> Snapshot:
    """The version of the table that is about to be published."""
    shape = shape_for(facts.stored.record)
    base = facts.stored.snapshot
    return Snapshot(
        base.table_id, base.uri, base.version + 1, shape.schema, shape.partition_by, written.rows
    )


def _remove_written(world: World, work: Work, written: Written) -> None:
    """Files that no commit was tried with."""
    paths = [decoded(f.path) for f in written.rows]
    Storage(work.table.uri, world.storage_options).delete(paths)
