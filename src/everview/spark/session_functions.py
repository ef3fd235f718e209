"""Functions that users made in a Spark session or its catalog."""

from __future__ import annotations

from pyspark.sql import SparkSession


def user_functions(spark: SparkSession) -> tuple[frozenset[str], frozenset[str]]:
    """The names, in lower case, of the session's temporary functions and, without what stands in
    front of them, of those of its current database.
    """
    names = [str(row[0]).lower() for row in spark.sql("SHOW USER FUNCTIONS").collect()]
    temporary = frozenset(name for name in names if "." not in name)
    return temporary, frozenset(name.rpartition(".")[2] for name in names if "." in name)
