"""Which views a pattern means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from everview.errors import UnknownName

ABOVE = "+"


def selected(
    patterns: Iterable[str], views: Sequence[str], sources: Mapping[str, Iterable[str]]
) -> list[str]:
    """The views that match a glob pattern of names, in the order of `views`; `name+` takes the
    views above too. UnknownName if a pattern matches none.

    `sources` gives the names that each view reads; names are one name whatever their case.
    """
    chosen: set[str] = set()
    for pattern in patterns:
        wanted = pattern.removesuffix(ABOVE).lower()
        found = {v for v in views if fnmatchcase(v.lower(), wanted)}
        if not found:
            raise UnknownName(
                f"No view matches `{pattern}`.",
                remedy=f"Views: {', '.join(views) or 'none yet'}.",
            )
        chosen |= _with_above(found, sources) if pattern.endswith(ABOVE) else found
    return [v for v in views if v in chosen]


def _with_above(found: set[str], sources: Mapping[str, Iterable[str]]) -> set[str]:
    """The views and all that read them, directly or not."""
    while True:
        names = {v.lower() for v in found}
        more = {v for v, read in sources.items() if names & {r.lower() for r in read}} - found
        if not more:
            return found
        found = found | more
