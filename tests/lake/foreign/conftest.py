"""A Delta table of another writer."""

from __future__ import annotations

from pathlib import Path

import pytest
from deltalake import write_deltalake

from everview.lake.delta.table import EmbeddedDelta, EmbeddedTable
from tests.lake.foreign.log import rows


@pytest.fixture(params=["plain", "change data feed", "partitioned"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A foreign table of four rows in two files, versions 0 and 1."""
    path = tmp_path / "t"
    feed = {"delta.enableChangeDataFeed": "true"} if request.param == "change data feed" else None
    by = ["s"] if request.param == "partitioned" else None
    write_deltalake(path, rows((1, "a"), (2, "b")), configuration=feed, partition_by=by)
    write_deltalake(path, rows((3, "a"), (3, "a")), mode="append")
    return path


@pytest.fixture
def table(place: Path) -> EmbeddedTable:
    return EmbeddedDelta().open(str(place))
