"""A program ends when its Connect session has stopped: ours do not wait for the server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys

import everview as ev
from everview.spark import java

java.prepare()
from pyspark.sql import SparkSession

builder = SparkSession.builder.config("spark.ui.enabled", "false")
spark = builder.config("spark.connect.grpc.binding.port", "0").remote("local[1]").getOrCreate()
with ev.open(sys.argv[1], spark=spark) as one, ev.open(sys.argv[1] + "2", spark=spark) as two:
    one.create_table("t", spark.range(3))
    two.create_table("u", spark.range(4))
    print(one.table("t").to_df().count(), two.table("u").to_df().count())
spark.stop()
print("stopped", flush=True)
"""


@pytest.mark.slow
@pytest.mark.connect
def test_a_program_ends_when_its_session_has_stopped(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "shop")],
        env={**os.environ, "SPARK_TESTING": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert done.stdout.split() == ["3", "4", "stopped"], done.stderr
    assert done.returncode == 0
