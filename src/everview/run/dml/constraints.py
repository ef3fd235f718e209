"""Declared constraints: checked on every batch before it is committed, and on demand as a whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from everview.errors import ConstraintViolated
from everview.facts.files import TableFile
from everview.facts.keys import KeyCheck
from everview.facts.schema import Schema
from everview.facts.tables import Snapshot
from everview.facts.views import TableRecord
from everview.run.dml.primary_key import shown_values
from everview.run.rows.read import snapshot_frame
from everview.spark.engine import Actions
from everview.sql.names import quoted

_TIMES = "__ev_times"


def refuse_nulls(
    spark: SparkSession,
    snapshot: Snapshot,
    declared: TableRecord,
    files: tuple[TableFile, ...],
    actions: Actions,
) -> None:
    """Refuse, before the commit, new rows with a NULL where none may be."""
    enforced = replace(declared, primary_key=declared.enforced_key)
    for column, constraint in _required(snapshot.schema, enforced):
        counts = [_nulls(f, column) for f in files]
        if not any(n is None or n > 0 for n in counts):
            continue
        rows = snapshot_frame(spark, snapshot, files).where(F.col(quoted(column)).isNull())
        found = actions.submit("check", rows.limit(1).collect)
        if found:
            known = [n for n in counts if n is not None]
            nulls = sum(known) if len(known) == len(counts) else rows.count()
            raise ConstraintViolated(
                f"{constraint}: {nulls:,} of the rows have NULL in `{column}`, for example "
                f"{_shown(found[0])}.",
                remedy="Nothing was written.",
            )


def verify_keys(
    name: str,
    snapshot: Snapshot,
    declared: TableRecord,
    rows: DataFrame,
    table: Callable[[str], DataFrame | None],
) -> list[KeyCheck]:
    """Check every declared constraint on all rows; `table` gives the rows of a table by name."""
    found = []
    for column, constraint in _required(snapshot.schema, declared):
        wrong = rows.where(F.col(quoted(column)).isNull())
        found.append(_checked(name, snapshot, constraint, wrong))
    if declared.primary_key:
        wrong = _repeated(rows, declared.primary_key).drop(_TIMES)
        found.append(_checked(name, snapshot, _primary(declared), wrong))
    for columns, other, referenced in declared.foreign_keys:
        target = f"{other} ({', '.join(referenced)})"
        constraint = f"FOREIGN KEY ({', '.join(columns)}) REFERENCES {target}"
        parent = table(other)
        why = _missing(other, parent, referenced)
        if parent is None or why:
            found.append(KeyCheck(name, snapshot.version, constraint, False, 1, why))
        else:
            wrong = _lost(rows, columns, parent, referenced)
            found.append(_checked(name, snapshot, constraint, wrong))
    return found


def _missing(other: str, parent: DataFrame | None, referenced: tuple[str, ...]) -> str:
    """What a foreign key refers to and is not there, "" if all is."""
    if parent is None:
        return f"there is no table {other}"
    known = {c.lower() for c in parent.columns}
    gone = [c for c in referenced if c.lower() not in known]
    return f"{other} has no column {gone[0]}" if gone else ""


def _lost(
    rows: DataFrame, columns: tuple[str, ...], parent: DataFrame, referenced: tuple[str, ...]
) -> DataFrame:
    """The rows that refer to something, and that is not there; a NULL refers to nothing."""
    theirs = [F.col(quoted(c)).alias(f"__ev_k{i}") for i, c in enumerate(referenced)]
    ours = [F.col(quoted(c)).alias(f"__ev_c{i}") for i, c in enumerate(columns)]
    names = rows.columns
    given = rows.select("*", *ours).dropna(subset=[f"__ev_c{i}" for i, _ in enumerate(columns)])
    same = [F.col(f"__ev_c{i}") == F.col(f"__ev_k{i}") for i, _ in enumerate(columns)]
    return given.join(parent.select(*theirs), same, "left_anti").select(*map(quoted, names))


def _checked(name: str, snapshot: Snapshot, constraint: str, wrong: DataFrame) -> KeyCheck:
    count = wrong.count()
    sample = _shown(wrong.limit(1).collect()[0]) if count else ""
    return KeyCheck(name, snapshot.version, constraint, not count, count, sample)


def _required(schema: Schema, declared: TableRecord) -> list[tuple[str, str]]:
    """The columns in which NULL is refused, with the constraint that says so."""
    found = [(f.name, f"NOT NULL {f.name}") for f in schema.fields if not f.nullable]
    keys = [n for n in declared.primary_key if n not in dict(found)]
    return found + [(n, f"{_primary(declared)}, {n} NOT NULL") for n in keys]


def _primary(declared: TableRecord) -> str:
    return f"PRIMARY KEY ({', '.join(declared.primary_key)})"


def _repeated(rows: DataFrame, key: tuple[str, ...]) -> DataFrame:
    each = rows.groupBy(*map(quoted, key)).agg(F.count(F.lit(1)).alias(_TIMES))
    return each.where(F.col(_TIMES) > 1)


def _shown(row: Row) -> str:
    return shown_values({k: v for k, v in row.asDict().items() if k != _TIMES})


def _nulls(file: TableFile, column: str) -> int | None:
    """The NULLs of a column in a written file, None if its footer does not say; a partition
    column is the same in all its rows.
    """
    partition = dict(file.partition)
    if column in partition:
        return (file.rows or 0) if partition[column] is None else 0
    return file.bounds_of(column).nulls
