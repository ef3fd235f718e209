"""Run make targets two at a time and show each one's output when it ends.

    python tools/lanes.py test-connect test-spark-api ...

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
    waiting, failed, screen = deque(targets), list[str](), threading.Lock()

    def lane() -> None:
        while True:
            try:
                target = waiting.popleft()
            except IndexError:
                return
            begun = time.perf_counter()
            done = subprocess.run(
                ["make", "--no-print-directory", target],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
            seconds = time.perf_counter() - begun
            with screen:
                said = "passed" if done.returncode == 0 else f"FAILED ({done.returncode})"
                print(f"{done.stdout}\n== {target} {said} in {seconds:.0f} s\n", flush=True)
                if done.returncode != 0:
                    failed.append(target)

    lanes = [threading.Thread(target=lane) for _ in range(LANES)]
    for one in lanes:
        one.start()
    for one in lanes:
        one.join()
    if failed:
        print(f"failed: {', '.join(failed)}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
