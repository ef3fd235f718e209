"""Putting a view's rows into files of key ranges again."""

from __future__ import annotations

import contextlib
import uuid

from everview.errors import CommitConflict, UnsupportedFeature
from everview.facts.files import count_marked
from everview.facts.readers import VECTORS
from everview.facts.tables import Commit
from everview.facts.views import ViewRecord
from everview.facts.watermarks import SELF
from everview.lake.port import LakeTable
from everview.run.refresh.overwrite import clustered
from everview.run.rows.read import snapshot_frame
from everview.run.rows.write import files_wanted, write_rows
from everview.spark.engine import Actions, Engine, whole


def recluster(engine: Engine, table: LakeTable) -> int:
    """Write all rows anew, clustered; the commit says that no row changed."""
    head = table.head()
    snapshot = table.snapshot(head.version)
    if len(snapshot.files) < 2 and not count_marked(snapshot.files):
        return head.version
    record = ViewRecord.from_json(head.properties["everview.view"])
    token, actions = uuid.uuid4().hex, Actions()
    # The stored bytes are compressed; as many partitions as at a build, for Spark to pack.
    with engine.settings(whole(4 * snapshot.bytes)) as spark:
        rows = clustered(snapshot_frame(spark, snapshot), record)
        if not record.layout.has_key and not record.cluster_by:
            rows = rows.coalesce(files_wanted(snapshot.bytes))
        written = write_rows(rows, table, token, actions)
    return table.commit(
        Commit(
            base=head.version,
            operation="COMPACT",
            token=token,
            adds=written.rows,
            removes=snapshot.files,
            data_change=False,
            transactions=((SELF, head.version + 1),),
        )
    )


def opened_to_everything(table: LakeTable) -> int:
    """Stop asking readers for deletion vectors, if the log names none any more; gives the newest
    version. Where that cannot be yet, or another writer is first, a later call does it.
    """
    head = table.head()
    if VECTORS in head.reader_features:
        with contextlib.suppress(UnsupportedFeature, CommitConflict):
            return table.drop_vectors(head.version, uuid.uuid4().hex)
    return head.version
