"""Some views at one scale, each kept by all contestants, refreshed after the same changes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import everview as ev
from bench.aims import CONTESTANTS, DELTA, FULL, HAND
from bench.by_hand import by_hand
from bench.changes import WARM_UP, Change, Changed, apply
from bench.contestants import WAYS, Contestant, Everview, FullRecompute, Way, opened, why_not
from bench.data import load
from bench.delta_merge import VIEWS_BY_MERGE, DeltaMerge, is_there
from bench.measure import Run, Said, costs
from bench.session import SETTINGS

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run takes place: the session, the scale, the data, a folder of its own."""

    spark: SparkSession
    scale: float
    data: Path
    folder: Path


class Tables:
    """The warehouse with the tables of a scale, which all views read, and its changes."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.main = ev.open(place.folder / "warehouse", settings=SETTINGS)
        load(self.main, place.data)
        self.turn = -1

    def change(self, change: Change) -> tuple[Changed, Path]:
        """Change lineitem; the rows that went and came, and the folder where they lie."""
        self.turn += 1
        folder = self.place.folder / f"change-{self.turn}"
        return apply(self.main, change, self.place.scale, folder, self.turn), folder

    def opened(self, way: Way) -> ev.Warehouse:
        """The same warehouse as a way of Everview's wants it."""
        return opened(way, self.place.folder / "warehouse", SETTINGS)

    def close(self) -> None:
        """Nothing is left of it."""
        self.main.close()
        shutil.rmtree(self.place.folder, ignore_errors=True)


class Grid:
    """The views of a group, and the contestants of each."""

    def __init__(
        self, tables: Tables, views: Sequence[str], contestants: Sequence[str], say: Say
    ) -> None:
        self._tables = tables
        self._place = tables.place
        self._say = say
        self._main = tables.main
        self._warehouses = {
            way.name: tables.opened(way)
            for way in WAYS
            if way.name in contestants and not why_not(way)
        }
        self._contestants: dict[str, list[Contestant]] = {}
        for view in views:
            self._contestants[view] = self._built(view, contestants)
            say(f"{view}: {len(self._contestants[view])} contestants built")

    def _built(self, view: str, wanted: Sequence[str]) -> list[Contestant]:
        folder = self._place.folder / view
        found: list[Contestant] = []
        if FULL in wanted:
            found.append(FullRecompute(self._main, view, folder))
        hand = by_hand(self._main, view, folder) if HAND in wanted else None
        if hand is not None:
            found.append(hand)
        if DELTA in wanted and is_there(self._place.spark) and view in VIEWS_BY_MERGE:
            found.append(DeltaMerge(self._main, view, folder))
        ours = [w for w in WAYS if w.name in self._warehouses]
        return found + [Everview(self._warehouses[w.name], w, view) for w in ours]

    def warm_up(self) -> None:
        """One small change that nobody counts: the JVM compiles what it will run."""
        self.run(WARM_UP, 0)

    def run(self, change: Change, number: int, *, reading: bool = True) -> list[Run]:
        """Make the change, then refresh every view by every contestant, none always first."""
        changed, folder = self._tables.change(change)
        turn = self._tables.turn
        found: list[Run] = []
        for view, contestants in self._contestants.items():
            first = turn % len(contestants)
            for contestant in (*contestants[first:], *contestants[:first]):
                found.append(self._one(view, change, contestant, changed))
            if reading:
                found = self._read(view, contestants, found)
            self._say(f"{change.title}, {view}")
        shutil.rmtree(folder)
        return [replace(run, number=number) for run in found]

    def refreshes(self, change: Change, view: str) -> list[tuple[str, Callable[[], Said]]]:
        """Make the change; by contestant what refreshes the view, to be called once each."""
        changed, _ = self._tables.change(change)
        return [(c.name, partial(c.refresh, changed)) for c in self._contestants[view]]

    def _one(self, view: str, change: Change, contestant: Contestant, changed: Changed) -> Run:
        cost, said = costs(partial(contestant.refresh, changed))
        return Run(self._place.scale, view, change.title, contestant.name, cost, said)

    def _read(self, view: str, contestants: list[Contestant], runs: list[Run]) -> list[Run]:
        """The runs with the cost of reading; no time counts if two results differ."""
        prints: dict[str, tuple[int, int]] = {}
        spent = {}
        for contestant in contestants:

            def read(contestant: Contestant = contestant) -> Said:
                prints[contestant.name] = fingerprint(contestant.rows())
                return Said(1)

            spent[contestant.name] = costs(read)[0]
        if len(set(prints.values())) != 1:
            raise SystemExit(f"{view}: the results differ, no time counts: {prints}")
        return [
            replace(r, reading=spent[r.contestant]) if r.cell == view and r.reading is None else r
            for r in runs
        ]

    def close(self) -> None:
        """The tables are left as they are, the views are gone."""
        for view, contestants in self._contestants.items():
            for contestant in contestants:
                if isinstance(contestant, Everview):
                    contestant.drop()
            shutil.rmtree(self._place.folder / view, ignore_errors=True)
        for warehouse in self._warehouses.values():
            warehouse.close()


def unavailable(contestants: Sequence[str], delta: str) -> dict[str, str]:
    """Which of the contestants cannot take part, and why."""
    found = {w.name: why_not(w) for w in WAYS}
    found[DELTA] = delta
    return {c: found[c] for c in CONTESTANTS if c in contestants and found.get(c)}


def fingerprint(rows: DataFrame) -> tuple[int, int]:
    """How many rows, and the sum of their hashes."""
    hashes = F.xxhash64(*sorted(rows.columns)).cast("decimal(20,0)")
    found = rows.agg(F.count(F.lit(1)), F.sum(hashes)).collect()[0]
    return int(found[0]), int(found[1] or 0)


def way_of(name: str) -> Way:
    """The way of Everview's of this name."""
    return next(w for w in WAYS if w.name == name)
