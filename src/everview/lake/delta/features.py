"""The reader features the embedded reader honours; every other one is refused by its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from everview.errors import UnsupportedFeature

# Row tracking and the like are writer features: they change nothing for a reader. Whether columns
# are mapped is told by a property of the table.
_READABLE = frozenset({"deletionVectors", "timestampNtz", "columnMapping"})
_NEWEST_READER = 3
_REMEDY = (
    "Read the table through Delta's own connector for Spark (io.delta:delta-spark) "
    "or have its owner drop the feature."
)


def check_features(uri: str, reader_version: int, features: Iterable[str]) -> None:
    """Raise UnsupportedFeature naming what a reader of this table would have to know."""
    if reader_version > _NEWEST_READER:
        raise UnsupportedFeature(
            f"the table at {uri} asks for a reader of version {reader_version}, "
            f"the embedded one is of version {_NEWEST_READER}",
            remedy=_REMEDY,
        )
    unknown = sorted(set(features) - _READABLE)
    if unknown:
        raise _refusal(uri, ", ".join(unknown))


def check_configuration(uri: str, configuration: Mapping[str, str]) -> None:
    """Column mapping is told by a property: its feature alone changes nothing."""
    mode = configuration.get("delta.columnMapping.mode") or "none"
    if mode != "none":
        raise _refusal(uri, f"columnMapping (delta.columnMapping.mode = {mode})")


def _refusal(uri: str, features: str) -> UnsupportedFeature:
    return UnsupportedFeature(f"the table at {uri} uses {features}", remedy=_REMEDY)
