"""Partition values as text: in the log, in folder names, and one spelling for readers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import unquote

from everview.facts.files import DataFile
from everview.lake.delta.log import Metadata

_HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
_ZONE = re.compile(r"(Z|[+-]\d\d:?\d\d)$")


def partition_text(value: Any, type_: str) -> str | None:
    """A partition value as Spark's CAST reads it, whatever the session's time zone."""
    match value:
        case None | "":
            return None
        case bool():
            return "true" if value else "false"
        case datetime():
            text = value.replace(tzinfo=None).isoformat(sep=" ", timespec="microseconds")
            return f"{text}Z" if type_ == "timestamp" else text
        case date():
            return value.isoformat()
        case Decimal():
            return format(value, "f")
        case bytes():
            return value.decode("utf-8")
    return str(value)


def shaped(file: DataFile, table: Metadata) -> DataFile:
    """A file of a commit with its partition values in the table's order and one spelling."""
    given = dict(file.partition)
    values = tuple(
        (name, _same_spelling(given.get(name), table.schema[name].type))
        for name in table.partition_by
    )
    return replace(file, partition=values)


def _same_spelling(text: str | None, type_: str) -> str | None:
    """Timestamps have two spellings in the log; without a zone they are in UTC."""
    if text is None or type_ not in ("timestamp", "timestamp_ntz"):
        return text
    zone = _ZONE.search(text) if type_ == "timestamp" else None
    moment = datetime.fromisoformat(text)
    offset = moment.utcoffset()
    if zone and offset:
        moment = moment - offset
    return partition_text(moment, type_)


def partition_of_path(path: str, below: str) -> Mapping[str, str | None]:
    """The values in the folder names Spark made below a folder; Hive escapes characters as %XX."""
    folders = path.removeprefix(below).strip("/").split("/")[:-1]
    pairs = (folder.split("=", 1) for folder in folders)
    return {unquote(name): None if value == _HIVE_NULL else unquote(value) for name, value in pairs}
