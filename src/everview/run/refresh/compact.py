"""Compaction after a refresh: files that became many or full of deleted rows, written anew."""

from __future__ import annotations

import logging
import time
import uuid
from dataclasses import replace

from everview.choose.compaction import Compaction, compaction_due
from everview.errors import CommitConflict
from everview.facts.files import DataFile, TableFile
from everview.facts.receipts import Compacted
from everview.facts.tables import Commit, Snapshot
from everview.facts.views import ViewRecord
from everview.facts.watermarks import SELF
from everview.lake.port import LakeTable
from everview.run.driver.arrow_types import arrow_schema
from everview.run.driver.locate import can_be_keys
from everview.run.driver.replace import Replacer
from everview.run.driver.stored_files import StoredFiles
from everview.run.faults import COMPACT_PLACE
from everview.run.refresh.overwrite import cluster_columns, clustered
from everview.run.refresh.replaced import Replaced
from everview.run.refresh.work import Work
from everview.run.rows.read import snapshot_frame
from everview.run.rows.write import FILE_BYTES, files_wanted, write_rows
from everview.spark.engine import Actions, Engine, whole
from everview.spark.log import logged

MOST_BY_DRIVER = FILE_BYTES  # bytes of files; beyond it Spark writes them
_LOG = logging.getLogger("everview")


def compact_if_due(work: Work, replaced: Replaced, version: int) -> Compacted | None:
    """Rewrite what is due in the version that a refresh published, by a commit of its own that
    changes no row. Whatever goes wrong, the refresh is published: it is logged, and the next
    refresh finds the same files due.
    """
    before = work.facts.stored.snapshot
    due = compaction_due(replaced.files_after(before.files), FILE_BYTES)
    if due is None:
        return None
    begun = time.perf_counter()
    try:
        work.probe(COMPACT_PLACE)
        with logged(work.facts.view, "compact"):
            number = _compact(work, due, version)
    except CommitConflict:
        return None  # who was first has other files now
    except Exception as error:
        _LOG.warning("the files of %s were not compacted: %s", work.facts.view, error)
        return None
    took = round(time.perf_counter() - begun, 4)
    return Compacted(len(due.files), number, due.reason, version + 1, took)


def _compact(work: Work, due: Compaction, version: int) -> int:
    """Write and commit; gives how many files were written."""
    token, record = uuid.uuid4().hex, work.facts.stored.record
    snapshot = replace(work.facts.stored.snapshot, version=version, files=due.files)
    written = _by_driver(work.table, record, due, token)
    adds = written or by_spark(work.engine, work.table, record, snapshot, token)
    commit = Commit(
        base=version,
        operation="OPTIMIZE",
        token=token,
        adds=adds,
        removes=due.files,
        data_change=False,
        transactions=((SELF, version + 1),),
        metadata={"compacted": due.reason},
    )
    try:
        work.table.commit(commit)
    except CommitConflict:
        work.table.remove_folder(f"data/{token}")
        raise
    return len(adds)


def _by_driver(
    table: LakeTable, record: ViewRecord, due: Compaction, token: str
) -> tuple[DataFile, ...] | None:
    """One file in the order of the clustered columns; None if that is left to Spark."""
    stored = record.layout.stored
    types = arrow_schema(stored)
    if types is None or due.bytes > MOST_BY_DRIVER or table.partition_by():
        return None
    order = cluster_columns(record)
    if order and not can_be_keys(types, order):
        return None
    files = StoredFiles(types, table.open_file, table.uri)
    return Replacer(table, files, stored, token).merge(due.files, order)


def by_spark(
    engine: Engine, table: LakeTable, record: ViewRecord, snapshot: Snapshot, token: str
) -> tuple[TableFile, ...]:
    """All rows of a snapshot written anew by Spark, clustered."""
    # The stored bytes are compressed; as many partitions as at a build, for Spark to pack.
    with engine.settings(whole(4 * snapshot.bytes)) as spark:
        rows = clustered(snapshot_frame(spark, snapshot), record)
        if not record.layout.has_key and not record.cluster_by:
            rows = rows.coalesce(files_wanted(snapshot.bytes))
        return write_rows(rows, table, token, Actions()).rows
