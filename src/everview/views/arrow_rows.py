"""The rows that a reader of a table or view sees, as far as no Spark is needed for them."""

from __future__ import annotations

import pyarrow as pa

from everview.lake.catalog import Entry
from everview.run.driver.read import rows_by_driver
from everview.views.world import World, seen_of


def arrow_rows(world: World, entry: Entry, version: int | None) -> pa.Table | None:
    """The public columns at the newest or an older version; None if that is left to Spark: of a
    view that orders or cuts its rows on read, of a table that other writers write, and of what
    the driver does not read.
    """
    if entry.kind not in ("table", "view"):
        return None
    table = world.open(entry)
    at = table.head().version if version is None else version
    snapshot = table.snapshot(at) if version is None else table.readable_snapshot(at)
    columns, tail = seen_of(snapshot)
    return None if tail is not None else rows_by_driver(table, snapshot, columns)
