"""The committed kinds of Spark's functions are those that the session's Spark says."""

from __future__ import annotations

from pyspark.sql import SparkSession

from everview.sql import spark_functions
from tools.spark_functions import FILE, Asked, Kind, calls, written

WRITTEN_FOR = "4.1."


def test_the_kinds_are_what_spark_says(spark: SparkSession) -> None:
    asked = Asked(spark)
    sets = asked.sets()
    if spark.version.startswith(WRITTEN_FOR):
        assert FILE.read_text() == written(sets), "stale: run `make functions`"
    for name, names in sets.items():
        ours = getattr(spark_functions, name) & asked.texts.keys()
        new = names - _committed()
        assert ours == names - new, f"{name} of Spark {spark.version}"


def _committed() -> frozenset[str]:
    sets = (getattr(spark_functions, kind.value) for kind in Kind)
    return frozenset[str]().union(*sets)


def test_a_call_is_found_with_the_from_of_its_query() -> None:
    text = "      > SELECT hex(f(g(c), ')')) FROM\n VALUES (1) AS t(c) GROUP BY c;\n       1"
    (call,) = calls("f", text)
    assert call.text == "f(g(c), ')')"
    assert call.inside == {"g"}
    assert " ".join(call.source.split()) == "FROM VALUES (1) AS t(c)"


def test_a_call_in_from_has_none() -> None:
    (call,) = calls("f", "> SELECT * FROM f(1);")
    assert (call.text, call.source) == ("f(1)", "")
