"""Which columns rows of several versions of a table have in common with the newest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from everview.facts.schema import Schema
from everview.facts.tables import Lost


class ShapedVersion(Protocol):
    """Columns and partition columns of a table at a version."""

    @property
    def schema(self) -> Schema: ...

    @property
    def partition_by(self) -> tuple[str, ...]: ...


def common_columns(
    versions: Iterable[tuple[int, ShapedVersion]],
    newest: ShapedVersion,
    wanted: tuple[str, ...] | None,
) -> Schema | Lost:
    """The newest columns if rows of all versions fit them (one that came later is NULL in older
    rows), else those wanted if at least they fit, else why not.
    """
    older = tuple(versions)
    misfit = _misfit(older, newest, None)
    if not misfit:
        return newest.schema
    if wanted is None:
        return Lost(misfit)
    misfit = _misfit(older, newest, wanted)
    if misfit:
        return Lost(misfit)
    kept = {*wanted, *newest.partition_by}
    return newest.schema.only(tuple(n for n in newest.schema.names if n in kept))


def _misfit(
    versions: tuple[tuple[int, ShapedVersion], ...],
    newest: ShapedVersion,
    wanted: tuple[str, ...] | None,
) -> str:
    reasons = (_why_unfit(shape, newest, version, wanted) for version, shape in versions)
    return next(filter(None, reasons), "")


def _why_unfit(
    before: ShapedVersion, after: ShapedVersion, version: int, wanted: tuple[str, ...] | None
) -> str:
    if before.partition_by != after.partition_by:
        return f"the table was partitioned anew after version {version}"
    for column in before.schema.fields:
        if wanted is not None and column.name not in wanted:
            continue
        if column.name not in after.schema:
            return f"the column {column.name!r} of version {version} was dropped"
        if after.schema[column.name].type != column.type:
            return (
                f"the column {column.name!r} was {column.type} at version {version} "
                f"and is {after.schema[column.name].type} now"
            )
    missing = [n for n in wanted or () if n not in before.schema and n in after.schema]
    return f"the column {missing[0]!r} came after version {version}" if missing else ""
