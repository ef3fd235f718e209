"""One random case from one number: tables, a view, rounds of changes, and the oracles."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, Any

from deltalake import DeltaTable
from pyspark.errors import PySparkException

import everview as ev
from everview.errors import EverviewError, NotIncremental, SqlSyntax
from everview.spark.engine import is_from_spark
from everview.spark.session_settings import changed_settings
from everview.sql.read.parse import parse_query, table_references
from tests.corpus.benchmarks import QUICK
from tests.fuzz.counts import Counts
from tests.fuzz.queries import SeededQueries, ViewText
from tests.fuzz.story import Story
from tests.fuzz.tables import FuzzTable, fuzz_tables, visible
from tests.property.batches import Batches, Statement
from tests.property.play import stored, unlike
from tests.property.tables import Row, TableSpec
from tests.scripts.oracle import Oracle, compare, differences, result

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from everview.facts.receipts import Receipt

ROUNDS = 3
TRIES = 8  # views drawn until one is incremental and has rows
POLICY = "INCREMENTAL"
PARTS = {"held": "({})", "denied": "NOT ({})", "unknown": "({}) IS NULL"}


class LeftOut(Exception):
    """Spark itself cannot answer the view's text, so there is nothing to compare with."""


class Wrong(AssertionError):
    """An oracle disagrees."""


