"""The pytest fixture `warehouse`: write `pytest_plugins = ["everview.testing.plugin"]`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import everview
from everview.testing.temporary import temporary_warehouse


@pytest.fixture
def warehouse() -> Iterator[everview.Warehouse]:
    """An empty warehouse for one test, on the running Spark session or a new one."""
    with temporary_warehouse() as made:
        yield made
