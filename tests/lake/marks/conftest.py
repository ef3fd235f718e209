"""A table of one file, for deletion vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from everview.lake.delta.table import EmbeddedTable
from tests.lake.marks.marking import made


@pytest.fixture
def table(tmp_path: Path) -> EmbeddedTable:
    return made(tmp_path / "t")
