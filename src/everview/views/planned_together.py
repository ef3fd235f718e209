"""Planning the refreshes of several views at once, so that they share what they have in common."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from everview.facts.refreshes import Wish
from everview.views.gather import Pins
from everview.views.replacement import why_rebuild
from everview.views.skipped import skipped
from everview.views.world import World

if TYPE_CHECKING:  # a refresh with nothing to do needs no plan
    from everview.program.planned import Planned


@dataclass
class PlansOfRun:
    """Plans the views of a run before the first of them is refreshed: all those together whose
    views below are done by then. `below` are the views that each reads itself.
    """

    order: Sequence[str]
    below: Mapping[str, tuple[str, ...]]
    wish_of: Callable[[str], Wish]
    pins: Pins
    _looked_at: set[str] = field(default_factory=set)
    _done: set[str] = field(default_factory=set)
    _rounds: int = 0
    _lock: Lock = field(default_factory=Lock)

    @contextlib.contextmanager
    def refreshing(self, world: World, name: str) -> Iterator[None]:
        """The block refreshes this view, planned with all that could be refreshed now as well. Then
        those above it may be planned.
        """
        with self._lock:
            if name not in self._looked_at:
                self._plan(world)
        yield
        with self._lock:
            self._done.add(name)

    def _plan(self, world: World) -> None:
        ready = [n for n in self.order if n not in self._looked_at and self._is_ready(n)]
        self._looked_at.update(ready)
        if len(ready) > 1:
            self._rounds += 1
            wishes = {n: self.wish_of(n) for n in ready}
            title = f"common{self._rounds}_"
            world.run.plans.update(planned_together(world, wishes, self.pins, title))

    def _is_ready(self, name: str) -> bool:
        return all(below in self._done for below in self.below[name])


def planned_together(
    world: World, wishes: Mapping[str, Wish], pins: Pins, title: str
) -> dict[str, Planned]:
    """By view, its refresh as it is planned, with the parts of its changes that others of these
    have too, called by the title and a number.

    A view that has nothing to do, is built anew, or cannot be planned, is left out: what there is
    to say of it is said when it is refreshed.
    """
    # Only now: what makes plans takes long to load.
    from everview.choose.sharing import with_common_parts
    from everview.program.planned import with_steps

    found: dict[str, Planned] = {}
    for name, wish in wishes.items():
        with contextlib.suppress(Exception):
            plan = _planned(world, name, pins, wish)
            if plan is not None:
                found[plan.facts.view] = plan
    choices = {view: (plan.facts, plan.choice) for view, plan in found.items()}
    for view, choice in with_common_parts(choices, title).items():
        found[view] = with_steps(found[view].facts, found[view].shape, choice)
    return found


def _planned(world: World, name: str, pins: Pins, wish: Wish) -> Planned | None:
    from everview.views.planned import planned

    entry = world.entry(name, "view")
    table = world.open(entry)
    if wish.full or skipped(world, entry, table, pins, full=False) is not None:
        return None
    if why_rebuild(world, entry, table, full=False):
        return None
    return planned(world, entry, table, pins, wish)
