"""Comparing the rows built for a view with those of the user's own text."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from everview.facts.tables import Snapshot
from everview.facts.views import ViewRecord
from everview.run.check.compare_shown import TEXT, Shown, shown_difference
from everview.run.check.fingerprint import compared_columns, fingerprint
from everview.run.rows.read import flattened, snapshot_frame
from everview.run.rows.tails import only_shown
from everview.run.understand.define import user_frame
from everview.spark.engine import Actions, Engine
from everview.sql.statements.spark_text import AnyQuery, query_of, without_limit
from everview.sql.write.select import WEIGHT

_STEP = "compare"


def is_same(
    engine: Engine,
    record: ViewRecord,
    built: Snapshot,
    sources: Mapping[str, DataFrame],
    loose: frozenset[str],
) -> bool:
    """Whether the stored rows are those of the text over these sources, by fingerprints; of a
    view with a tail those of the text without it, where it can be cut off, and what the tail
    shows. Call inside `engine.settings`.
    """
    compared, _ = compared_columns(record.columns, loose)
    every = flattened(snapshot_frame(engine.own, built), record.layout.stored)
    stored = only_shown(every, record.layout.tail)
    actions = Actions()

    def is_of(query: AnyQuery) -> bool:
        theirs = user_frame(engine, query, sources)
        ours = fingerprint(stored, compared, _STEP, actions)
        return ours == fingerprint(theirs, compared, _STEP, actions)

    text, tail = query_of(record), record.layout.tail
    if tail is None or not tail.cuts:
        return is_of(text)
    whole = without_limit(text)
    if whole is not None and not is_of(whole):
        return False
    rows = stored.count() if built.rows is None or tail.shown else built.rows
    shown = Shown(tail, rows, compared, loose)
    lines = shown_difference(shown, stored, user_frame(engine, text, sources))
    counts = lines.agg(F.count_if(F.col(WEIGHT) != 0), F.sum(TEXT)).collect()[0]
    return not counts[0] and (counts[1] or 0) == tail.left(rows)
