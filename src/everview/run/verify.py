"""Comparing a stored view with its recomputation at the same versions."""

from __future__ import annotations

import time

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from everview.aggregates.keyed import KeyedView
from everview.algebra.calls import AggregateCall
from everview.algebra.fresh import Fresh
from everview.algebra.relations import Aggregate, Project, Rel
from everview.algebra.scalars import Call, Cast, Ref, Scalar
from everview.algebra.scalars import Column as PlanColumn
from everview.facts.receipts import Verification
from everview.facts.refreshes import RefreshFacts
from everview.facts.schema import Schema
from everview.plan.loose import Loose
from everview.plan.shape import FullOnly, Keyed, Shape
from everview.run.define import user_frame
from everview.run.engine import Engine, whole
from everview.run.fingerprint import compared_columns
from everview.run.frames import Frames
from everview.run.read import collated_columns
from everview.run.session_tables import outside_frames
from everview.sql.comparable import comparable_text
from everview.sql.names import quoted
from everview.sql.parse import parse_query
from everview.sql.write import write

BOUND = 1e-9  # of the sum of absolute values: how far a maintained float sum may be off
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
            off = _beyond_bound(frames, shape.view, facts, samples)
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


def _beyond_bound(
    frames: Frames, view: KeyedView, facts: RefreshFacts, most: int
) -> tuple[str, ...]:
    """The groups whose float sums are further off than the bound, or whose public values do not
    follow.
    """
    stored = facts.stored.record.layout.stored
    fresh = _with_magnitudes(view)
    names = tuple(f"f{i}" for i, _ in enumerate(fresh.columns))
    recomputed = frames.run(write(fresh, view.types, names))
    rows = frames.stored(facts.stored.snapshot.files)
    place = {held.id: name for name, (_, held) in zip(stored.names, view.stored, strict=True)}
    keys = [F.col(quoted(place[k.id])).eqNullSafe(F.col(f"f{i}")) for i, k in enumerate(view.keys)]
    condition = F.expr("TRUE")
    for key in keys:
        condition = condition & key
    joined = rows.join(recomputed, condition)
    off = F.expr("FALSE")
    index = len(view.keys)
    for kept in (k for k in view.areas if not k.area.exact):
        sums, magnitude = F.col(f"f{index}"), F.col(f"f{index + 1}")
        off = off | ~_within(F.col(quoted(place[kept.stored[1].id])), sums, magnitude)
        index += 2
    found = joined.where(off).limit(max(1, most)).collect()
    return tuple(f"beyond the bound: {row.asDict()}" for row in found)


def _within(ours: Column, theirs: Column, magnitude: Column) -> Column:
    near = F.abs(ours - theirs) <= F.lit(BOUND) * magnitude
    return ours.eqNullSafe(theirs) | F.coalesce(near, F.expr("FALSE"))


def _with_magnitudes(view: KeyedView) -> Rel:
    """Per group: its keys, then of each float sum the sum and the sum of absolute values."""
    fresh = Fresh(view.highest_id())
    kept = [k for k in view.areas if not k.area.exact]
    args = [k.area.fields[1].call.args[0] for k in kept]
    plain = [fresh.column("x") for _ in args]
    sizes = [fresh.column("size") for _ in args]
    outputs: list[tuple[PlanColumn, Scalar]] = [(k, Ref(k.id)) for k in view.keys]
    outputs += [(c, Cast(Ref(a), "double")) for c, a in zip(plain, args, strict=True)]
    outputs += [
        (c, Call("abs", (Cast(Ref(a), "double"),))) for c, a in zip(sizes, args, strict=True)
    ]
    prepared = Project(view.input, tuple(outputs))
    calls = []
    for x, size in zip(plain, sizes, strict=True):
        calls.append((fresh.column("sum"), AggregateCall("sum", (x.id,))))
        calls.append((fresh.column("magnitude"), AggregateCall("sum", (size.id,))))
    return Aggregate(prepared, view.keys, tuple(calls))
