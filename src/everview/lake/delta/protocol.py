"""What a table asks of its readers and writers: features, by name or by an older number."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from deltalake import DeltaTable

from everview.facts.tables import MARKS_PROPERTY

VECTORS_FEATURE = "deletionVectors"
ENABLED = MARKS_PROPERTY
NTZ = "timestampNtz"

_WITH_FEATURES = (3, 7)  # reader and writer versions that list features by name
# What the older numbers ask of writers without naming it, each with all that is before it.
_IMPLIED = {
    2: ("appendOnly", "invariants"),
    3: ("checkConstraints",),
    4: ("changeDataFeed", "generatedColumns"),
    5: ("columnMapping",),
    6: ("identityColumns",),
}
_COLUMN_MAPPING_READER = 2
# What the Delta library can write too; rows are never checked against constraints here.
_WRITABLE = frozenset(
    {
        *("appendOnly", "invariants", "checkConstraints", "changeDataFeed", "generatedColumns"),
        *("columnMapping", NTZ, VECTORS_FEATURE),
    }
)


def has_vectors(table: DeltaTable) -> bool:
    """Whether files of the table may have deletion vectors."""
    return VECTORS_FEATURE in (table.protocol().reader_features or ())


def names_features(table: DeltaTable) -> bool:
    """Whether the table lists what it asks for by name, rather than by an older number."""
    return bool(table.protocol().min_writer_version >= _WITH_FEATURES[1])


def writer_features(table: DeltaTable) -> frozenset[str]:
    """All that the table asks of its writers, by name."""
    protocol = table.protocol()
    if protocol.min_writer_version >= _WITH_FEATURES[1]:
        return frozenset(protocol.writer_features or ())
    return _implied(protocol.min_writer_version)


def raised(table: DeltaTable, features: Iterable[str]) -> list[dict[str, Any]]:
    """The protocol action that adds features of readers and writers; none if all are there."""
    protocol = table.protocol()
    new = frozenset(features)
    reader, writer = _WITH_FEATURES
    read, written = frozenset(protocol.reader_features or ()), writer_features(table)
    if new <= read and new <= written:
        return []
    if protocol.min_reader_version == _COLUMN_MAPPING_READER:
        read |= {"columnMapping"}
    return [
        {
            "protocol": {
                "minReaderVersion": reader,
                "minWriterVersion": writer,
                "readerFeatures": sorted(read | new),
                "writerFeatures": sorted(written | new),
            }
        }
    ]


def lowered(table: DeltaTable) -> dict[str, Any]:
    """The protocol action without deletion vectors: an older number where that says the same."""
    protocol = table.protocol()
    read = frozenset(protocol.reader_features or ()) - {VECTORS_FEATURE}
    written = writer_features(table) - {VECTORS_FEATURE}
    reader, writer = _WITH_FEATURES
    if read:
        lists = {"readerFeatures": sorted(read), "writerFeatures": sorted(written)}
        return {"protocol": {"minReaderVersion": reader, "minWriterVersion": writer, **lists}}
    for at in (1, *_IMPLIED):
        if written == _implied(at):
            return {"protocol": {"minReaderVersion": 1, "minWriterVersion": at}}
    lists = {"writerFeatures": sorted(written)}
    return {"protocol": {"minReaderVersion": 1, "minWriterVersion": writer, **lists}}


def _implied(writer_version: int) -> frozenset[str]:
    names = (names for at, names in _IMPLIED.items() if at <= writer_version)
    return frozenset(name for some in names for name in some)


def why_not_write(table: DeltaTable, *, deletes: bool) -> str:
    """What forbids a commit of our own on the table, "" if nothing does."""
    unknown = sorted(writer_features(table) - _WRITABLE)
    if unknown:
        return f"the table at {table.table_uri} asks its writers for {', '.join(unknown)}"
    if deletes and table.metadata().configuration.get("delta.appendOnly") == "true":
        return f"the table at {table.table_uri} is append-only (delta.appendOnly = true)"
    return ""


def why_not_mark(table: DeltaTable) -> str:
    """Why rows of the table cannot be deleted by vectors, "" if they can."""
    why = why_not_write(table, deletes=True)
    if not why and table.metadata().configuration.get(ENABLED) == "false":
        return f"the table at {table.table_uri} forbids deletion vectors ({ENABLED} = false)"
    return why
