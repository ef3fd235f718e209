"""What the steps of one refresh share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace

import pyarrow as pa
from pyspark.sql import DataFrame

from everview.algebra.relations import Changes, Local, Rel, Scan, Shared
from everview.algebra.types import type_of
from everview.algebra.walk import transformed, walk_plan
from everview.apply.grouped import KEYS
from everview.apply.keyed import CHANGES
from everview.choose.changes import context_of
from everview.facts.files import TableFile
from everview.facts.receipts import SharedRows
from everview.facts.refreshes import RefreshFacts
from everview.facts.tables import TableShape
from everview.lake.port import LakeTable
from everview.optimize.in_common import CommonPart
from everview.optimize.leaf_facts import RowsAtHand
from everview.optimize.parts import MOST_REPEATED, Part, operators
from everview.optimize.passes import NARROW_QUERIES, PassContext, When, improved, is_off
from everview.program.planned import Planned
from everview.run.driver.arrow_types import arrow_type
from everview.run.faults import FaultProbe
from everview.run.refresh.fetch import OpenSource, few_values, with_few_rows_fetched
from everview.run.refresh.rows_of_run import RowsOfRun
from everview.run.rows.frames import FetchOnce, Frames, fetch_now
from everview.run.rows.staging import Staged, Staging
from everview.run.rows.write import Written
from everview.shape.column_types import column_types
from everview.shape.shape import Shape
from everview.spark.engine import AT_HAND, Actions, Engine
from everview.spark.errors import spark_failures
from everview.spark.log import logged
from everview.sql.write.door import write


@dataclass(frozen=True, slots=True)
class Rebuild:
    """What a refresh that builds a view does besides: the shape that the commit gives the table,
    if it changes, and a check of what was written, right before the commit.
    """

    shape: TableShape | None
    check: Callable[[Work, Written], None]


@dataclass(frozen=True, slots=True)
class Work:
    """One refresh being carried out: what is planned, the session, the rows at hand for queries,
    the parts of queries that are computed where they are read, the rows of the run that other
    views have too, and the account of actions, of reads and of what is shared. What a step makes it
    returns.
    """

    engine: Engine
    planned: Planned
    table: LakeTable
    token: str
    frames: Frames
    staging: Staging
    probe: FaultProbe
    open_source: OpenSource
    parts: Mapping[str, Rel] = field(default_factory=dict)
    rebuild: Rebuild | None = None
    actions: Actions = field(default_factory=Actions)
    run: RowsOfRun = field(default_factory=RowsOfRun)
    shared: dict[str, SharedRows] = field(default_factory=dict)

    @property
    def facts(self) -> RefreshFacts:
        return self.planned.facts

    @property
    def shape(self) -> Shape:
        return self.planned.shape

    def holding(self, name: str, staged: Staged) -> Work:
        """The same with staged rows at hand under this name."""
        local = {**self.frames.local, name: staged}
        return replace(self, frames=replace(self.frames, local=local))

    def reading(self, files: tuple[TableFile, ...]) -> Work:
        """The same where queries read no other files of the stored view than these."""
        return replace(self, frames=replace(self.frames, touched=files))

    def reading_rows(self, rows: pa.Table) -> Work:
        """The same where queries read no other rows of the stored view than these."""
        return replace(self, frames=replace(self.frames, stored_rows=rows))

    @contextmanager
    def during(self, step: str) -> Iterator[None]:
        """The block is a step: it is logged, tests can make it fail, and an error of Spark in it
        says where it was.
        """
        with self.failures(step):
            self.probe(f"refresh: {step}")
            with logged(self.facts.view, step):
                yield

    @contextmanager
    def failures(self, step: str) -> Iterator[None]:
        """An error of Spark in this block is raised as one of this step."""
        view = self.facts.view
        doing = "refresh" if self.facts.stored.built else "first build"
        where = f"{doing} of {view}, step {step}"
        with spark_failures(f"`{view}`", where, "Nothing was published."):
            yield

    def whole(self, rel: Rel, names: tuple[str, ...]) -> DataFrame:
        """All rows of a plan under these names, read by Spark alone."""
        types = column_types(self.shape, self.facts.stored.record, rel)
        return self.frames.run(write(self._narrow(rel, self.frames), types, names))

    def query(self, rel: Rel, names: tuple[str, ...]) -> DataFrame:
        """The rows of a plan under these names, improved by what is known of the rows at hand."""
        return self._query(rel, names)[0]

    def staged(self, rel: Rel, names: tuple[str, ...], step: str, name: str = "") -> Staged:
        """The same, computed once and kept for the steps that follow."""
        frame, are_few = self._query(rel, names)
        own = self.facts.stored.record.settings
        with self.engine.settings(AT_HAND, own) if are_few else nullcontext():
            return self.staging.stage(frame, step, self.actions, name)

    def _query(self, rel: Rel, names: tuple[str, ...]) -> tuple[DataFrame, bool]:
        """The rows, and whether they are computed from few rows at hand alone."""
        rel = self._with_parts(rel)
        types = column_types(self.shape, self.facts.stored.record, rel)
        rel, frames = self._fetched(rel)
        leaves = [leaf for leaf in walk_plan(rel) if isinstance(leaf, Scan | Changes | Local)]
        some = [type_of(types[c.id]) for c in rel.columns if c.id in types]
        is_plain = all(arrow_type(type_) is not None for type_ in some)  # no variants, say
        return frames.run(write(rel, types, names)), is_plain and frames.are_few(leaves)

    def with_part(self, part: Part, fetch_once: FetchOnce = fetch_now) -> Work | None:
        """The same where queries compute this part themselves, because all that it reads are few
        rows; None if it should be computed once.
        """
        if operators(part.rel) > MOST_REPEATED:
            return None
        once = replace(self, frames=replace(self.frames, fetch_once=fetch_once))
        rel, frames = once._fetched(self._with_parts(part.rel))
        if any(isinstance(leaf, Scan | Changes) for leaf in walk_plan(rel)):
            return None
        frames = replace(frames, fetch_once=self.frames.fetch_once)
        return replace(self, frames=frames).computing(part.name, Shared("part", rel))

    def computing(self, name: str, rel: Rel) -> Work:
        """The same where queries compute this part themselves."""
        return replace(self, parts={**self.parts, name: self._with_parts(rel)})

    def changes_at_hand(self, rel: Rel) -> frozenset[str]:
        """The tables whose changes a plan reads and the driver has fetched."""
        read = {leaf for leaf in walk_plan(rel) if isinstance(leaf, Changes)}
        return frozenset(
            leaf.table
            for (leaf, _), rows in self.frames.fetched.items()
            if rows is not None and leaf in read
        )

    def note_shared(self, common: CommonPart, by: str) -> None:
        """Take rows that other views read too into the account; `by` made them."""
        others = tuple(view for view in common.views if view != self.facts.view)
        self.shared[common.part.name] = SharedRows(common.what, by, others)

    def _with_parts(self, rel: Rel) -> Rel:
        def whole(some: Rel) -> Rel:
            return self.parts.get(some.name, some) if isinstance(some, Local) else some

        return transformed(rel, whole)

    def _fetched(self, rel: Rel) -> tuple[Rel, Frames]:
        """The query cut to what it needs, and its leaves of few rows at hand."""
        frames, context = self.frames, self._context(self.frames)
        if context.few and not is_off(NARROW_QUERIES, context.off):
            return self.actions.timed(
                "fetch",
                lambda: with_few_rows_fetched(rel, frames, self._narrow, self.open_source),
            )
        return self._narrow(rel, frames), frames

    def _narrow(self, rel: Rel, frames: Frames) -> Rel:
        return improved(When.QUERY, rel, self._context(frames)).plan

    def _context(self, frames: Frames) -> PassContext:
        """What the passes know when these rows are at hand."""
        held = frames.local
        values = {n: frames.values.setdefault(n, few_values(s)) for n, s in held.items()}
        at_hand = {n: RowsAtHand(s.schema, s.files, values[n]) for n, s in held.items()}
        few = all(s.is_small for name, s in held.items() if name in (KEYS, CHANGES))
        return context_of(self.facts, at_hand, few=few)
