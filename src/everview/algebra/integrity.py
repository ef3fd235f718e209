"""What a plan may be built of: snapshots, and the checks every operator makes of itself."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from everview.algebra.scalars import Column, ColumnId


class At(Enum):
    """Which snapshot a scan reads: the one the stored view is exact at, or the one it moves to."""

    OLD = "old"
    NEW = "new"


class PlanError(Exception):
    """An operator that denotes nothing was about to be built; always a bug in a rule."""


def require(condition: bool, message: str) -> None:
    if not condition:
        raise PlanError(message)


def require_known(what: str, used: Iterable[ColumnId], columns: tuple[Column, ...]) -> None:
    missing = set(used) - {c.id for c in columns}
    if missing:  # the text is long, and every operator asks
        have = list(columns)
        raise PlanError(f"{what} reads columns {sorted(missing)}, its input has {have}")


def require_unique(what: str, columns: tuple[Column, ...]) -> None:
    if len({c.id for c in columns}) != len(columns):
        raise PlanError(f"{what} repeats a column: {columns}")
