"""Playing one random script: tables, a view, batches, and the checks after every refresh."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from deltalake import DeltaTable

import everview as ev
from everview.facts.receipts import Receipt
from tests.property.batches import Batches, Statement
from tests.property.tables import Row, TableSpec, random_tables
from tests.property.views import Views, ViewSpec
from tests.scripts.oracle import Oracle, compare, differences, result

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

POLICIES = ("INCREMENTAL STRICT", "INCREMENTAL")


@dataclass
class Seen:
    """What the scripts met, so that a run that tested little is noticed."""

    counts: Counter[str] = field(default_factory=Counter)

    def require(self, *kinds: str) -> None:
        missed = [k for k in kinds if not self.counts[k]]
        assert not missed, f"never hit: {missed}; hit: {dict(self.counts)}"


class Play:
    """One script: what it does is told by its seed, and written down as it goes."""

    def __init__(self, seed: int, spark: SparkSession, folder: Path) -> None:
        self.rng = Random(seed)
        self.story = [f"seed {seed}"]
        self.oracle = Oracle(spark)
        self.wh = ev.open(str(folder / f"warehouse{seed}"), spark=spark)
        self.tables = self._make_tables()
        self.spec = self._make_view()
        used = {t.name for t in self.tables if f"{t.name} AS " in self.spec.sql}
        self.batches = Batches(self.rng, self.tables, self.read, frozenset(used))
        self.before = self.after = self.view_rows()

    def _make_tables(self) -> list[TableSpec]:
        found = random_tables(self.rng)
        for spec, rows in found:
            table = self.wh.create_table(spec.name, spec.ddl)
            if rows:
                table.append(self.wh.spark.createDataFrame(rows, spec.ddl))
            self.story.append(f"table {spec.name} ({spec.ddl})")
            self.story += [f"      {row}" for row in rows]
            self.oracle.table(spec.name, table.to_df())
        return [spec for spec, _ in found]

    def _make_view(self) -> ViewSpec:
        """A view that has rows, unless ten in a row have none."""
        for _ in range(10):
            spec = Views(self.rng, self.tables).view()
            always_there = spec.grouped and not spec.keys
            if always_there or self.oracle.answer(spec.sql)[1]:
                break
        policy = self.rng.choice(POLICIES)
        self.story.append(f"view ({policy}): {spec.sql}")
        with self.telling():
            self.wh.create_materialized_view("v", spec.sql, policy=policy)
        return spec

    def telling(self) -> _Telling:
        return _Telling(self)

    def read(self, table: TableSpec) -> list[Row]:
        return [tuple(row) for row in self.wh.table(table.name).to_df().collect()]

    def view_rows(self, name: str = "v") -> list[Row]:
        return [tuple(row) for row in self.wh.view(name).to_df().collect()]

    # Steps

    def change(self, batch: list[Statement]) -> None:
        for statement in batch:
            self.story.append(f"  {statement}")
            with self.telling():
                statement.apply(self.wh)
        for table in {s.table for s in batch}:
            self.oracle.table(table.name, self.wh.table(table.name).to_df())

    def change_view(self) -> None:
        """Batches, until the definition has another answer than before."""
        before = self.oracle.answer(self.spec.sql)[1]
        for _ in range(8):
            self.change(self.batches.batch())
            if differences(before, self.oracle.answer(self.spec.sql)[1]):
                return
        raise AssertionError("eight batches changed nothing")

    def refresh(self, name: str = "v") -> Receipt:
        """Refresh, and check the view both by the oracle and by its own verify."""
        with self.telling():
            receipt = self.wh.view(name).refresh()
            self.story.append(f"refresh: {receipt.strategy}")
            assert not receipt.strategy.startswith("full"), receipt.reason
            self.check(name)
        return receipt

    def check(self, name: str = "v") -> None:
        view = self.wh.view(name)
        found = result(view.to_df())
        wrong = compare(found, self.oracle.answer(self.spec.sql), loose=self.spec.grouped)
        assert not wrong, "\n".join(["other than Spark's own answer:", *wrong[:20]])
        verified = view.verify()
        assert verified.ok, str(verified)
        self.after = [tuple(row) for row in found[1]]

    def note(self, receipt: Receipt, batch: list[Statement], seen: Seen) -> bool:
        """Count what the refresh met; whether it changed the view."""
        before, self.before = self.before, self.after
        after = self.after
        seen.counts[receipt.strategy] += 1
        seen.counts.update({s.kind for s in batch})
        seen.counts["several tables changed"] += len({s.table for s in batch}) > 1
        if self.spec.keys:
            old, new = self._by_key(before), self._by_key(after)
            seen.counts["group born"] += bool(new.keys() - old.keys())
            seen.counts["group died"] += bool(old.keys() - new.keys())
            seen.counts["extreme lost"] += any(
                self._lost(old[k], new[k]) for k in old.keys() & new.keys()
            )
        return bool(differences(after, before))

    def _by_key(self, rows: list[Row]) -> dict[str, Row]:
        return {repr([row[i] for i in self.spec.keys]): row for row in rows}

    def _lost(self, old: Row, new: Row) -> bool:
        for place, kind in self.spec.extremes:
            was, now = old[place], new[place]
            if was is None or isinstance(was, tuple | list):
                continue
            if now is None or (now < was if kind == "max" else now > was):
                return True
        return False

    def check_hidden(self) -> None:
        """What is stored, hidden columns included, is what a full recompute stores."""
        kept = self.stored()
        with self.telling():
            assert self.wh.view("v").refresh(full=True).strategy == "full"
            wrong = unlike(kept, self.stored())
            assert not wrong, "\n".join(["stored otherwise than by a full refresh:", *wrong[:20]])

    def stored(self, name: str = "v") -> list[dict[str, Any]]:
        return stored(self.wh.view(name))


def stored(view: ev.View) -> list[dict[str, Any]]:
    """The stored rows as any Delta reader sees them, hidden values beside the public ones."""
    rows = DeltaTable(view.path).to_pyarrow_table().to_pylist()
    return [{**row, **{f"__ev.{k}": v for k, v in row.pop("__ev", {}).items()}} for row in rows]


def unlike(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> list[str]:
    """Differences of stored rows, floats apart by rounding."""
    some = [*found, *expected]
    names = sorted({n for row in some for n in row})
    floats = tuple(i for i, n in enumerate(names) if any(isinstance(row[n], float) for row in some))
    lines = [[tuple(row[n] for n in names) for row in side] for side in (found, expected)]
    return differences(*lines, floats)


class _Telling:
    """Adds the script so far to whatever goes wrong inside."""

    def __init__(self, play: Play) -> None:
        self._play = play

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        if error is not None and not hasattr(error, "__told__"):
            error.__told__ = True  # type: ignore[attr-defined]
            error.add_note("\n".join(self._play.story))


def play(seed: int, spark: SparkSession, folder: Path, seen: Seen, refreshes: int = 4) -> None:
    """One script with all its checks; it fails if no refresh changed the view."""
    script = Play(seed, spark, folder)
    seen.counts.update(script.spec.kinds)
    changed = False
    for turn in range(refreshes + 1):
        if turn == refreshes and changed:
            break
        batch = script.batches.batch() if turn < refreshes else script.batches.everything_goes()
        script.change(batch)
        receipt = script.refresh()
        with script.telling():
            changed |= script.note(receipt, batch, seen)
    with script.telling():
        assert changed, "no refresh changed the view"
    script.check_hidden()
