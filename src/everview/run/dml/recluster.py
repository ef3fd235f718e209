"""Putting a view's rows into files of key ranges again."""

from __future__ import annotations

import contextlib
import uuid

from everview.errors import CommitConflict, UnsupportedFeature
from everview.facts.files import count_marked
from everview.facts.readers import READS_VECTORS
from everview.facts.tables import Commit
from everview.facts.views import ViewRecord
from everview.facts.watermarks import SELF
from everview.lake.port import LakeTable
from everview.run.refresh.compact import by_spark
from everview.spark.engine import Engine


def recluster(engine: Engine, table: LakeTable) -> int:
    """Write all rows anew, clustered; the commit says that no row changed."""
    head = table.head()
    snapshot = table.snapshot(head.version)
    if len(snapshot.files) < 2 and not count_marked(snapshot.files):
        return head.version
    record = ViewRecord.from_json(head.properties["everview.view"])
    token = uuid.uuid4().hex
    return table.commit(
        Commit(
            base=head.version,
            operation="COMPACT",
            token=token,
            adds=by_spark(engine, table, record, snapshot, token),
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
    if READS_VECTORS in head.reader_features:
        with contextlib.suppress(UnsupportedFeature, CommitConflict):
            return table.drop_vectors(head.version, uuid.uuid4().hex)
    return head.version
