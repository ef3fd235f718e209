"""The law of changes on Spark: the delta of a query gives what its rows changed by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from copy import copy
from random import Random
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from everview.algebra.relations import At, Changes, Local, Rel, Scan
from everview.optimize.passes import When, improved
from everview.run.rows.read import schema_of
from everview.run.understand.define import spark_message, user_frame
from everview.run.understand.lower import lower
from everview.shape.maintained import unmaintained
from everview.spark.engine import Engine
from everview.sql.bind.query import NotLowered
from everview.sql.read.parse import parse_query
from everview.sql.write.door import SourceLeaf, local_names, write
from everview.sql.write.select import WEIGHT
from tests.corpus.round_trip import Outcome, near, plain
from tests.improve import changes_of

Rows = list[tuple[Any, ...]]


class Changed:
    """Tables at two snapshots, and the rows between them, as frames."""

    def __init__(self, spark: SparkSession, old: Mapping[str, DataFrame], rng: Random) -> None:
        self.old = dict(old)
        self.new: dict[str, DataFrame] = {}
        self.changes: dict[str, DataFrame] = {}
        for name, frame in old.items():
            rows = [tuple(row) for row in frame.collect()]
            after, lines = changed_rows(rows, rng)
            schema = frame.schema
            self.new[name] = spark.createDataFrame(after, schema).coalesce(1)
            weighted = type(schema)([*schema.fields]).add(WEIGHT, "long")
            self.changes[name] = spark.createDataFrame(lines, weighted).coalesce(1)

    def only(self, names: list[str]) -> Changed:
        """The same of these tables alone."""
        found = copy(self)
        for part in ("old", "new", "changes"):
            known = getattr(self, part)
            setattr(found, part, {name: known[name] for name in names})
        return found

    def frame(self, leaf: SourceLeaf, changed: frozenset[str]) -> DataFrame:
        match leaf:
            case Scan(table, at, _) if at is At.OLD or table not in changed:
                return self.old[table]
            case Scan(table, _, _):
                return self.new[table]
            case Changes(table, _):
                return self.changes[table]
            case _:
                raise AssertionError(leaf)


def changed_rows(rows: Rows, rng: Random) -> tuple[Rows, Rows]:
    """Some rows deleted, some copied with a value of another row: the rows after, and the lines."""
    after, lines = list(rows), []
    for _ in range(1 + len(rows) // 3):
        kind = rng.choice(("delete", "insert", "update"))
        if kind != "insert" and after:
            gone = after.pop(rng.randrange(len(after)))
            lines.append((*gone, -1))
        if kind != "delete" and rows:
            made = list(rng.choice(rows))
            place = rng.randrange(len(made))
            made[place] = rng.choice(rows)[place]
            after.append(tuple(made))
            lines.append((*made, 1))
    return after, lines


def law(engine: Engine, text: str, state: Changed, changed: frozenset[str]) -> Outcome:
    """Whether the changes of the query are NEW - OLD; floats within 1e-9."""
    parsed = parse_query(text)
    schemas = {name: schema_of(frame) for name, frame in state.old.items()}
    with engine.settings():
        found = lower(engine, parsed, schemas)
        if isinstance(found, NotLowered):
            return Outcome("refused", found.reason)
        refused = unmaintained(found.rel)
        if refused is not None:
            return Outcome("refused", refused.reason)
        plan = changes_of(found.rel, changed)
        if plan is None:
            return Outcome("lowered", "nothing changed")
        sides = (state.old, {n: state.new[n] if n in changed else f for n, f in state.old.items()})
        before, after = (bag(user_frame(engine, parsed, side).collect()) for side in sides)
        try:
            got = weighted_bag(_changes(engine, plan, state, changed).collect())
        except PySparkException as error:
            return Outcome("wrong", f"the delta fails: {spark_message(error)}")
    wanted = {r: n for r in after | before if (n := after[r] - before[r])}
    wrong = difference(got, wanted)
    return Outcome("wrong" if wrong else "lowered", wrong, sum(map(abs, wanted.values())))


def _changes(engine: Engine, plan: Rel, state: Changed, changed: frozenset[str]) -> DataFrame:
    """The changes as a refresh computes them: its parts first."""
    whole = improved(When.PARTS, improved(When.CHANGES, plan).plan).queries
    local: dict[str, DataFrame] = {}

    def run(rel: Rel, names: tuple[str, ...] | None = None) -> DataFrame:
        query = write(rel, {}, names)
        frames = {
            leaf: local[leaf.name] if isinstance(leaf, Local) else state.frame(leaf, changed)
            for leaf in query.leaves.values()
        }
        return engine.sql(query, frames)

    for part in whole.parts:
        local[part.name] = run(part.rel, local_names(part.rel.columns)).localCheckpoint()
    return run(whole.rest)


def bag(rows: list[Any]) -> Counter[Any]:
    return Counter(plain(tuple(row)) for row in rows)


def weighted_bag(rows: list[Any]) -> dict[Any, int]:
    found: Counter[Any] = Counter()
    for row in rows:
        found[plain(tuple(row)[:-1])] += row[-1]
    return {row: n for row, n in found.items() if n}


def difference(got: Mapping[Any, int], wanted: Mapping[Any, int]) -> str:
    """In words how two bags with signs differ, "" if they do not; floats within 1e-9."""
    more = {r: got.get(r, 0) - wanted.get(r, 0) for r in {*got, *wanted}}
    left = [r for r, n in more.items() for _ in range(n)]
    right = [r for r, n in more.items() for _ in range(-n)]
    for row in list(left):
        same = next((other for other in right if near(row, other)), None)
        if same is not None:
            left.remove(row)
            right.remove(same)
    if not left and not right:
        return ""
    return f"too much: {left[:3]} (of {len(left)}), too little: {right[:3]} (of {len(right)})"
