"""The examples in the documentation of Spark's functions, each lowered and written back.

python -m tests.corpus.functions > tests/corpus/functions_refused.txt
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import sqlglot
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from sqlglot.tokenizer_core import TokenType

from everview.errors import EverviewError
from everview.run.understand.define import spark_message
from everview.settings import Settings
from everview.spark.engine import SMALL, Engine, sql_over
from everview.spark.local import local_session
from everview.sql.read.dialect import EverviewSpark
from tests.corpus.round_trip import Outcome, Pair, collectable, compared, failed, written_back
from tools.spark_functions import descriptions, examples

REFUSED = Path(__file__).parent / "functions_refused.txt"
_AT_ONCE = 40

# Small queries run once each: compiling them costs more than running them. One partition keeps
# the order of rows for functions that show it.
_QUICK = {
    **SMALL,
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.shuffle.partitions": "1",
    # What Spark 4.1 has, but not yet switched on.
    "spark.sql.geospatial.enabled": "true",
    "spark.sql.timeType.enabled": "true",
}

_CHANCE, _CLOCK, _PLACE = "random", "reads the clock", "says where a row is computed"

# Two runs of the same text differ, so that only names and types are compared.
SCHEMA_ONLY = {
    **dict.fromkeys(("aes_encrypt", "rand", "randn", "random", "randstr", "shuffle"), _CHANCE),
    **dict.fromkeys(("uniform", "uuid", "java_method", "reflect", "try_reflect"), _CHANCE),
    **dict.fromkeys(("curdate", "current_date", "current_time", "current_timestamp"), _CLOCK),
    **dict.fromkeys(("localtimestamp", "now", "unix_timestamp"), _CLOCK),
    **dict.fromkeys(("monotonically_increasing_id", "spark_partition_id"), _PLACE),
}


def all_examples(spark: SparkSession) -> dict[str, str]:
    """The texts of the examples by name, as `array_agg/1`."""
    return {
        f"{function}/{i}": text
        for function, description in sorted(descriptions(spark).items())
        for i, text in enumerate(examples(description), 1)
    }


def run(engine: Engine) -> Iterator[tuple[str, Outcome]]:
    """Name and outcome of every example, or of one in EVERVIEW_FUNCTIONS_SHARE."""
    share = int(os.environ.get("EVERVIEW_FUNCTIONS_SHARE", "1"))
    chosen = list(all_examples(engine.caller).items())[::share]
    for i in range(0, len(chosen), _AT_ONCE):
        with engine.settings(_QUICK):
            outcomes = _outcomes(engine, dict(chosen[i : i + _AT_ONCE]))
        yield from outcomes.items()


def _outcomes(engine: Engine, texts: dict[str, str]) -> dict[str, Outcome]:
    """What becomes of some examples; those to be executed are executed together."""
    read = {name: _read(engine, text) for name, text in texts.items()}
    pairs = {name: pair for name, pair in read.items() if isinstance(pair, Pair)}
    theirs = _collected(engine.own, [pair.theirs for pair in pairs.values()])
    ours = _collected(engine.own, [pair.ours for pair in pairs.values()])
    outcomes = {name: outcome for name, outcome in read.items() if isinstance(outcome, Outcome)}
    for (name, pair), found, expected in zip(pairs.items(), ours, theirs, strict=True):
        outcomes[name] = _executed(pair, found, expected)
    return {name: outcomes[name] for name in texts}


def _read(engine: Engine, text: str) -> Pair | Outcome:
    try:
        pair = written_back(engine, text, {})
    except PySparkException as error:
        return Outcome("left out", spark_message(error))
    except EverviewError as error:
        return _unparsed(engine.own, text, error)
    reason = schema_only(text)
    if isinstance(pair, Pair) and reason:
        return Outcome("lowered", f"only names and types: {reason}", seconds=pair.seconds)
    return pair


def _unparsed(spark: SparkSession, text: str, error: EverviewError) -> Outcome:
    try:
        spark.sql(text)
    except PySparkException as invalid:
        return Outcome("left out", spark_message(invalid))
    return Outcome("refused", f"it is not parsed: {error.what}")


def schema_only(text: str) -> str:
    """Why two runs of the text differ, "" if they do not."""
    tokens = sqlglot.tokenize(text, dialect=EverviewSpark)
    words = [t.text.lower() for t in tokens if t.token_type is not TokenType.STRING]
    return next((SCHEMA_ONLY[word] for word in words if word in SCHEMA_ONLY), "")


def _collected(spark: SparkSession, frames: list[DataFrame]) -> list[list[Row] | PySparkException]:
    """The rows of each frame by one query over all, or one by one where that fails."""
    named = {f"f{i}": collectable(frame) for i, frame in enumerate(frames)}
    items = [f"(SELECT collect_list(struct(q.*)) FROM {{{name}}} AS q) AS {name}" for name in named]
    if not items:
        return []
    try:
        return list(sql_over(spark, f"SELECT {', '.join(items)}", named).collect()[0])
    except (PySparkException, Py4JError):  # the latter where a subquery fails
        return [_rows(frame) for frame in named.values()]


def _rows(frame: DataFrame) -> list[Row] | PySparkException:
    try:
        return frame.collect()
    except PySparkException as error:
        return error


def _executed(
    pair: Pair, found: list[Row] | PySparkException, expected: list[Row] | PySparkException
) -> Outcome:
    if isinstance(expected, PySparkException):
        return Outcome("left out", spark_message(expected))
    if isinstance(found, PySparkException):
        return failed(found, pair.seconds)
    return compared(pair, found, expected)


def refused() -> dict[str, str]:
    """The listed reasons by the name of the example."""
    lines = (line.partition(" => ") for line in REFUSED.read_text().splitlines()[1:])
    return {name: reason for name, _, reason in lines}


def main() -> None:
    """Print the list of what is refused; the counts, and what is wrong, go to stderr."""
    print("Examples of Spark's functions that are not lowered, each with its reason.")  # noqa: T201
    counts: Counter[str] = Counter()
    for name, outcome in run(Engine(local_session(Settings()))):
        counts[outcome.status] += 1
        if outcome.status == "refused":
            print(f"{name} => {outcome.reason}")  # noqa: T201
        elif outcome.status in ("wrong", "left out"):
            print(f"{outcome.status}: {name}: {outcome.reason}", file=sys.stderr)  # noqa: T201
    print(dict(counts), file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    main()