class Case:
    """What the number says, carried out in a warehouse of its own."""

    def __init__(self, seed: int, wh: ev.Warehouse, counts: Counts) -> None:
        self.rng, self.wh, self.counts = Random(seed), wh, counts
        self.story = Story(f"seed {seed}")
        self.oracle = Oracle(wh.spark, QUICK)
        self.first = fuzz_tables(self.rng)
        self.used: list[FuzzTable] = []  # by the view
        self.names: list[str] = []  # of views to be refreshed at the end alone
        self.rows: dict[TableSpec, list[Row]] = {}  # of the tables, as they are now
        self.answer: list[Any] = []  # the view's rows after its last refresh

    def play(self) -> None:
        """Everything, with the story so far in the notes of what goes wrong."""
        self.counts.of["cases"] += 1
        try:
            self._make_tables()
            view = self._make_view()
            if view is not None:
                self.counts.of["views played"] += 1
                self.counts.kinds.update(view.kinds)
                self._rounds(view)
        except LeftOut:
            self.counts.of["cases that Spark cannot run to the end"] += 1
        except Exception as error:
            error.add_note(str(self.story))
            raise

    # What there is

    def _make_tables(self) -> None:
        for table, rows in self.first.items():
            self.story.table(table, rows)
            self.wh.create_table(table.name, self._frame(table, rows))
            self._copy(table)
            self.counts.of["tables"] += 1
            self.counts.of["empty tables"] += not rows
            self.counts.of["tables with duplicates"] += table.duplicates
            self.counts.of["keys"] += 3
            self.counts.of["nullable keys"] += len(table.nullable)

    def _make_view(self) -> ViewText | None:
        """The first of several random views that is incremental and has rows."""
        for _ in range(TRIES):
            view = SeededQueries(self.rng, visible(self.first)).view()
            try:
                rows = self.oracle.answer(view.sql)[1]
            except PySparkException:
                self.counts.of["texts that Spark rejects"] += 1
                continue
            if rows and self._reads(view.sql) and self._create("answer", view.sql):
                self.story.view("answer", POLICY, view.sql)
                return view
        return None

    def _reads(self, sql: str) -> bool:
        """Whether the text reads tables, which are then the used ones."""
        try:
            names = {t.name.lower() for t in table_references(parse_query(sql))}
        except SqlSyntax:
            self.counts.refused("the text is not parsed")
            return False
        self.used = [t for t in self.first if t.name in names]
        return bool(self.used)

    def _create(self, name: str, sql: str) -> bool:
        try:
            self.wh.create_materialized_view(name, sql, policy=POLICY)
        except NotIncremental as refused:
            self.counts.refused(refused.what.removeprefix("Only a full recompute is possible: "))
            return False
        except EverviewError as refused:
            self.counts.refused(f"{type(refused).__name__}: {refused.what}")
            return False
        except Exception:
            self.story.view(name, POLICY, sql)
            raise
        return True

    def _make_others(self, view: ViewText) -> None:
        """Views that are refreshed once, at the end."""
        wanted = {}
        if self.rng.random() < 0.4:
            wanted["late"] = view.sql
        elif self.rng.random() < 0.25:
            wanted = {name: view.part(form) for name, form in PARTS.items()}
        self.names = [name for name, sql in wanted.items() if self._create(name, sql)]
        for name in self.names:
            self.story.view(name, POLICY, wanted[name])

    # Rounds

    def _rounds(self, view: ViewText) -> None:
        self._make_others(view)
        before = stored(self.wh.view("answer"))
        self.answer = result(self.wh.view("answer").to_df())[1]
        names = frozenset(t.name for t in self.used)
        batches = Batches(self.rng, list(self.used), self.rows.__getitem__, names)
        for number in range(ROUNDS):
            last = number == ROUNDS - 1 and self.rng.random() < 0.3
            self.counts.of["everything deleted"] += last
            self._change(batches.everything_goes() if last else batches.batch())
            self._refresh("answer", view.sql)
        self._verify("answer")
        for name in self.names:
            sql = view.sql if name == "late" else view.part(PARTS[name])
            self._refresh(name, sql)
        self._compare_others()
        self._reverse(view, before)

    def _change(self, batch: list[Statement]) -> None:
        before = {s.table: self.rows[s.table] for s in batch}
        for statement in batch:
            self.story.statement(statement)
            statement.apply(self.wh)
        for table in before:
            self._copy(table)
        changed = [t for t, rows in before.items() if differences(self.rows[t], rows)]
        self.counts.of["refreshes of two or more changed tables"] += len(changed) > 1

    def _refresh(self, name: str, sql: str) -> None:
        """Refresh; the view is then Spark's own answer."""
        expected = self._expected(sql)
        receipt = self._refreshed(name)
        self.counts.strategies[receipt.strategy] += 1
        found = result(self.wh.view(name).to_df())
        wrong = compare(found, expected, loose=True)
        _require(wrong, f"{name}, {receipt.strategy}: other than Spark's own answer")
        if name == "answer":
            changed = bool(differences(found[1], self.answer))
            self.answer = found[1]
            self.counts.of["refreshes"] += 1
            self.counts.of["refreshes that changed the view"] += changed

    def _refreshed(self, name: str) -> Receipt:
        try:
            receipt = self.wh.view(name).refresh()
        except Exception:
            self.story.refresh(name, "incremental")
            raise
        fell_back = receipt.strategy.startswith("full")
        self.story.refresh(name, "incremental" if fell_back else receipt.strategy)
        if fell_back:
            raise Wrong(f"{name} fell back: {receipt.reason}")
        return receipt

    def _expected(self, sql: str) -> Any:
        try:
            return self.oracle.answer(sql)
        except Exception as error:
            if is_from_spark(error):
                raise LeftOut from error
            raise

    # Oracles

    def _verify(self, name: str) -> None:
        """The view says itself that it is right."""
        verified = self.wh.view(name).verify()
        _require([] if verified.ok else [str(verified)], f"{name} does not verify")

    def _nothing(self, name: str) -> None:
        """A refresh of nothing commits nothing."""
        path = self.wh.view(name).path
        before = DeltaTable(path).version()
        receipt = self._refreshed(name)
        self.counts.of["nothing commits nothing"] += 1
        if receipt.changed or DeltaTable(path).version() != before:
            raise Wrong(f"{name}: a refresh of nothing committed: {receipt.strategy}")

    def _compare_others(self) -> None:
        """Three refreshes are one, what is hidden included; the three parts are the whole."""
        if self.names == ["late"]:
            self.counts.of["two refreshes are one"] += 1
            late, answer = (stored(self.wh.view(n)) for n in ("late", "answer"))
            _require(unlike(late, answer), "refreshed once, other than refreshed thrice")
        elif self.names == list(PARTS):
            self.counts.of["three parts are the whole"] += 1
            parts = [r for n in PARTS for r in result(self.wh.view(n).to_df())[1]]
            whole = result(self.wh.view("answer").to_df())
            _require(compare((whole[0], parts), whole, loose=True), "the three parts")

    def _reverse(self, view: ViewText, before: list[dict[str, Any]]) -> None:
        """The first rows of all tables come back, and with them all that was stored."""
        self._change([Statement(t, "overwrite", tuple(self.first[t])) for t in self.used])
        self._refresh("answer", view.sql)
        self.counts.of["the reverse restores"] += 1
        _require(unlike(stored(self.wh.view("answer")), before), "after the reverse")
        self._verify("answer")
        self._nothing("answer")

    # Rows

    def _frame(self, table: TableSpec, rows: list[Row]) -> Any:
        return self.wh.spark.createDataFrame(rows, table.ddl)

    def _copy(self, table: TableSpec) -> None:
        """The table as it is now, for Spark's own answers."""
        frame = self.wh.table(table.name).to_df()
        self.rows[table] = [tuple(row) for row in frame.collect()]
        copy = self.oracle.session.createDataFrame(self.rows[table], frame.schema)
        copy.createOrReplaceTempView(table.name)


def _require(wrong: list[str], what: str) -> None:
    if wrong:
        raise Wrong("\n".join([what, *wrong[:20]]))


@contextmanager
def warehouse(spark: SparkSession, folder: str) -> Iterator[ev.Warehouse]:
    """A warehouse whose session answers small queries quickly."""
    with (
        changed_settings(spark, QUICK),
        ev.open(folder, spark=spark) as wh,
        changed_settings(wh._world.engine.own, QUICK),
    ):
        yield wh
