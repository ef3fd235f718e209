"""One Spark write: the rows, the changes beside them, and what was observed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

from everview.apply.lines import (
    ACTION,
    DELETE,
    INSERT,
    MINUS,
    PART,
    PLUS,
    ROWS,
    UPDATE_NEW,
)
from everview.errors import WriteVerification
from everview.facts.files import TableFile
from everview.lake.port import LakeTable
from everview.lake.storage import spark_path
from everview.run.driver.stored_files import COMPRESSION
from everview.spark.engine import Actions
from everview.sql.names import quoted

FILE_BYTES = 64_000_000


@dataclass(frozen=True, slots=True)
class Written:
    """The files of one write, by part, and the rows changed by action."""

    rows: tuple[TableFile, ...]
    minus: tuple[TableFile, ...] = ()
    plus: tuple[TableFile, ...] = ()
    changed: Mapping[str, int] | None = None

    def count(self) -> int:
        return sum(f.rows or 0 for f in self.rows)


def files_wanted(size: int) -> int:
    """How many files so many bytes should lie in."""
    return max(1, round(size / FILE_BYTES))


def write_rows(
    frame: DataFrame, table: LakeTable, token: str, actions: Actions, seen_if: Column | None = None
) -> Written:
    """Write plain rows as new files of the table; `seen_if` says which of them a reader sees, None
    if he sees all.
    """
    folder = f"data/{token}"
    partition_by = table.partition_by()
    seen = Observation()
    is_seen = F.lit(True) if seen_if is None else seen_if
    counts = F.count(F.lit(1)).alias(ROWS), F.count_if(is_seen).alias("seen")
    counted = frame.observe(seen, *counts)
    actions.submit("write", lambda: _save(counted, table, f"{folder}/part={ROWS}", partition_by))
    files = actions.timed("footers", lambda: table.written(f"{folder}/part={ROWS}"))
    _check({ROWS: files}, {ROWS: _number(seen.get, ROWS)})
    return Written(_filled(files), changed={"insert": _number(seen.get, "seen")})


def write_lines(frame: DataFrame, table: LakeTable, token: str, actions: Actions) -> Written:
    """Write lines that name their part; the action column is observed, not written."""
    folder = f"data/{token}"
    part = "part" if "part" not in {c.lower() for c in frame.columns} else "part_"
    partition_by = (part, *table.partition_by())
    seen = Observation()
    counted = frame.observe(seen, *_counts()).withColumnRenamed(PART, part).drop(ACTION)
    actions.submit("write", lambda: _save(counted, table, folder, partition_by))
    found = actions.timed(
        "footers", lambda: {p: table.written(f"{folder}/{part}={p}") for p in (ROWS, MINUS, PLUS)}
    )
    _check(found, {p: _number(seen.get, p) for p in (ROWS, MINUS, PLUS)})
    changed = {action: _number(seen.get, action) for action in _CODES}
    rows, minus, plus = (_filled(found[p]) for p in (ROWS, MINUS, PLUS))
    return Written(rows, minus, plus, changed)


_CODES = {"insert": INSERT, "update": UPDATE_NEW, "delete": DELETE}


def _counts() -> list[Column]:
    """The lines of each part, and those of each action."""
    parts = [F.count_if(F.col(PART) == part).alias(part) for part in (ROWS, MINUS, PLUS)]
    actions = [F.count_if(F.col(ACTION) == code).alias(name) for name, code in _CODES.items()]
    return [*parts, *actions]


def _save(frame: DataFrame, table: LakeTable, folder: str, partition_by: tuple[str, ...]) -> None:
    for name in table.partition_by():
        if dict(frame.dtypes)[name] == "string":  # a folder cannot tell "" from NULL
            frame = frame.withColumn(name, F.nullif(F.col(quoted(name)), F.lit("")))
    writer = frame.write.option("compression", COMPRESSION)
    if partition_by:
        writer = writer.partitionBy(*partition_by)
    writer.parquet(spark_path(table.uri, folder))


def _filled(files: tuple[TableFile, ...]) -> tuple[TableFile, ...]:
    return tuple(f for f in files if f.rows)


def _check(found: Mapping[str, tuple[TableFile, ...]], observed: Mapping[str, int]) -> None:
    """The footers must hold the rows that were seen passing: this also catches stray files."""
    for part, files in found.items():
        counted = sum(f.rows or 0 for f in files)
        if counted != observed[part]:
            raise WriteVerification(
                f"{observed[part]} rows were written as {part}, the files hold {counted}",
                remedy="Nothing was published. Run it again.",
            )


def _number(observed: Mapping[str, object], name: str) -> int:
    value = observed.get(name)
    return int(str(value)) if value is not None else 0
