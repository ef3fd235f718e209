"""Before and after, in text files that a data engineer can read.

A pair is a line `# title`, the text before, a line `=>`, the text after.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def pairs(file: Path) -> list[object]:
    """The pairs of a file as parameters (before, after) of a test, each under its title."""
    found = []
    for block in file.read_text().split("\n# ")[1:]:
        title, _, rest = block.partition("\n")
        before, arrow, after = rest.partition("\n=>\n")
        assert arrow, f"{file.name}: {title}: no line =>"
        found.append(pytest.param(before.strip(), after.rstrip("\n"), id=title.strip()))
    assert found, f"{file.name} holds no pairs"
    return found
