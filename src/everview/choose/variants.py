"""What an incremental refresh applies, with what was decided for it: a value per variant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from everview.facts.methods import Variant

if TYPE_CHECKING:  # a refresh with nothing to do needs no plan
    from everview.aggregates.keyed import KeyedView
    from everview.apply.grouped import GroupedView


@dataclass(frozen=True, slots=True)
class AppendRows:
    """Insertions alone into a bag; the stored rows are not read."""

    variant = Variant.APPEND


@dataclass(frozen=True, slots=True)
class ChangeRows:
    """Net changes of a bag, row by row."""

    variant = Variant.ROWS


@dataclass(frozen=True, slots=True)
class ChangeGroups:
    """The change table of a keyed view; where rows may be gone, its extremes may be lost."""

    view: KeyedView
    may_lose: bool

    variant = Variant.GROUPS


@dataclass(frozen=True, slots=True)
class RecomputeGroups:
    """The touched groups of a keyed view, each computed from its rows whatever its changes say."""

    view: KeyedView

    variant = Variant.PARTITIONS


@dataclass(frozen=True, slots=True)
class ReplacePartitions:
    """The touched keys of a view whose rows are replaced key by key."""

    view: GroupedView

    variant = Variant.PARTITIONS


Applied = AppendRows | ChangeRows | ChangeGroups | RecomputeGroups | ReplacePartitions
