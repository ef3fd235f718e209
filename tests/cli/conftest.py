"""The warehouse that every command opens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import everview
from tests.cli.fakes import FakeWarehouse, shop


@pytest.fixture
def wh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeWarehouse:
    """The warehouse that every command opens."""
    warehouse = shop()

    def opened(path: str, **options: Any) -> FakeWarehouse:
        warehouse.asked.append((path, options))
        return warehouse

    monkeypatch.setattr(everview, "open", opened)
    monkeypatch.setenv("EVERVIEW_WAREHOUSE", "lake")
    monkeypatch.chdir(tmp_path)
    return warehouse
