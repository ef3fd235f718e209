"""Partition values as text: in the log, and one spelling for readers."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from everview.facts.files import DataFile
from everview.lake.delta.log import Metadata

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
