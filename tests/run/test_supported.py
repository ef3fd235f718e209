"""A Spark that is too old is refused when a warehouse is opened."""

from __future__ import annotations

import pytest

from everview.errors import SparkTooOld
from everview.spark.engine import require_supported


@pytest.mark.parametrize("version", ["4.0.0", "4.1.4", "4.3.0-SNAPSHOT", "4.0.1-amzn-0"])
def test_supported(version: str) -> None:
    require_supported(version)


@pytest.mark.parametrize("version", ["3.5.7", "2.4.8"])
def test_too_old(version: str) -> None:
    with pytest.raises(SparkTooOld, match=version):
        require_supported(version)
