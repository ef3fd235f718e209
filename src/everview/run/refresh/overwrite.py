"""Writing a view as a whole."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from everview.algebra.relations import Rel
from everview.facts.views import HIDDEN, ViewRecord
from everview.program.programs import FullSteps
from everview.run.refresh.compare import only_what_differs
from everview.run.refresh.replaced import Replaced
from everview.run.refresh.work import Work
from everview.run.rows.read import packed
from everview.run.rows.session_tables import outside_frames
from everview.run.rows.tails import shown_column
from everview.run.rows.write import write_rows
from everview.run.understand.define import user_frame
from everview.sql.names import quoted
from everview.sql.statements.spark_text import query_of


def overwrite(work: Work, steps: FullSteps) -> Replaced:
    """Recompute everything at NEW and write it in place of all stored files; where other views
    read this one, tell only what differs.
    """
    stored = work.facts.stored
    with work.during(steps.write.name):
        rows = packed(_rows(work, steps.write.rel), stored.record.layout.stored)
        frame = clustered(rows, stored.record)
        seen = shown_column(stored.record.layout.tail)
        written = write_rows(frame, work.table, work.token, work.actions, seen)
    if steps.compare is not None:
        with work.during(steps.compare.name):
            return only_what_differs(work, written)
    return Replaced(written, stored.snapshot.files)


def _rows(work: Work, rel: Rel | None) -> DataFrame:
    record = work.facts.stored.record
    if rel is not None:
        return work.whole(rel, record.layout.stored.names)
    frames = {s.name: work.frames.source(s.name, s.at_new) for s in work.facts.sources}
    frames |= outside_frames(work.engine.own, record)
    return user_frame(work.engine, query_of(record), frames)


def clustered(frame: DataFrame, record: ViewRecord) -> DataFrame:
    """Rows in files of ranges: of the columns that the user wished, then of the key, so that
    later changes touch few files.
    """
    layout = record.layout
    if layout.has_key and not layout.key:
        return frame.coalesce(1)
    names = cluster_columns(record)
    if not names:
        return frame
    keys = [F.col(_path(name)) for name in names]
    return frame.repartitionByRange(*keys).sortWithinPartitions(*keys)


def cluster_columns(record: ViewRecord) -> tuple[str, ...]:
    """The stored columns whose ranges files should hold."""
    layout = record.layout
    return tuple(dict.fromkeys((*record.cluster_by, *(layout.key if layout.has_key else ()))))


def _path(stored: str) -> str:
    """The column expression of a stored name, which may be a field of the hidden struct."""
    hidden = f"{HIDDEN}."
    if stored.startswith(hidden):
        return f"{HIDDEN}.{quoted(stored.removeprefix(hidden))}"
    return quoted(stored)
