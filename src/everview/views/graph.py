"""Views over views: what must be refreshed before what."""

from __future__ import annotations

from collections.abc import Mapping


def refresh_order(wanted: list[str], sources: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The wanted views and all views below them, sources first; `sources` are each view's own."""
    done: dict[str, None] = {}

    def visit(name: str) -> None:
        if name in done:
            return
        for below in sources[name]:
            if below in sources:
                visit(below)
        done[name] = None

    for name in wanted:
        visit(name)
    return list(done)


def readers(name: str, sources: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The views that read a table or view directly."""
    return sorted(view for view, names in sources.items() if name in names)
