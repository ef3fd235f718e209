"""What the tables of a benchmark mean to whoever draws rows for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

Row = dict[str, Any]
Rows = dict[str, list[Row]]  # by table


@dataclass(frozen=True)
class Model:
    """What a benchmark's tables mean: which are facts, and what its keys point at."""

    pool: Mapping[str, list[Row]]  # per table, rows of the official generator
    types: Mapping[str, pa.Schema]
    keys: Mapping[str, str]  # how a foreign key's name ends, and the table it points at
    facts: tuple[str, ...]
    calendar: str | None  # the table whose rows are taken as they are
    numbers: tuple[str, ...]  # how a key's name ends that no table defines, such as a ticket's
    shared: tuple[str, ...]  # how a name ends of which few values are used, such as a state's

    def target(self, column: str) -> str | None:
        """What the column points at: a table, or itself if no table defines it."""
        tables = {**self.keys, **{end: end for end in self.numbers}}
        return next((t for end, t in tables.items() if column.endswith(end)), None)
