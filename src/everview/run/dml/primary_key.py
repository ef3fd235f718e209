"""An enforced primary key: a write adds no key twice, and none that the table has already."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from everview.aggregates.numbers import decimal_of
from everview.errors import ConstraintViolated
from everview.facts.files import TableFile
from everview.facts.tables import Snapshot
from everview.optimize.select import files_overlapping, files_with_keys
from everview.run.rows.read import snapshot_frame
from everview.spark.engine import Actions
from everview.sql.names import quoted

MOST_FETCHED_KEYS = 10_000
_MORE = "__ev_more"
_WHOLE = ("byte", "short", "integer", "long")
# Types whose partition values are spelled one way, whoever wrote them.
_ONE_SPELLING = (*_WHOLE, "string", "date", "boolean")


@dataclass(frozen=True, slots=True)
class NewKeys:
    """The keys that a write adds: those of `plus`, its new rows, without those of `minus`, the rows
    that it takes away. An updated row that keeps its key adds none.
    """

    spark: SparkSession
    snapshot: Snapshot  # what the write was prepared on
    key: tuple[str, ...]
    plus: tuple[TableFile, ...]
    minus: tuple[TableFile, ...] = ()

    def refuse_repeated(self, actions: Actions) -> None:
        """ConstraintViolated if the write itself adds a key twice."""
        if sum(f.rows or 0 for f in self.plus) < 2:
            return
        found = actions.submit("check", self._gained().where(F.col(_MORE) > 1).limit(1).collect)
        if found:
            raise ConstraintViolated(
                f"{self._constraint}: {found[0][_MORE]} of the rows have the key "
                f"{self._shown(found[0])}.",
                remedy="Give each key once; nothing was written.",
            )

    def refuse_stored(self, files: tuple[TableFile, ...], actions: Actions) -> None:
        """ConstraintViolated if one of the files of the table holds one of the keys. Files are
        read only where their ranges admit one of them, and of those the key alone.
        """
        files = self._admitting(files, actions)
        if not files:
            return
        stored = self._keys(snapshot_frame(self.spark, self.snapshot, files))
        same = [F.col(f"s{i}") == F.col(f"k{i}") for i, _ in enumerate(self.key)]
        mine = stored.toDF(*(f"s{i}" for i, _ in enumerate(self.key)))
        found = actions.submit("check", self._gained().join(mine, same, "left_semi").head)
        if found is not None:
            raise ConstraintViolated(
                f"{self._constraint}: the key {self._shown(found)} is in the table already.",
                remedy="Give keys that are not, or MERGE the rows; nothing was written.",
            )

    def _admitting(self, files: tuple[TableFile, ...], actions: Actions) -> tuple[TableFile, ...]:
        """The files whose ranges admit one of the keys."""
        parts = [n for n in self.key if n in self.snapshot.partition_by]
        plain = [n for n in parts if self.snapshot.schema[n].type in _ONE_SPELLING]
        new = {_values(f, plain) for f in self.plus}
        files = tuple(f for f in files if None in _values(f, plain) or _values(f, plain) in new)
        files = files_overlapping(files, self.plus, self.key)
        ordered = tuple(n for n in self.key if n not in parts and self._is_ordered(n))
        few = sum(f.rows or 0 for f in self.plus) <= MOST_FETCHED_KEYS
        if not files or not ordered or not few:
            return files
        places = [f"k{self.key.index(n)}" for n in ordered]
        table = actions.submit("check", self._gained().select(*places).toArrow)
        rows = zip(*(table.column(p).to_pylist() for p in places), strict=True)
        return files_with_keys(files, ordered, list(dict.fromkeys(rows)))

    def _is_ordered(self, name: str) -> bool:
        """Whether values on the driver compare with ranges as those in Spark do."""
        type_ = self.snapshot.schema[name].type
        return type_ in (*_WHOLE, "string") or decimal_of(type_) is not None

    def _gained(self) -> DataFrame:
        """The keys that more rows have after the write, and how many more."""
        each = self._weighed(self.plus, 1)
        if self.minus:
            each = each.unionAll(self._weighed(self.minus, -1))
        names = [f"k{i}" for i, _ in enumerate(self.key)]
        return each.groupBy(*names).agg(F.sum(_MORE).alias(_MORE)).where(F.col(_MORE) > 0)

    def _weighed(self, files: tuple[TableFile, ...], weight: int) -> DataFrame:
        rows = self._keys(snapshot_frame(self.spark, self.snapshot, files))
        return rows.withColumn(_MORE, F.lit(weight).cast("bigint"))

    def _keys(self, rows: DataFrame) -> DataFrame:
        return rows.select(*(F.col(quoted(n)).alias(f"k{i}") for i, n in enumerate(self.key)))

    @property
    def _constraint(self) -> str:
        return f"PRIMARY KEY ({', '.join(self.key)})"

    def _shown(self, row: Row) -> str:
        return shown_values({n: row[f"k{i}"] for i, n in enumerate(self.key)})


def shown_values(values: dict[str, object]) -> str:
    """Columns with their values, as an error names a row."""
    return ", ".join(f"{name} = {_text(value)}" for name, value in values.items())


def _text(value: object) -> str:
    if value is None:
        return "NULL"
    return repr(value) if isinstance(value, str) else str(value)


def _values(file: TableFile, columns: list[str]) -> tuple[str | None, ...]:
    """The values of partition columns in all rows of a file; None is NULL or not known."""
    partition = dict(file.partition)
    return tuple(partition[n] for n in columns)
