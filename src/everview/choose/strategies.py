"""The ways to bring a view up to date, and the ways that do not apply with their reasons."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from everview.choose.cost import NO_COST, Cost
from everview.choose.variants import Applied
from everview.facts.asked_strategy import AskedStrategy
from everview.facts.methods import Method, Way

if TYPE_CHECKING:  # a refresh with nothing to do needs no plan
    from everview.algebra.relations import Rel
    from everview.optimize.in_common import InCommon
    from everview.optimize.parts import LeafBytes, Part
    from everview.optimize.passes import Ran


@dataclass(frozen=True, slots=True)
class Skip:
    """Nothing to do: no source moved, or another refresh was first."""

    way: Literal[Way.SKIPPED, Way.ALREADY_DONE] = Way.SKIPPED
    cost: Cost = NO_COST

    @property
    def method(self) -> Method:
        return Method(self.way)


@dataclass(frozen=True, slots=True)
class Move:
    """Sources moved but nothing that the view sees changed: only the watermark may move."""

    cost: Cost = NO_COST

    method = Method(Way.MOVED)


@dataclass(frozen=True, slots=True)
class Incremental:
    """Propagate the changes of these tables, and apply what they do to the view.

    `first` are the queries that net changes before the plan reads them. `ran` are the passes that
    the plan went through, but for those that are off. `in_common` are the same changes as parts
    that other views have too, and the rest; None where there are none.
    """

    applied: Applied
    changes: Rel
    changed: frozenset[str]
    insert_only: bool
    cost: Cost
    leaf_bytes: LeafBytes = field(default_factory=dict)
    passes_off: frozenset[str] = frozenset()
    first: tuple[Part, ...] = ()
    ran: tuple[Ran, ...] = field(default=(), compare=False)
    in_common: InCommon | None = None

    @property
    def method(self) -> Method:
        return Method(Way.INCREMENTAL, self.applied.variant)


@dataclass(frozen=True, slots=True)
class Full:
    """Recompute everything; where views read this one, only what differs is told to them."""

    cost: Cost
    read_by: tuple[str, ...] = ()

    method = Method(Way.FULL)


Strategy = Skip | Move | Incremental | Full


@dataclass(frozen=True, slots=True)
class Refusal:
    """A way that does not apply, and why."""

    way: Way
    reason: str

    def __str__(self) -> str:
        return f"{self.way.word}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Choice:
    """The strategy taken, the sentence why, and what else was considered; `asked` is what a person
    asked for.
    """

    strategy: Strategy
    reason: str
    runner_up: Strategy | None = None
    refusals: tuple[Refusal, ...] = ()
    asked: AskedStrategy = AskedStrategy.AUTO

    def estimates(self) -> dict[str, Any]:
        found: dict[str, Any] = {self.strategy.method.name: self.strategy.cost.to_dict()}
        if self.runner_up is not None:
            found[self.runner_up.method.name] = self.runner_up.cost.to_dict()
        return found
