"""Queries of TPC-H and TPC-DS as materialized views, refreshed after random changes.

python -m tests.corpus.views [tpcds-14 ...] [--jobs 2]
"""

from __future__ import annotations

import argparse
import sys
import tempfile

from tests.corpus.benchmarks import TPCDS, TPCH
from tests.corpus.report import Told, corpus_session, say, summary
from tests.corpus.view_rounds import Played


def main() -> int:
    """Play the queries named, or all; 1 if one is wrong or fell back."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.views", description=__doc__)
    parser.add_argument("ids", nargs="*", help="such as tpch-03 or tpcds-14; all without any")
    parser.add_argument("--jobs", type=int, default=2, help="views refreshed at a time")
    options = parser.parse_args()
    all_: list[Told] = []
    with tempfile.TemporaryDirectory() as folder:
        spark = corpus_session(folder)
        for benchmark in (TPCH, TPCDS):
            ids = [i for i in benchmark.queries() if i in (options.ids or benchmark.queries())]
            if not ids:
                continue
            with Played(spark, folder, benchmark, options.jobs) as played:
                for kept in played.play(ids):
                    all_.append(Told(benchmark.name, kept.id, kept))
                    say(all_[-1].line())
        say("", *summary(all_))
        spark.stop()
    return int(any(t.failed for t in all_))


if __name__ == "__main__":
    sys.exit(main())
