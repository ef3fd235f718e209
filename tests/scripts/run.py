"""Running a refresh script: after every refresh each refreshed view is recomputed and compared."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import everview as ev
from everview.facts.receipts import Receipt
from tests.scripts.oracle import Oracle, bag, compare, differences, result
from tests.scripts.script import Script, Step, expected, view_policy

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

_TAIL = re.compile(r"\b(LIMIT|OFFSET)\b")
_AGGREGATE = re.compile(
    r"\b(count|sum|avg|min|max|stddev|var_pop|corr|regr_slope)\s*\(", re.IGNORECASE
)


class Run:
    """One script in a warehouse of its own."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.wh = ev.open(str(folder / "warehouse"), spark=spark)
        self.oracle = Oracle(spark)
        self.views: dict[str, str] = {}
        self.virtual: dict[str, str] = {}
        self.taken: dict[str, DataFrame] = {}
        self.changed = 0

    def run(self, script: Script) -> None:
        for step in script.steps:
            try:
                self._step(step)
            except Exception as error:
                error.add_note(f"in '{script.title}', line {step.number}: {step.verb} {step.name}")
                raise
        assert self.changed, f"no refresh of '{script.title}' changed a view"

    def _step(self, step: Step) -> None:
        match step.verb:
            case "TABLE":
                self._create(step)
            case "VIEW":
                self._create_view(step)
            case "VIRTUAL":
                self.virtual[step.name] = "\n".join(step.lines)
                self.wh.create_view(step.name, self.virtual[step.name])
            case "REFRESH":
                self._refresh(step)
            case _:
                self._write(step)

    def _create(self, step: Step) -> None:
        ddl = step.rest.strip().removeprefix("(").removesuffix(")")
        table = self.wh.create_table(step.name, ddl)
        if step.lines:
            table.append(self._rows(step))

    def _create_view(self, step: Step) -> None:
        sql = "\n".join(step.lines)
        self.wh.create_materialized_view(step.name, sql, policy=view_policy(step))
        self.views[step.name] = sql

    def _write(self, step: Step) -> None:
        table = self.wh.table(step.name)
        match step.verb:
            case "APPEND":
                table.append(self._rows(step))
            case "OVERWRITE":
                table.overwrite(self._rows(step))
            case "MERGE":
                keys = step.rest.removeprefix("ON").replace(" ", "").split(",")
                table.merge(self._rows(step), on=keys)
            case "DELETE":
                where = step.rest.removeprefix("WHERE ").strip()
                self.taken[step.name] = table.to_df(table.version).where(where)
                table.delete(where)
            case "UPDATE":
                text, _, where = step.rest.removeprefix("SET ").partition(" WHERE ")
                column, _, expression = text.partition(" = ")
                table.update({column.strip(): expression}, where or None)
            case "COMPACT":
                table.compact()
            case "BACK":
                table.append(self.taken.pop(step.name))
            case _:
                raise AssertionError(f"line {step.number}: unknown step {step.verb}")

    def _rows(self, step: Step) -> DataFrame:
        """The rows written below a step, as the table's types."""
        fields = self.wh.table(step.name).to_df().schema.fields
        names = ", ".join(f"v{i}" for i, _ in enumerate(fields))
        casts = ", ".join(
            f"CAST(v{i} AS {f.dataType.simpleString()}) AS `{f.name}`" for i, f in enumerate(fields)
        )
        rows = ", ".join(step.lines)
        text = f"SELECT {casts} FROM VALUES {rows} AS t({names})"
        if step.lines == ("(nothing)",):
            return self.wh.table(step.name).to_df().limit(0)
        return self.spark.sql(text)

    def _refresh(self, step: Step) -> None:
        wanted = expected(step)
        before = self.wh.view(step.name).to_df().collect()
        receipt = self.wh.view(step.name).refresh()
        assert receipt.strategy.startswith(wanted.strategy), f"{receipt.strategy}: {receipt.reason}"
        found = _counts(receipt)
        for sign, n in wanted.counts.items():
            assert found[sign] == n, f"{sign}{found[sign]} rows in the receipt, not {sign}{n}"
        after = self._check(step.name)
        changed = bag(before) != bag(after)
        self.changed += changed
        only_stored = bool(_TAIL.search(self.views[step.name])) and receipt.changed
        assert changed == receipt.changed or only_stored, f"{receipt}, but changed: {changed}"
        if wanted.rows is not None:
            wrong = differences(after, self._given(step.name, wanted.rows))
            assert not wrong, "\n".join(["other than the script says:", *wrong])

    def _check(self, name: str) -> list[Row]:
        """The view is its definition over the tables as they are, both ways, and says so itself."""
        for table in self.wh.tables():
            self.oracle.table(table, self.wh.table(table).to_df())
        for view, sql in {**self.virtual, **self.views}.items():
            self.oracle.view(view, sql)
        sql = self.views[name]
        view = self.wh.view(name)
        found = result(view.to_df())
        grouped = any(_AGGREGATE.search(text) for text in self.views.values())
        wrong = compare(found, self.oracle.answer(sql), loose=grouped)
        assert not wrong, "\n".join(["other than recomputed:", *wrong])
        verified = view.verify()
        assert verified.ok, str(verified)
        return found[1]

    def _given(self, name: str, rows: tuple[str, ...]) -> list[Row]:
        """The rows written below a REFRESH, as the view's types."""
        fields = self.wh.view(name).to_df().schema.fields
        names = ", ".join(f"v{i}" for i, _ in enumerate(fields))
        casts = ", ".join(
            f"CAST(v{i} AS {f.dataType.simpleString()})" for i, f in enumerate(fields)
        )
        text = f"SELECT {casts} FROM VALUES {', '.join(rows)} AS t({names})"
        return self.spark.sql(text).collect() if rows else []


def _counts(receipt: Receipt) -> dict[str, int]:
    return {"+": receipt.rows_inserted, "~": receipt.rows_updated, "-": receipt.rows_deleted}
