"""How long refreshes took beside what was estimated, as their receipts tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

from everview.facts.methods import Way

# What goes in: the estimated seconds of each refresh of a view, and those it took. What comes out:
# a factor for each way of refreshing it, by which the next estimate is multiplied. The estimate
# knows bytes and actions; what it does not know (how dear the expressions are, how fast the
# machine is) stays much the same from one refresh to the next. Half of each new factor is what was
# last seen. The factor of the way that was not taken comes a little nearer to 1, so that one slow
# refresh does not rule a way out for ever. Of a refresh that was estimated at less than a second
# nothing is learnt: what it took is how warm the process was, and says nothing of the view.
#
#     estimated 2.0 s, took 3.0 s     factor 1, then 1.25

LEAST_LEARNT = 1.0  # seconds
_WEIGHT = 0.5  # of what was last seen
_MEMORY = 0.9  # how much of a factor stays when the way was not taken
_LEAST, _MOST = 0.1, 10.0


@dataclass(frozen=True, slots=True)
class Pace:
    """By which factors a full and an incremental refresh take longer than estimated."""

    full: float = 1.0
    incremental: float = 1.0

    def after(self, way: Way, estimated: float, took: float) -> Pace:
        """What is known after one more refresh, which was estimated without any factor."""
        if way.is_skipped or estimated < LEAST_LEARNT or took <= 0:
            return self
        seen = min(_MOST, max(_LEAST, took / estimated))
        if way is Way.FULL:
            return Pace(_mixed(self.full, seen), _nearer(self.incremental))
        return Pace(_nearer(self.full), _mixed(self.incremental, seen))

    def to_dict(self) -> dict[str, Any]:
        return {name: round(factor, 3) for name, factor in asdict(self).items()}

    @staticmethod
    def from_dict(raw: Mapping[str, Any]) -> Pace:
        known = {n: float(raw[n]) for n in ("full", "incremental") if n in raw}
        return replace(AS_ESTIMATED, **known)


AS_ESTIMATED = Pace()


def typical_pace(some: Iterable[Pace]) -> Pace:
    """That of a view of which nothing is known yet, where others are."""
    known = list(some)
    if not known:
        return AS_ESTIMATED
    return Pace(median(p.full for p in known), median(p.incremental for p in known))


def _mixed(before: float, seen: float) -> float:
    return (1 - _WEIGHT) * before + _WEIGHT * seen


def _nearer(factor: float) -> float:
    return float(factor**_MEMORY)
