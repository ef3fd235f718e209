"""What is measured besides views: statements, nightly overwrites, reads of marked rows, a soak."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import everview as ev
from bench.aims import AUTO, FULL, MARKED, NIGHT, READING, SOAK, STATEMENTS, UNMARKED
from bench.changes import Change
from bench.contestants import WAYS, Way, opened, said_of, why_not, with_properties
from bench.data import TABLES, load_table
from bench.grid import Grid, Place, fingerprint
from bench.measure import Cost, Run, Said, costs
from bench.session import SETTINGS

NIGHT_ROWS, NIGHT_GROUPS = 20_000, 1_000
SOAKED = Change("500 rows", rows=500)


def statements(place: Place, rounds: int) -> Iterator[Run]:
    """UPDATE, DELETE and MERGE of 0.1 % of lineitem, by Everview's ways and by Spark alone."""
    ways = [w for w in WAYS[:2] if not why_not(w)]
    tables = {w.name: _own_lines(place, w) for w in ways}
    plain = place.folder / "plain-0"
    rows = place.spark.read.parquet(str(place.data / "lineitem.parquet"))
    rows.selectExpr(*TABLES["lineitem"].split(", ")).write.parquet(str(plain))
    for number in range(-1, rounds):  # the first one warms up
        for title, condition in _conditions(number):
            runs = []
            for name, (warehouse, table) in tables.items():
                text = _statement(title, table, condition)
                runs.append((name, *costs(partial(_executed, warehouse, text))))
            plain, cost = _rewritten(place, plain, title, condition)
            runs.append((FULL, cost, Said(1, "full")))
            prints = {fingerprint(w.table(t).to_df()) for w, t in tables.values()}
            prints.add(fingerprint(place.spark.read.parquet(str(plain))))
            if len(prints) != 1:
                raise SystemExit(f"{title}: the results differ, no time counts: {prints}")
            if number >= 0:
                for name, cost, said in runs:
                    change = f"{title} 0.1 %"
                    yield Run(place.scale, STATEMENTS, change, name, cost, said, number=number)


def _own_lines(place: Place, way: Way) -> tuple[ev.Warehouse, str]:
    warehouse = opened(way, place.folder / "statements", SETTINGS)
    name = way.view_name("lineitem")
    given = with_properties(way, warehouse.create_table)
    load_table(warehouse, place.data, "lineitem", name, **given)
    return warehouse, name


def _conditions(number: int) -> Iterator[tuple[str, str]]:
    for i, title in enumerate(("UPDATE", "DELETE", "MERGE")):
        hashed = f"xxhash64(l_orderkey, l_linenumber, {number * 3 + i + 10})"
        yield title, f"pmod({hashed}, 1000) = 0"


def _statement(title: str, table: str, condition: str) -> str:
    if title == "UPDATE":
        return f"UPDATE {table} SET l_quantity = l_quantity + 1 WHERE {condition}"
    if title == "DELETE":
        return f"DELETE FROM {table} WHERE {condition}"
    return f"""
        MERGE INTO {table} AS t USING (SELECT * FROM {table} WHERE {condition}) AS s
        ON t.l_orderkey = s.l_orderkey AND t.l_linenumber = s.l_linenumber
        WHEN MATCHED THEN UPDATE SET l_quantity = t.l_quantity + 1"""


def _executed(warehouse: ev.Warehouse, text: str) -> Said:
    warehouse.sql(text)
    return Said(0)


def _rewritten(place: Place, folder: Path, title: str, condition: str) -> tuple[Path, Cost]:
    """The whole table written anew by Spark alone."""
    rows = place.spark.read.parquet(str(folder))
    more = F.when(F.expr(condition), F.col("l_quantity") + 1).otherwise(F.col("l_quantity"))
    kind = rows.schema["l_quantity"].dataType
    new = (
        rows.where(f"NOT ({condition})")
        if title == "DELETE"
        else rows.withColumn("l_quantity", more.cast(kind))
    )
    after = folder.with_name(f"plain-{int(folder.name.split('-')[1]) + 1}")
    return after, costs(partial(_written, new, after))[0]


