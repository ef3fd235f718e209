"""The one place that says which table format a warehouse is kept in."""

from __future__ import annotations

from collections.abc import Mapping

from everview.lake.delta.table import EmbeddedDelta
from everview.lake.port import Lake


def lake_for(storage_options: Mapping[str, str]) -> Lake:
    """The lake of a warehouse; the options are those of its object store."""
    return EmbeddedDelta(storage_options)
