"""Comparing a stored view with its recomputation at the same versions."""

from __future__ import annotations

import time

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from everview.facts.receipts import Verification
from everview.facts.refreshes import RefreshFacts
from everview.facts.schema import Schema
from everview.plan.loose import Loose
from everview.plan.shape import FullOnly, Keyed, Shape
from everview.run.bounds import beyond_bounds
from everview.run.define import user_frame
from everview.run.engine import Engine, whole
from everview.run.fingerprint import compared_columns
from everview.run.frames import Frames
from everview.run.read import collated_columns
from everview.run.session_tables import outside_frames
from everview.sql.comparable import comparable_text
from everview.sql.names import quoted
from everview.sql.parse import parse_query

_W = "__ev_w"


def verify(
    engine: Engine, facts: RefreshFacts, shape: Shape, loose: Loose, samples: int
) -> Verification:
    """Recompute by the user's own text at the watermark (the facts' NEW) and compare; of the
    rows that differ so many samples are shown.
    """
    begun = time.perf_counter()
    record = facts.stored.record
    uncompared = loose.all | (_floats(record.columns) if isinstance(shape, FullOnly) else set())
    frames = Frames(engine, facts, "")
    with engine.settings(whole(facts.source_bytes()), record.settings):
        sources = {s.name: frames.source(s.name, s.at_new) for s in facts.sources}
        sources |= outside_frames(engine.own, record)
        theirs = user_frame(engine, parse_query(record.sql), sources)
        uncompared |= frozenset(collated_columns(theirs))  # which spelling need not repeat
        compared, left_out = compared_columns(record.columns, uncompared)
        stored = frames.stored(facts.stored.snapshot.files)
        difference = _difference(stored, theirs, compared)
        counts = difference.agg(_total(1), _total(-1)).collect()[0]
        unexpected, missing = int(counts[0] or 0), int(counts[1] or 0)
        shown = [
            _samples(difference, sign, samples) if n else ()
            for sign, n in ((1, unexpected), (-1, missing))
        ]
        if isinstance(shape, Keyed) and loose.near:
            off = beyond_bounds(frames, shape.view, facts, samples)
            unexpected, missing = unexpected + len(off), missing + len(off)
            shown = [shown[0] + off, shown[1]]
            left_out = tuple(name for name in left_out if name not in loose.near)
    return Verification(
        view=facts.view,
        ok=not missing and not unexpected,
        rows=facts.stored.snapshot.rows or 0,
        missing=missing,
        unexpected=unexpected,
        missing_sample=shown[1],
        unexpected_sample=shown[0],
        watermark={s.name: s.new for s in facts.sources},
        left_out=(*left_out, *(f"{o.name} is read as it is now" for o in record.outside)),
        seconds=round(time.perf_counter() - begun, 3),
    )


def _floats(columns: Schema) -> set[str]:
    return {f.name for f in columns.fields if f.type in ("float", "double")}


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
    return tuple(
        ", ".join(
            f"{k}={v!r}" for k, v in row.asDict().items() if not k.startswith("__ev_k")
        ).replace(f"{_W}=", "copies=")
        for row in rows
    )
