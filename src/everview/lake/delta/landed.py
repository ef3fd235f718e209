"""What follows a commit that has landed and is no part of it: the log stays open, and every so many
versions gets a checkpoint, from which it is read instead of from its beginning.
"""

from __future__ import annotations

import logging

from deltalake import DeltaTable

from everview.lake.delta.opened import OPENED
from everview.lake.storage import Storage

INTERVAL = "delta.checkpointInterval"
_USUAL = 10  # of Delta, where the table says nothing
_LOG = logging.getLogger("everview")


def after_commit(storage: Storage, table: DeltaTable, token: str) -> None:
    """What follows a commit, by the table object that its writer has no more use for. A failure is
    logged and no more: the commit has landed, and the next one makes good for it.
    """
    try:
        table.update_incremental()  # a commit file of our own is not known to the object
        if table.version() % _interval(table) == 0:
            table.create_checkpoint()
        OPENED.keep(storage, table, token.encode("utf-8"))
    except Exception as error:
        _LOG.warning("after a commit on %s, which has landed: %s", storage.uri, error)


def _interval(table: DeltaTable) -> int:
    said = table.metadata().configuration.get(INTERVAL, "")
    return int(said) if said.isdigit() and int(said) > 0 else _USUAL
