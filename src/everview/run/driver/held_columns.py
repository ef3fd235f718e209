"""Columns of stored files that the driver has read, for what is looked up next."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a refresh with nothing to do needs no Arrow
    import pyarrow as pa

MOST_HELD = 256_000_000  # bytes


class HeldColumns:
    """Columns of files as they were read, for what is looked up next in the same files: what a
    table holds now, what it held before, what the next view of it needs. Up to a number of bytes;
    what comes later is read again.
    """

    def __init__(self, most: int = MOST_HELD) -> None:
        self._left = most
        self._held: dict[tuple[str, str], pa.ChunkedArray] = {}

    def find(self, path: str, name: str, type_: pa.DataType) -> pa.ChunkedArray | None:
        """A column of a file, None if it is not held."""
        held = self._held.get((path, name))
        return held if held is not None and held.type == type_ else None

    def hold(self, path: str, name: str, column: pa.ChunkedArray) -> None:
        if column.nbytes <= self._left:
            self._left -= column.nbytes
            self._held[path, name] = column
