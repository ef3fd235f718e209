"""Views over views: what must be refreshed before what."""

from __future__ import annotations

from collections.abc import Mapping


def refresh_order(wanted: list[str], sources: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The wanted views and all views below them, sources first; `sources` are each view's own."""
    done: dict[str, None] = {}

    def visit(name: str) -> None:
        if name in done:
            return
        for below in views_below(name, sources):
            visit(below)
        done[name] = None

    for name in wanted:
        visit(name)
    return list(done)


def views_below(name: str, sources: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The views that a view reads itself."""
    return tuple(below for below in sources[name] if below in sources)


def readers(name: str, sources: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The views that read a table or view directly."""
    return sorted(view for view, names in sources.items() if name in names)


def all_readers(name: str, sources: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The views that read a table or view, directly or by way of others, those on top first."""
    found = set(readers(name, sources))
    todo = list(found)
    while todo:
        above = set(readers(todo.pop(), sources)) - found
        found |= above
        todo += above
    return [view for view in reversed(refresh_order(sorted(found), sources)) if view in found]


def find_circle(name: str, sources: Mapping[str, tuple[str, ...]]) -> list[str]:
    """A way from a view down to itself, empty if there is none."""
    paths = [[name]]
    while paths:
        path = paths.pop()
        for below in sources.get(path[-1], ()):
            if below == name:
                return [*path, name]
            if below not in path:
                paths.append([*path, below])
    return []
