"""Random views on Spark, each from one number; what fails is told as a refresh script.

python -m tests.fuzz.run [--cases 50] [--seed 1]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from contextlib import ExitStack
from unittest.mock import patch

from pyspark.sql import SparkSession

from everview.choose import changes
from everview.optimize import parts
from tests.corpus.report import corpus_session, say
from tests.fuzz.case import Case, warehouse
from tests.fuzz.counts import ENOUGH, Counts


def play(seed: int, spark: SparkSession, counts: Counts) -> None:
    """The case of one number; an error has its script in the notes.

    Every other one as if its tables were large: none is read at a second snapshot where the changes
    say what it held, and what several terms read is computed once.
    """
    with ExitStack() as stack:
        if seed % 2:
            counts.of["cases with large tables"] += 1
            for module in (changes, parts):
                stack.enter_context(patch.object(module, "MOST_READ_AGAIN", -1))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        wh = stack.enter_context(warehouse(spark, f"{folder}/fuzz"))
        Case(seed, wh, counts).play()


def told(seed: int, error: Exception) -> str:
    """A failure: the number, what went wrong, and the script."""
    what = "".join(traceback.format_exception_only(error))
    return f"FAILED: make fuzz-spark N=1 SEED={seed}\n{what}"


def main() -> int:
    """Play the cases and tell what was met; 1 if one failed, or a long run met too little."""
    parser = argparse.ArgumentParser(prog="make fuzz-spark", description=__doc__)
    parser.add_argument("--cases", type=int, default=50)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the first case")
    options = parser.parse_args()
    counts, failed = Counts(), 0
    with tempfile.TemporaryDirectory() as folder:
        spark = corpus_session(folder)
        for seed in range(options.seed, options.seed + options.cases):
            begun = time.perf_counter()
            try:
                play(seed, spark, counts)
                say(f"seed {seed} passed in {time.perf_counter() - begun:.1f} s")
            except Exception as error:  # the others are still worth playing
                failed += 1
                say(told(seed, error))
        spark.stop()
    missed = list(counts.missed()) if options.cases >= ENOUGH else []
    say("", *counts.lines(), *(f"TOO LITTLE: {m}" for m in missed), f"{failed} failed")
    return int(failed > 0 or bool(missed))


if __name__ == "__main__":
    sys.exit(main())
