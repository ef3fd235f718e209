"""What is common to ways written by hand: stored rows that are written anew."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from pathlib import Path

from pyspark.sql import DataFrame

import everview as ev
from bench.aims import HAND
from bench.changes import Changed
from bench.measure import Said
from bench.views import VIEWS


class ByRewriting(ABC):
    """Stored rows in a folder, written anew at each refresh."""

    name = HAND

    def __init__(self, warehouse: ev.Warehouse, view: str, folder: Path) -> None:
        self._warehouse = warehouse
        self._view = view
        self._folder = folder / "hand-0"
        warehouse.sql(VIEWS[view].sql).write.parquet(str(self._folder))

    def rows(self) -> DataFrame:
        return self._warehouse.spark.read.parquet(str(self._folder))

    @abstractmethod
    def refresh(self, changed: Changed) -> Said:
        """Bring the rows up to date."""

    def _rewrite(self, rows: DataFrame) -> None:
        old = self._folder
        self._folder = old.with_name(f"hand-{int(old.name.split('-')[1]) + 1}")
        rows.write.parquet(str(self._folder))
        shutil.rmtree(old)
