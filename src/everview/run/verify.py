"""Comparing a stored view with its recomputation at the same versions."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from everview.facts.receipts import Verification
from everview.facts.refreshes import RefreshFacts
from everview.facts.schema import Schema
from everview.plan.grouped import Grouped
from everview.plan.loose import Loose
from everview.plan.shape import Bag, FullOnly, Keyed, Shape
from everview.run.bounds import beyond_bounds
from everview.run.compare_shown import TEXT, Shown, shown_difference
from everview.run.define import user_frame
from everview.run.engine import Engine, whole
from everview.run.fingerprint import compared_columns
from everview.run.frames import Frames
from everview.run.read import collated_columns
from everview.run.session_tables import outside_frames
from everview.sql.comparable import comparable_text
from everview.sql.names import quoted
from everview.sql.spark_text import Query, query_of, without_limit
from everview.sql.write import write

_W = "__ev_w"


@dataclass(frozen=True, slots=True)
class _Found:
    """Rows too many and too few, copies counted, with samples of both."""

    unexpected: int = 0
    missing: int = 0
    unexpected_sample: tuple[str, ...] = ()
    missing_sample: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.unexpected or self.missing)

    def and_off(self, groups: tuple[str, ...]) -> _Found:
        """With groups whose values are off, which are unexpected as they are."""
        return replace(
            self,
            unexpected=self.unexpected + len(groups),
            missing=self.missing + len(groups),
            unexpected_sample=self.unexpected_sample + groups,
        )


def verify(
    engine: Engine, facts: RefreshFacts, shape: Shape, loose: Loose, samples: int
) -> Verification:
    """Recompute by the user's own text at the watermark (the facts' NEW) and compare; of the
    rows that differ so many samples are shown.
    """
    begun = time.perf_counter()
    record = facts.stored.record
    uncompared = loose.all | (_floats(record.columns) if isinstance(shape, FullOnly) else set())
    verifying = _Verifying(engine, facts, shape, samples)
    with engine.settings(whole(facts.source_bytes()), record.settings):
        theirs = verifying.text(query_of(record))
        uncompared |= frozenset(collated_columns(theirs))  # which spelling need not repeat
        compared, left_out = compared_columns(record.columns, uncompared)
        tail, said = record.layout.tail, ""
        if tail is None:
            found = verifying.found(_difference(verifying.stored, theirs, compared))
        else:
            shown = Shown(tail, verifying.rows, compared, uncompared)
            found, said = verifying.with_tail(shown, theirs)
        if isinstance(shape, Keyed) and loose.near:
            found = found.and_off(beyond_bounds(verifying.frames, shape.view, facts, samples))
            left_out = tuple(name for name in left_out if name not in loose.near)
    return Verification(
        view=facts.view,
        ok=not found,
        rows=facts.stored.snapshot.rows or 0,
        missing=found.missing,
        unexpected=found.unexpected,
        missing_sample=found.missing_sample,
        unexpected_sample=found.unexpected_sample,
        watermark={s.name: s.new for s in facts.sources},
        left_out=(*left_out, *(f"{o.name} is read as it is now" for o in record.outside)),
        seconds=round(time.perf_counter() - begun, 3),
        compared=said,
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
    def rows(self) -> int:
        known = self._facts.stored.snapshot.rows
        return self.stored.count() if known is None else known

    def text(self, query: Query) -> DataFrame:
        """The rows of a text at the watermark."""
        sources = {s.name: self.frames.source(s.name, s.at_new) for s in self._facts.sources}
        sources |= outside_frames(self._engine.own, self._facts.stored.record)
        return user_frame(self._engine, query, sources)

    def found(self, difference: DataFrame) -> _Found:
        return self._sampled(difference, difference.agg(_total(1), _total(-1)).collect()[0])

    def _sampled(self, difference: DataFrame, counts: Row) -> _Found:
        unexpected, missing = int(counts[0] or 0), int(counts[1] or 0)
        return _Found(
            unexpected,
            missing,
            _samples(difference, 1, self._samples) if unexpected else (),
            _samples(difference, -1, self._samples) if missing else (),
        )

    def with_tail(self, shown: Shown, theirs: DataFrame) -> tuple[_Found, str]:
        """What differs first, and what was compared: all stored rows with the text without its
        tail or, where the text cannot be cut or the order is hidden, with our reading of it;
        then what the tail shows with the text.
        """
        record = self._facts.stored.record
        stored = record.layout.stored
        order = {k.column for k in shown.tail.order} - shown.loose
        hidden = tuple(n for n in stored.names if n in order and n not in record.columns)
        whole_text = without_limit(query_of(record))
        differences = []
        if whole_text is not None:
            differences.append(_difference(self.stored, self.text(whole_text), shown.compared))
        if (whole_text is None or hidden) and not isinstance(self._shape, FullOnly):
            both = Schema((*shown.compared.fields, *stored.only(hidden).fields))
            differences.append(_difference(self.stored, self._recomputed(stored), both))
        found = next(filter(None, map(self.found, differences)), _Found())
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
            case Bag(rel, types, _):
                return self.frames.run(write(rel, types, stored.names))
            case _:
                raise AssertionError("a view that is only recomputed has no tail")

    def _shown(self, shown: Shown, theirs: DataFrame) -> _Found:
        lines = shown_difference(shown, self.stored, theirs)
        counts = lines.agg(_total(1), _total(-1), F.sum(TEXT)).collect()[0]
        more = shown.tail.shown(shown.rows) - int(counts[2] or 0)
        return self._sampled(lines.drop(TEXT), counts) or _Found(max(0, more), max(0, -more))


def _difference(stored: DataFrame, theirs: DataFrame, compared: Schema) -> DataFrame:
    """One line per distinct row with its copies stored less its copies recomputed, zeros left
    out.
    """

    def side(frame: DataFrame, weight: int) -> DataFrame:
        columns = [F.col(quoted(n)) for n in compared.names]
        return frame.select(*columns, F.lit(weight).cast("bigint").alias(_W))

    both = side(stored, 1).unionAll(side(theirs, -1))
    keys = [
        F.expr(comparable_text(quoted(f.name), f.type)).alias(f"__ev_k{i}")
        for i, f in enumerate(compared.fields)
    ]
    shown = [F.first(quoted(n)).alias(n) for n in compared.names]
    return both.groupBy(*keys).agg(*shown, F.sum(_W).alias(_W)).where(F.col(_W) != 0)


def _total(sign: int) -> Column:
    return F.sum(F.when(F.col(_W) * sign > 0, F.col(_W) * sign))


def _samples(difference: DataFrame, sign: int, most: int) -> tuple[str, ...]:
    rows = difference.where(F.col(_W) * sign > 0).limit(most).collect()
    return tuple(map(_sample, rows))


def _sample(row: Row) -> str:
    """The row and how many copies of it are too many or too few."""
    values = row.asDict()
    shown = [f"{k}={v!r}" for k, v in values.items() if k != _W and not k.startswith("__ev_k")]
    return ", ".join([*shown, f"copies={abs(values[_W])}"])