def _written(rows: DataFrame, folder: Path) -> Said:
    rows.write.parquet(str(folder))
    return Said(1)


def nightly_overwrite(place: Place, rounds: int) -> Iterator[Run]:
    """A table that is written anew every night with one row different, and a view that joins it."""
    text = """SELECT name, count(*) AS n, sum(price) AS total
        FROM prices JOIN groups ON prices.grp = groups.grp GROUP BY name"""
    names = place.spark.range(NIGHT_GROUPS).selectExpr("id AS grp", "concat('group ', id) AS name")
    with ev.open(place.folder / "night", settings=SETTINGS) as warehouse:
        warehouse.create_table("groups", names)
        warehouse.create_table("prices", _prices(place, 0))
        view = warehouse.create_materialized_view("by_group", text)
        full = str(place.folder / "night-full")
        for night in range(1, rounds + 3):
            warehouse.table("prices").overwrite(_prices(place, night))
            ours = costs(lambda: said_of(view.refresh()))
            its = costs(partial(_night_full, warehouse.sql(text), full))
            if fingerprint(view.to_df()) != fingerprint(place.spark.read.parquet(full)):
                raise SystemExit("nightly overwrite: the results differ, no time counts")
            if night > 2:
                cell = (place.scale, NIGHT, f"1 of {NIGHT_ROWS:,} rows")
                yield Run(*cell, AUTO, *ours, number=night)
                yield Run(*cell, FULL, *its, number=night)


def _night_full(rows: DataFrame, folder: str) -> Said:
    rows.write.mode("overwrite").parquet(folder)
    return Said(1, "full")


def _prices(place: Place, night: int) -> DataFrame:
    """The same prices every night, but for the one of the night's own row."""
    price = F.when(F.col("id") == night, F.lit(1_000 + night)).otherwise(F.col("id") % 97)
    rows = place.spark.range(NIGHT_ROWS).withColumn("price", price.cast("bigint"))
    return rows.withColumn("grp", F.col("id") % NIGHT_GROUPS)


def reading(place: Place, rounds: int) -> Iterator[Run]:
    """Reading lineitem of which one row in a hundred is marked as deleted, and without marks."""
    marking = WAYS[1]
    warehouse = opened(marking, place.folder / "reading", SETTINGS)
    given = with_properties(marking, warehouse.create_table)
    load_table(warehouse, place.data, "lineitem", "marked", **given)
    load_table(warehouse, place.data, "lineitem", "unmarked", **given)
    warehouse.sql(f"DELETE FROM marked WHERE {_one_in(100)}")
    every = ", ".join(c.strip() for c in TABLES["lineitem"].split(","))
    reads = {
        "all columns": f"SELECT count(*), sum(hash({every})) FROM {{}}",
        "one column": "SELECT count(*), sum(hash(l_quantity)) FROM {}",
    }
    for number in range(-1, rounds):  # the first one warms up
        for what, text in reads.items():
            for name, table in ((MARKED, "marked"), (UNMARKED, "unmarked")):
                cost, said = costs(partial(_collected, warehouse, text.format(table)))
                if number >= 0:
                    yield Run(place.scale, READING, what, name, cost, said, number=number)


def _one_in(rows: int) -> str:
    return f"pmod(xxhash64(l_orderkey, l_linenumber), {rows}) = 0"


def _collected(warehouse: ev.Warehouse, text: str) -> Said:
    warehouse.sql(text).collect()
    return Said(1)


def soak(grid: Grid, refreshes: int, save: Callable[[list[Run]], None]) -> None:
    """Many refreshes in a row, each after a small change, and what reading costs after each."""
    for number in range(refreshes):
        runs = grid.run(SOAKED, number)
        save([replace(r, cell=f"{SOAK}: {r.cell}") for r in runs])
