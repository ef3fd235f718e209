"""The strategy that a person asks for, to compare it with the others."""

from __future__ import annotations

from enum import Enum

from everview.errors import InvalidArgument


class AskedStrategy(Enum):
    """How a refresh is to be done. AUTO: as costs and policy say. CHANGE_TABLES: how much each
    touched group changes is told to its stored row. INSERT_DELETE: old rows go and new rows come;
    those of groups are computed from the sources. TOUCHED_GROUPS: what changes touch is computed
    from the sources and takes the place of what is stored. FULL: everything is.
    """

    AUTO = "auto"
    CHANGE_TABLES = "change tables"
    INSERT_DELETE = "insert/delete"
    TOUCHED_GROUPS = "touched groups"
    FULL = "full"

    @property
    def is_by_changes(self) -> bool:
        """Whether it is one of those that start from what changed."""
        return self not in (AskedStrategy.AUTO, AskedStrategy.FULL)


STRATEGIES = tuple(strategy.value for strategy in AskedStrategy)


def asked_strategy(given: object, *, full: bool = False) -> AskedStrategy:
    """The strategy of this name; InvalidArgument if there is none, or if it contradicts `full`."""
    found = given if isinstance(given, AskedStrategy) else _NAMED.get(str(given).lower())
    if found is None:
        raise InvalidArgument(
            f"{given!r} is no strategy.", remedy=f"Give one of {', '.join(STRATEGIES)}."
        )
    if full and found.is_by_changes:
        raise InvalidArgument(
            f"full=True and the strategy {found.value!r} were both asked for.",
            remedy="Give one of them.",
        )
    return AskedStrategy.FULL if full else found


_NAMED = {strategy.value: strategy for strategy in AskedStrategy}
