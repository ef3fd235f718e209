"""Comparing a stored view with its recomputation at the same versions."""

from __future__ import annotations

import time

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from everview.facts.receipts import Verification
from everview.facts.refreshes import RefreshFacts
from everview.facts.schema import Field, Schema
from everview.facts.wording import counted
from everview.run.check.bounds import beyond_bounds
from everview.run.check.compare_shown import TEXT, Shown, shown_difference
from everview.run.check.differences import (
    FoundDifferences,
    difference,
    found_in,
    sampled,
    stored_form,
    total,
)
from everview.run.check.fingerprint import compared_columns
from everview.run.check.possible import Decided, decided, stored_names, unordered_form
from everview.run.rows.frames import Frames
from everview.run.rows.read import collated_columns
from everview.run.rows.session_tables import outside_frames
from everview.run.rows.tails import only_shown
from everview.run.understand.define import user_frame
from everview.shape.bag import Bag
from everview.shape.grouped import Grouped
from everview.shape.loose import Loose
from everview.shape.shape import FullOnly, Keyed, Shape
from everview.spark.engine import Engine, whole
from everview.sql.statements.spark_text import AnyQuery, query_of, without_limit
from everview.sql.write.door import write


def verify_view(
    engine: Engine, facts: RefreshFacts, shape: Shape, loose: Loose, samples: int
) -> Verification:
    """Recompute by the user's own text at the watermark (the facts' NEW) and compare; of the
    rows that differ so many samples are shown.
    """
    begun = time.perf_counter()
    record = facts.stored.record
    verifying = _Verifying(engine, facts, shape, samples)
    with engine.settings(whole(facts.source_bytes()), record.settings):
        theirs = verifying.text(query_of(record))
        aside = frozenset(collated_columns(theirs))  # which spelling need not repeat
        if isinstance(shape, FullOnly):
            aside |= _floats(record.columns)
        tail = record.layout.tail
        if tail is None or not tail.cuts:
            order = verifying.decided(loose, aside)
            found, said = verifying.without_tail(order, loose.all | aside, theirs)
        else:
            order = Decided()
            found, said = verifying.with_tail(loose.all | aside, theirs)
        near = loose.near if isinstance(shape, Keyed) else frozenset[str]()
        if near and isinstance(shape, Keyed):
            found = found.and_off(beyond_bounds(verifying.frames, shape.view, facts, samples))
    uncompared = (loose.all | aside) - order.determined - near
    _, left_out = compared_columns(record.columns, uncompared)
    possible = order.possible | order.unordered
    return Verification(
        view=facts.view,
        outcome="wrong" if found else "consistent" if left_out else "exact",
        rows=facts.stored.seen_rows or 0,
        missing=found.missing,
        unexpected=found.unexpected,
        missing_sample=found.missing_sample,
        unexpected_sample=found.unexpected_sample,
        watermark={s.name: s.new for s in facts.sources},
        compared=tuple(n for n in record.columns.names if n not in left_out),
        possible=tuple(n for n in left_out if n in possible),
        left_out=tuple(n for n in left_out if n not in possible),
        seconds=round(time.perf_counter() - begun, 3),
        how=said,
        as_now=tuple(o.name for o in record.outside),
    )


def not_comparable(facts: RefreshFacts, why: str) -> Verification:
    """What is said of a view that there is nothing to compare with, and why."""
    return Verification(
        view=facts.view,
        outcome="not comparable",
        rows=facts.stored.seen_rows or 0,
        watermark=dict(facts.stored.watermark),
        left_out=facts.stored.record.columns.names,
        why_not=why,
    )


def _floats(columns: Schema) -> set[str]:
    return {f.name for f in columns.fields if f.type in ("float", "double")}


