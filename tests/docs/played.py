"""A page whose Python blocks are run in order, each followed by what it prints."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"

_BLOCK = re.compile(
    r"^```python\n(.*?)^```\n(?:\n^```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL
)
# What differs from run to run: durations, sizes, shares, ages, moments and ids.
_VARIES = (
    (re.compile(r"\b\d+ min( \d+ s)?\b|\b\d+(\.\d+)? s\b"), "# s"),
    (re.compile(r"\b\d+(\.\d+)? (B|kB|MB)\b"), "# bytes"),
    (re.compile(r"\b(less than )?\d+ %"), "# %"),
    (re.compile(r"# s ago\b|\bnow\b"), "# ago"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?"), "#"),
    (re.compile(r"\b[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}\b"), "#"),
    (re.compile(r" {2,}"), " "),
)


@dataclass(frozen=True, slots=True)
class Block:
    """Python of a page, what the page says that it prints, and where."""

    code: str
    said: str
    line: int
    start: int
    end: int


def blocks(text: str) -> list[Block]:
    """The Python blocks of a page; one that is followed by no `text` block prints nothing."""
    return [
        Block(m[1], m[2] or "", text[: m.start()].count("\n") + 2, m.start(), m.end())
        for m in _BLOCK.finditer(text)
    ]


def played(text: str) -> Iterator[tuple[Block, str]]:
    """Run the blocks in one namespace, in the current folder; each with what it printed."""
    namespace: dict[str, Any] = {"__name__": "tutorial"}
    for block in blocks(text):
        printed = io.StringIO()
        # As many empty lines before it that a traceback names the line of the page.
        code = compile("\n" * (block.line - 1) + block.code, str(TUTORIAL), "exec")
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)
        yield block, printed.getvalue()


def normal(output: str) -> list[str]:
    """The lines of an output, with a sign for what differs from run to run."""
    for pattern, sign in _VARIES:
        output = pattern.sub(sign, output)
    return [line.rstrip() for line in output.strip().splitlines()]


def rewritten(text: str) -> str:
    """The page with what its blocks print today."""
    parts, done = [], 0
    for block, printed in played(text):
        said = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())
        shown = f"\n```text\n{said}```\n" if said else ""
        parts += [text[done : block.start], f"```python\n{block.code}```\n{shown}"]
        done = block.end
    return "".join([*parts, text[done:]])


if __name__ == "__main__":
    page = TUTORIAL.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        TUTORIAL.write_text(rewritten(page), encoding="utf-8")
    sys.stdout.write("docs/tutorial.md says what it prints\n")
