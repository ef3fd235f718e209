"""The lakes that the contract is checked on."""

from __future__ import annotations

from pathlib import Path

import pytest

from everview.lake.port import LakeTable
from tests.lake.kits import SCHEMA, DeltaKit, Kit, MemoryKit


@pytest.fixture(params=["delta", "memory"])
def kit(request: pytest.FixtureRequest, tmp_path: Path) -> Kit:
    return DeltaKit(tmp_path) if request.param == "delta" else MemoryKit()


@pytest.fixture
def table(kit: Kit) -> LakeTable:
    return kit.lake.create(kit.uri(), SCHEMA, (), {"everview.table": "{}"})