class _Verifying:
    """The pinned rows of one verification, and what differs between two ways to them."""

    def __init__(self, engine: Engine, facts: RefreshFacts, shape: Shape, samples: int) -> None:
        self.frames = Frames(engine, facts, "")
        self._engine = engine
        self._facts = facts
        self._shape = shape
        self._samples = samples

    @property
    def stored(self) -> DataFrame:
        return self.frames.stored(self._facts.stored.snapshot.files)

    @property
    def shown(self) -> DataFrame:
        """The stored rows that a reader sees, before a LIMIT counts them."""
        return only_shown(self.stored, self._facts.stored.record.layout.tail)

    @property
    def rows(self) -> int:
        known, tail = self._facts.stored.snapshot.rows, self._facts.stored.record.layout.tail
        is_counted = known is not None and (tail is None or not tail.shown)
        return known if is_counted and known is not None else self.shown.count()

    def text(self, query: AnyQuery) -> DataFrame:
        """The rows of a text at the watermark."""
        sources = {s.name: self.frames.source(s.name, s.at_new) for s in self._facts.sources}
        sources |= outside_frames(self._engine.own, self._facts.stored.record)
        return user_frame(self._engine, query, sources)

    def found(self, lines: DataFrame) -> FoundDifferences:
        return found_in(lines, self._samples)

    def decided(self, loose: Loose, aside: frozenset[str]) -> Decided:
        """What order decides of the columns that need not repeat."""
        open_ = loose.near | aside
        if isinstance(self._shape, Grouped):
            open_ |= stored_names(self._shape, self._shape.loose)
        return decided(self.frames, self._facts, self._shape, open_)

    def without_tail(
        self, order: Decided, uncompared: frozenset[str], theirs: DataFrame
    ) -> tuple[FoundDifferences, str]:
        """What differs first from the text, then from what order leaves possible; and what was
        compared, where that is more than the columns say.
        """
        open_ = uncompared - order.determined - order.unordered
        compared, _ = compared_columns(self._facts.stored.record.columns, open_)

        def form(field: Field) -> Column:
            return (unordered_form if field.name in order.unordered else stored_form)(field)

        found = self.found(difference(self.shown, theirs, compared, form))
        checks = map(self.found, order.checks)
        groups = counted(order.tied, "group")
        said = f"every column where no rows tie, which they do in {groups}" if order.tied else ""
        return found or next(filter(None, checks), FoundDifferences()), said

    def with_tail(self, loose: frozenset[str], theirs: DataFrame) -> tuple[FoundDifferences, str]:
        """What differs first, and what was compared: all stored rows with the text without its
        tail or, where the text cannot be cut or the order is hidden, with our reading of it;
        then what the tail shows with the text.
        """
        record = self._facts.stored.record
        stored, tail = record.layout.stored, record.layout.tail
        assert tail is not None
        shown = Shown(tail, self.rows, compared_columns(record.columns, loose)[0], loose)
        order = {k.column for k in shown.tail.order} - shown.loose
        hidden = tuple(n for n in stored.names if n in order and n not in record.columns)
        whole_text = without_limit(query_of(record))
        differences = []
        if whole_text is not None:
            differences.append(difference(self.shown, self.text(whole_text), shown.compared))
        if (whole_text is None or hidden) and not isinstance(self._shape, FullOnly):
            both = Schema((*shown.compared.fields, *stored.only(hidden).fields))
            differences.append(difference(self.stored, self._recomputed(stored), both))
        found = next(filter(None, map(self.found, differences)), FoundDifferences())
        by = "the text" if whole_text is not None else "our reading of the text"
        aside = ("ties", *(k.column for k in shown.tail.order[len(shown.keys) :]))
        said = (
            f"the stored rows with {by} without its LIMIT, "
            f"and what LIMIT shows with the text, {' and '.join(aside)} aside"
        )
        return found or self._shown(shown, theirs), said

    def _recomputed(self, stored: Schema) -> DataFrame:
        match self._shape:
            case Keyed(view, _) | Grouped(view, _, _):
                return self.frames.run(write(view.full(), view.types, stored.names))
            case Bag(_, types, _):
                return self.frames.run(write(self._shape.stored, types, stored.names))
            case _:
                raise AssertionError("a view that is only recomputed has no tail")

    def _shown(self, shown: Shown, theirs: DataFrame) -> FoundDifferences:
        lines = shown_difference(shown, self.shown, theirs)
        counts = lines.agg(total(1), total(-1), F.sum(TEXT)).collect()[0]
        more = shown.tail.left(shown.rows) - int(counts[2] or 0)
        return sampled(lines.drop(TEXT), counts, self._samples) or FoundDifferences(
            max(0, more), max(0, -more)
        )
