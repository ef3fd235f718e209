"""What every commit says of its files, whoever writes it into the log."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from typing import Any

from everview.facts.files import DataFile, TableFile
from everview.facts.schema import Schema
from everview.facts.tables import Commit
from everview.lake.delta.stats import stats_json

# What a line of the log says, or what stands in it below the name of its kind.
Action = dict[str, Any]


def user_metadata(commit: Commit, schema: Schema) -> str:
    """Our own JSON in the commit's user metadata."""
    own = {
        **commit.metadata,
        "token": commit.token,
        "operation": commit.operation,
        "minus": [_named(file, schema) for file in data_files(commit.minus)],
        "plus": [_named(file, schema) for file in data_files(commit.plus)],
        "has_change_files": commit.has_change_files,
    }
    return json.dumps({"everview": own})


def _named(file: DataFile, schema: Schema) -> dict[str, Any]:
    return {
        "path": file.path,
        "size": file.size,
        "rows": file.rows,
        "partition": [list(pair) for pair in file.partition],
        "stats": stats_json(file, schema),
    }


def data_files(files: Iterable[TableFile]) -> Iterator[DataFile]:
    """The files as Parquet files; a Delta table holds no others."""
    for file in files:
        if not isinstance(file, DataFile):
            raise TypeError(f"a Delta table holds Parquet files, not {type(file).__name__}")
        yield file


def milliseconds_now() -> int:
    return time.time_ns() // 1_000_000
