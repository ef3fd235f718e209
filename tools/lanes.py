"""Run make targets two at a time; each line of their output carries the name of its target.

    python tools/lanes.py test-connect test-spark-use ...

The exit code is 1 if one of them failed; the others still run to their end.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import deque

LANES = 2  # one per core of the smallest machine that checks a change


def main(targets: list[str]) -> int:
    waiting, failed = deque(targets), list[str]()
    width = max(map(len, targets), default=0)

    def lane() -> None:
        while True:
            try:
                target = waiting.popleft()
            except IndexError:
                return
            begun = time.perf_counter()
            code = _run(target, f"{target:<{width}} | ")
            said = "passed" if code == 0 else f"FAILED ({code})"
            print(f"== {target} {said} in {time.perf_counter() - begun:.0f} s", flush=True)
            if code != 0:
                failed.append(target)

    lanes = [threading.Thread(target=lane) for _ in range(LANES)]
    for one in lanes:
        one.start()
    for one in lanes:
        one.join()
    if failed:
        print(f"failed: {', '.join(failed)}", flush=True)
    return 1 if failed else 0


def _run(target: str, prefix: str) -> int:
    """Run one target, its output line by line under the prefix; gives its exit code."""
    with subprocess.Popen(
        ["make", "--no-print-directory", target],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(prefix + line, end="", flush=True)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
