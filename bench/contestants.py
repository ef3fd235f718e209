"""Who takes part: the full recompute, Everview in its ways, and what each can do."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol

from pyspark.sql import DataFrame

import everview as ev
from bench.aims import AUTO, FULL, MARKING, REWRITING
from bench.changes import Changed
from bench.measure import Said
from bench.views import VIEWS


class Contestant(Protocol):
    """One way to keep one view."""

    name: str

    def refresh(self, changed: Changed) -> Said:
        """Bring the rows up to date."""

    def rows(self) -> DataFrame:
        """All rows, as a reader gets them."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way of Everview's: the policy and the properties of a view."""

    name: str
    policy: str
    properties: Mapping[str, str] = field(default_factory=dict)

    def view_name(self, view: str) -> str:
        return f"{view}_{self.name.rpartition(' ')[2].lower()}"


MERGE_ON_READ = "merge_on_read"
WAYS = (
    Way(REWRITING, "INCREMENTAL", {MERGE_ON_READ: "never"}),
    Way(MARKING, "INCREMENTAL", {MERGE_ON_READ: "auto"}),
    Way(AUTO, "AUTO"),
)


def why_not(way: Way) -> str:
    """Why a way cannot take part, "" if it can. Files are rewritten where there is no choice."""
    create = ev.Warehouse.create_materialized_view
    if MERGE_ON_READ not in way.properties or _takes_properties(create) or _is_setting():
        return ""
    return "" if way.properties[MERGE_ON_READ] == "never" else f"no property {MERGE_ON_READ}"


def _takes_properties(create: Callable[..., object]) -> bool:
    return "properties" in inspect.signature(create).parameters


def _is_setting() -> bool:
    return MERGE_ON_READ in {f.name for f in fields(ev.Settings)}


def opened(way: Way, folder: Path, settings: ev.Settings) -> ev.Warehouse:
    """The warehouse as the way wants it, where its properties are settings."""
    given = settings.to_dict() | (dict(way.properties) if _is_setting() else {})
    return ev.open(folder, settings=ev.Settings(**given))


def with_properties(way: Way, create: Callable[..., object]) -> dict[str, Any]:
    """What a method that creates a table or a view is given for the way, where it takes it."""
    return {"properties": dict(way.properties)} if _takes_properties(create) else {}


def said_of(receipt: ev.Receipt) -> Said:
    """What a receipt says that is compared."""
    return Said(receipt.actions, receipt.strategy, dict(receipt.seconds))


class Everview:
    """A view of its own, kept in one of Everview's ways."""

    def __init__(self, warehouse: ev.Warehouse, way: Way, view: str) -> None:
        self.name = way.name
        create = warehouse.create_materialized_view
        given = with_properties(way, create)
        self._view = create(way.view_name(view), VIEWS[view].sql, way.policy, **given)

    def refresh(self, changed: Changed) -> Said:
        return said_of(self._view.refresh())

    def rows(self) -> DataFrame:
        return self._view.to_df()

    def drop(self) -> None:
        """It is not kept any more."""
        self._view.drop()


class FullRecompute:
    """The view's query again, written over the stored rows."""

    name = FULL

    def __init__(self, warehouse: ev.Warehouse, view: str, folder: Path) -> None:
        self._warehouse = warehouse
        self._sql = VIEWS[view].sql
        self._folder = str(folder / "full")

    def refresh(self, changed: Changed) -> Said:
        self._warehouse.sql(self._sql).write.mode("overwrite").parquet(self._folder)
        return Said(1, "full")

    def rows(self) -> DataFrame:
        return self._warehouse.spark.read.parquet(self._folder)
