"""The law of changes on Spark: the delta of a query gives what its rows changed by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from copy import copy
from random import Random
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from everview.algebra.relations import At, Changes, Scan
from everview.delta.propagate import delta
from everview.plan.maintained import unmaintained
from everview.rewrite.rules import ordered_terms
from everview.rewrite.scan_unchanged import scan_unchanged
from everview.run.define import spark_message, user_frame
from everview.run.engine import Engine
from everview.run.lower import lower
from everview.run.read import schema_of
from everview.sql.bind import NotLowered
from everview.sql.parse import parse_query
from everview.sql.select import WEIGHT
from everview.sql.write import Leaf, write
from tests.corpus.round_trip import Outcome, near, plain

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

    def frame(self, leaf: Leaf, changed: frozenset[str]) -> DataFrame:
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
        found = lower(engine, parsed, schemas, share=False)
        if isinstance(found, NotLowered):
            return Outcome("refused", found.reason)
        refused = unmaintained(found.rel)
        if refused is not None:
            return Outcome("refused", refused.reason)
        plan = delta(found.rel, changed)
        if plan is None:
            return Outcome("lowered", "nothing changed")
        query = write(ordered_terms(scan_unchanged(plan, changed)), {})
        sides = (state.old, {n: state.new[n] if n in changed else f for n, f in state.old.items()})
        before, after = (bag(user_frame(engine, parsed, side).collect()) for side in sides)
        try:
            lines = engine.sql(
                query, {leaf: state.frame(leaf, changed) for leaf in query.leaves.values()}
            )
            got = weighted_bag(lines.collect())
        except PySparkException as error:
            return Outcome("wrong", f"the delta fails: {spark_message(error)}")
    wanted = {r: n for r in after | before if (n := after[r] - before[r])}
    wrong = difference(got, wanted)
    return Outcome("wrong" if wrong else "lowered", wrong, sum(map(abs, wanted.values())))


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
        twin = next((other for other in right if near(row, other)), None)
        if twin is not None:
            left.remove(row)
            right.remove(twin)
    if not left and not right:
        return ""
    return f"too much: {left[:3]} (of {len(left)}), too little: {right[:3]} (of {len(right)})"
