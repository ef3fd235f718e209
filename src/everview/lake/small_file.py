"""A small file that is written as a whole, and read as it was before or after."""

from __future__ import annotations

from everview.lake.delta.put import put_over
from everview.lake.storage import Storage


def put_small_file(storage: Storage, path: str, content: bytes) -> None:
    """Put this in the place of what is there."""
    put_over(storage, path, content)
