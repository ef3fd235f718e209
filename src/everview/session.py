"""Opening a warehouse: its place, its catalog, its Spark session."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING

from everview.errors import NotAWarehouse
from everview.facts.progress import Watcher
from everview.lake.catalog import Catalog, warehouse_state
from everview.lake.formats import lake_for
from everview.lake.storage import given_place
from everview.settings import Settings
from everview.spark.engine import Engine
from everview.spark.local import local_session
from everview.views.world import World
from everview.warehouse import Warehouse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def open(
    path: str | PathLike[str],
    spark: SparkSession | None = None,
    storage_options: Mapping[str, str] | None = None,
    settings: Settings | None = None,
    *,
    create: bool = True,
    progress: Watcher | None = None,
) -> Warehouse:
    """Open the warehouse at a folder or URI, creating it where nothing is yet.

    With `spark` the caller's session is used, classic or Connect, and its settings stay as they
    are; without one, a local session is started (or the running one used) when it is first needed:
    what the log alone tells, such as status and history, needs none. `storage_options` are
    handed to the Delta library for object stores. Without `settings` the `EVERVIEW_*`
    variables of the environment are read. NotAWarehouse if the folder holds something else, or
    nothing and `create` is false. `progress` is called with a Progress while views are refreshed.
    """
    settings = Settings.from_environ(os.environ) if settings is None else settings
    if settings.passes_off:
        from everview.optimize.passes import require_passes  # plans take a while to load

        require_passes(settings.passes_off)
    options = dict(storage_options or {})
    place = given_place(path)
    state = warehouse_state(place, options)
    if state == "other":
        raise NotAWarehouse(
            f"The folder {path} holds something else.",
            remedy="Open an empty or new folder, or one that Everview made.",
        )
    if state == "empty" and not create:
        raise NotAWarehouse(
            f"There is no warehouse at {path}.",
            remedy="Give the folder of one, or make one with ev.open(path).",
        )
    catalog = Catalog(place, options)
    if state == "empty":
        catalog.create()
    engine = Engine(spark, partial(local_session, settings))
    lake = lake_for(options)
    return Warehouse(World(catalog, lake, engine, options, _milliseconds, settings), progress)


def _milliseconds() -> int:
    return int(time.time() * 1000)
