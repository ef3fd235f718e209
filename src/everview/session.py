"""Opening a warehouse: its place, its catalog, its Spark session."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from os import PathLike, fspath

from pyspark.sql import SparkSession

from everview.errors import InvalidArgument, NotAWarehouse
from everview.facts.progress import Watcher
from everview.lake.catalog import Catalog, warehouse_state
from everview.lake.delta.table import EmbeddedDelta
from everview.run.engine import Engine
from everview.run.local import local_session
from everview.settings import Settings
from everview.views.world import World
from everview.warehouse import Warehouse


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
    are; without one, a local session is started (or the running one used). `storage_options`
    are handed to the Delta library for object stores. Without `settings` the `EVERVIEW_*`
    variables of the environment are read. NotAWarehouse if the folder holds something else, or
    nothing and `create` is false. `progress` is called with a Progress while views are refreshed.
    """
    settings = Settings.from_environ(os.environ) if settings is None else settings
    options = dict(storage_options or {})
    place = _place(path)
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
    engine = Engine(spark if spark is not None else local_session(settings))
    lake = EmbeddedDelta(options)
    return Warehouse(World(catalog, lake, engine, options, _milliseconds, settings), progress)


def _place(path: object) -> str:
    given = fspath(path) if isinstance(path, PathLike) else path
    if not isinstance(given, str) or not given.strip():
        raise InvalidArgument(
            f"{path!r} is not a folder or URI.", remedy='For example ev.open("shop").'
        )
    return given


def _milliseconds() -> int:
    return int(time.time() * 1000)
