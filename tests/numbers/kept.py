"""A table and a view that is kept beside it, compared with Spark's own answer."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import everview as ev
from everview.facts.receipts import Receipt
from tests.scripts.oracle import Oracle, Result, compare, result

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_numbers = itertools.count()


class Kept:
    """A warehouse with one table `t`, opened in a session of its own with these settings."""

    def __init__(
        self, spark: SparkSession, folder: Path, settings: Mapping[str, str] | None = None
    ) -> None:
        self.spark = spark.newSession()
        for key, value in (settings or {}).items():
            self.spark.conf.set(key, value)
        self.wh = ev.open(str(folder / f"warehouse{next(_numbers)}"), spark=self.spark)
        self.oracle = Oracle(spark, settings)
        self.views: dict[str, str] = {}

    def table(self, ddl: str, rows: str) -> None:
        """The table with rows written as SQL tuples."""
        self.ddl = ddl
        self.t = self.wh.create_table("t", ddl)
        self.append(rows)

    def append(self, rows: str) -> None:
        fields = self.t.to_df().schema.fields
        names = ", ".join(f"v{i}" for i, _ in enumerate(fields))
        casts = ", ".join(
            f"CAST(v{i} AS {f.dataType.simpleString()}) AS `{f.name}`" for i, f in enumerate(fields)
        )
        self.t.append(self.spark.sql(f"SELECT {casts} FROM VALUES {rows} AS t({names})"))

    def view(self, sql: str, name: str = "v") -> None:
        self.wh.create_materialized_view(name, sql, policy="INCREMENTAL STRICT")
        self.views[name] = sql

    def refresh(self, name: str = "v", *, loose: bool = True) -> Receipt:
        """Refresh incrementally, compare with Spark's answer, and verify."""
        receipt = self.wh.view(name).refresh()
        assert receipt.strategy.startswith("incremental"), receipt
        assert receipt.changed, receipt
        self.check(name, loose=loose)
        return receipt

    def check(self, name: str = "v", *, loose: bool = True) -> None:
        wrong = compare(self.rows(name), self.expected(name), loose=loose)
        assert not wrong, "\n".join(wrong[:20])
        verified = self.wh.view(name).verify()
        assert verified.ok, str(verified)

    def rows(self, name: str = "v") -> Result:
        return result(self.wh.view(name).to_df())

    def expected(self, name: str = "v") -> Result:
        self.oracle.table("t", self.t.to_df())
        return self.oracle.answer(self.views[name])
