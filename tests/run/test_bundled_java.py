"""Spark runs on the Java from PyPI, classic and Connect, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from everview.spark.java import find_java

PROGRAM = """
import sys
from pyspark.sql import SparkSession

kind, folder = sys.argv[1:]
builder = SparkSession.builder.config("spark.ui.enabled", "false")
if kind == "connect":
    builder = builder.config("spark.connect.grpc.binding.port", "0").remote("local[1]")
else:
    builder = builder.master("local[1]")
spark = builder.getOrCreate()
spark.range(10).write.parquet(folder)
java = spark.sql("SELECT java_method('java.lang.System', 'getProperty', 'java.version')")
print(java.first()[0].split(".")[0], spark.read.parquet(folder).count())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("classic", marks=pytest.mark.spark),
        pytest.param("connect", marks=pytest.mark.connect),
    ],
)
def test_spark_starts_and_writes(tmp_path: Path, kind: str) -> None:
    bundled = find_java({"HOME": str(tmp_path)})
    # SPARK_TESTING lets the Connect client find the port that the server was given.
    environ = {"JAVA_HOME": bundled.home, "PATH": os.environ["PATH"], "SPARK_TESTING": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, kind, str(tmp_path / "rows")],
        env=environ,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.split() == ["21", "10"], done.stderr
