"""For the tests of your own pipelines: a view is incremental, and exact after every change."""

from __future__ import annotations

from everview.testing.assertions import assert_incremental, assert_refresh_exact
from everview.testing.temporary import temporary_warehouse

__all__ = ["assert_incremental", "assert_refresh_exact", "temporary_warehouse"]
