"""Under which names a view's log records the versions that its rows are of."""

from __future__ import annotations

SELF = "everview:self"


def source_app(source_id: str) -> str:
    """The application id under which a source's version is recorded."""
    return f"everview:{source_id}"
