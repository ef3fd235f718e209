"""The queries of TPC-H and TPC-DS from DuckDB's packages, adapted to Spark, and tables for them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

import duckdb
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from everview.spark.engine import SMALL, Engine
from everview.sql.read.parse import parse_query, table_references
from tests.corpus.benchmark_model import Model
from tests.corpus.benchmark_rows import Draw, random_tables
from tests.corpus.round_trip import Outcome, round_trip

# Small queries run once each: compiling, distributing and improving them costs more than running
# them; over tables of one partition nothing is shuffled.
QUICK = {
    **SMALL,
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.constraintPropagation.enabled": "false",
}

# How the rows of queries are drawn whose conditions seldom hold: found by trying.
DRAWS: dict[str, Draw] = {
    "tpch-12": (1, 0),
    "tpch-15": (1, 0),
    "tpch-17": (1, 0),
    "tpch-18": (4, 0),
    "tpch-21": (1, 0),
    "tpcds-04": (6, 17),
    "tpcds-06": (5, 5),
    "tpcds-08": (5, 0),
    "tpcds-16": (3, 0),
    "tpcds-19": (1, 0),
    "tpcds-21": (3, 0),
    "tpcds-23": (4, 0),
    "tpcds-25": (1, 0),
    "tpcds-31": (5, 1),
    "tpcds-34": (6, 4),
    "tpcds-39": (4, 1),
    "tpcds-57": (2, 0),
    "tpcds-58": (6, 9),
    "tpcds-69": (3, 1),
    "tpcds-72": (2, 0),
    "tpcds-90": (7, 0),
    "tpcds-94": (1, 0),
    "tpcds-95": (1, 0),
}


@dataclass(frozen=True, eq=False)
class Benchmark:
    """A benchmark: how its generator is called, and what its tables mean."""

    name: str
    generate: str
    keys: Mapping[str, str]
    facts: tuple[str, ...]
    calendar: str | None = None
    numbers: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()

    def queries(self) -> dict[str, str]:
        """The texts in Spark's SQL by id, such as `tpch-01`."""
        return {id_: adapted(text) for id_, text in _official(self).items()}

    def is_key(self, column: str) -> bool:
        """Whether the column is the key of a table or points at one."""
        return column.endswith((*self.keys, *self.numbers))

    def run(self, engine: Engine) -> Iterator[tuple[str, Outcome]]:
        """Id and outcome of every query in turn."""
        frames = self.tables(engine.own)
        for id_, text in self.queries().items():
            yield id_, outcome(engine, text, frames)

    def tables(self, spark: SparkSession) -> dict[str, DataFrame]:
        """Small tables over which nearly every query has rows, the same each time."""
        tables = _arrow(self).items()
        return {name: spark.createDataFrame(table).coalesce(1) for name, table in tables}


TPCH = Benchmark(
    "tpch",
    "CALL dbgen(sf=0.001)",
    keys={
        "_orderkey": "orders",
        "_partkey": "part",
        "_suppkey": "supplier",
        "_custkey": "customer",
        "_nationkey": "nation",
        "_regionkey": "region",
    },
    facts=("lineitem", "partsupp"),
)

TPCDS = Benchmark(
    "tpcds",
    "CALL dsdgen(sf=0.01)",
    keys={
        "_date_sk": "date_dim",
        "_time_sk": "time_dim",
        "_item_sk": "item",
        "_customer_sk": "customer",
        "_cdemo_sk": "customer_demographics",
        "_hdemo_sk": "household_demographics",
        "_addr_sk": "customer_address",
        "_store_sk": "store",
        "_promo_sk": "promotion",
        "_call_center_sk": "call_center",
        "_catalog_page_sk": "catalog_page",
        "_ship_mode_sk": "ship_mode",
        "_warehouse_sk": "warehouse",
        "_reason_sk": "reason",
        "_web_page_sk": "web_page",
        "_web_site_sk": "web_site",
        "_income_band_sk": "income_band",
    },
    facts=(
        "store_sales",
        "store_returns",
        "catalog_sales",
        "catalog_returns",
        "web_sales",
        "web_returns",
        "inventory",
    ),
    calendar="date_dim",
    numbers=("_ticket_number", "_order_number"),
    shared=("_zip", "_county", "_state"),
)


def outcome(engine: Engine, text: str, frames: Mapping[str, DataFrame]) -> Outcome:
    """What became of one query over those of the tables that it names."""
    try:
        named = {table.name.lower() for table in table_references(parse_query(text))}
        used = {name: frame for name, frame in frames.items() if name in named}
        with engine.settings(QUICK):
            return round_trip(engine, text, used)
    except Exception as error:  # one query that fails does not keep the others from being told
        return Outcome("wrong", f"{type(error).__name__}: {error}".split("\n\nJVM")[0])


def without_limit(text: str) -> str:
    """Without the LIMIT at the end: which of equal rows it cuts off is anyone's choice."""
    return re.sub(r"\s*\bLIMIT\s+\d+\s*$", "", text, flags=re.IGNORECASE)


def without_semicolon(text: str) -> str:
    """Without the semicolon at the end: a view's definition is one query."""
    return text.strip().rstrip(";").rstrip()


def backquoted_names(text: str) -> str:
    """Names in double quotes as Spark quotes names: there double quotes hold a string."""
    return re.sub(r'"([^"`]*)"', r"`\1`", text)


ADAPTATIONS: tuple[Callable[[str], str], ...] = (
    without_semicolon,
    without_limit,
    backquoted_names,
)


def adapted(text: str) -> str:
    """An official text as Spark reads it; what it means stays, save the last LIMIT."""
    for adaptation in ADAPTATIONS:
        text = adaptation(text)
    return text


@functools.cache
def _official(benchmark: Benchmark) -> dict[str, str]:
    with _connect(benchmark) as duck:
        rows = duck.execute(f"SELECT query_nr, query FROM {benchmark.name}_queries()").fetchall()
    return {f"{benchmark.name}-{number:02}": text for number, text in sorted(rows)}


@functools.cache
def _arrow(benchmark: Benchmark) -> dict[str, pa.Table]:
    with _connect(benchmark) as duck:
        duck.execute(benchmark.generate)
        names = [name for (name,) in duck.execute("SHOW TABLES").fetchall()]
        pool = {name: duck.execute(_sample(name)).to_arrow_table() for name in names}
    model = Model(
        {name: table.to_pylist() for name, table in pool.items()},
        {name: table.schema for name, table in pool.items()},
        benchmark.keys,
        benchmark.facts,
        benchmark.calendar,
        benchmark.numbers,
        benchmark.shared,
    )
    return random_tables(model, _official(benchmark), DRAWS)


def _sample(table: str) -> str:
    """Rows enough to draw from: of the calendar the years that the queries ask for."""
    if table == "date_dim":
        return "SELECT * FROM date_dim WHERE d_year BETWEEN 1997 AND 2004 ORDER BY d_date_sk"
    return f"SELECT * FROM {table} ORDER BY ALL LIMIT 500"


def _connect(benchmark: Benchmark) -> duckdb.DuckDBPyConnection:
    """A connection with the benchmark's extension, which is a package of the environment."""
    package = find_spec(f"duckdb_extension_{benchmark.name}")
    assert package is not None
    assert package.submodule_search_locations
    folder = package.submodule_search_locations[0]
    duck = duckdb.connect(config={"threads": 1})
    file = f"{folder}/extensions/v{duckdb.__version__}/{benchmark.name}.duckdb_extension"
    duck.execute(f"LOAD '{file}'")
    return duck
