"""The groups that a change touches, with what the refresh operator knows of each."""

from __future__ import annotations

from dataclasses import dataclass

from everview.algebra.relations import Rel
from everview.algebra.scalars import Column


@dataclass(frozen=True, slots=True)
class TouchedGroups:
    """One row per touched key: its deltas and, where the group was recomputed, its new kept
    values.
    """

    rel: Rel
    values: tuple[Column, ...] = ()  # in the order of the view's kept values
    public: tuple[Column, ...] = ()  # in the order of the view's public columns
