"""The ways to bring a view up to date, and the ways that do not apply with their reasons."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from everview.choose.cost import NOTHING, Cost

if TYPE_CHECKING:  # a refresh with nothing to do needs no plan
    from everview.algebra.relations import Rel
    from everview.optimize.parts import LeafBytes
    from everview.optimize.passes import Ran


@dataclass(frozen=True, slots=True)
class Skip:
    """Nothing to do: no source moved."""

    reason: str
    cost: Cost = NOTHING

    name = "skipped"


@dataclass(frozen=True, slots=True)
class Move:
    """Sources moved but nothing that the view sees changed: only the watermark may move."""

    reason: str
    cost: Cost = NOTHING

    name = "skipped"


@dataclass(frozen=True, slots=True)
class Incremental:
    """Propagate the changes of these tables.

    append: insertions alone into a bag. rows: net changes of a bag. groups: the change table of a
    keyed view. partitions: the touched keys of a view whose rows are replaced key by key.
    `ran` are the passes that the plan went through, but for those that are off.
    """

    variant: str
    changes: Rel
    changed: frozenset[str]
    insert_only: bool
    cost: Cost
    leaf_bytes: LeafBytes = field(default_factory=dict)
    passes_off: frozenset[str] = frozenset()
    ran: tuple[Ran, ...] = field(default=(), compare=False)

    @property
    def name(self) -> str:
        return f"incremental: {self.variant}"


@dataclass(frozen=True, slots=True)
class Full:
    """Recompute everything; `replace` into a new folder, because the stored table cannot be
    built on.
    """

    reason: str
    cost: Cost

    name = "full"


Strategy = Skip | Move | Incremental | Full


@dataclass(frozen=True, slots=True)
class Refusal:
    """A way that does not apply, and why."""

    way: str
    reason: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The strategy taken, the sentence why, and what else was considered."""

    strategy: Strategy
    reason: str
    runner_up: Strategy | None = None
    refusals: tuple[Refusal, ...] = ()

    def estimates(self) -> dict[str, Any]:
        found: dict[str, Any] = {self.strategy.name: self.strategy.cost.to_dict()}
        if self.runner_up is not None:
            found[self.runner_up.name] = self.runner_up.cost.to_dict()
        return found
