"""Rows that several views need which are refreshed in one run: fetched or computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a refresh with nothing to do needs no Arrow
    from everview.program.planned import Planned
    from everview.run.driver.fetch import FetchedRows
    from everview.run.rows.staging import Staged, Staging

# Views may be refreshed at the same time, in threads of their own. The first that comes to a part
# that others need too makes its rows; those that come meanwhile wait, and then find them. If it
# fails, the next one makes them. A view has no more than one part in hand, so that no two wait for
# each other.


@dataclass
class _Turn:
    """Who makes the rows of a part, and by whom they were made."""

    lock: Lock = field(default_factory=Lock)
    by: str = ""


class RowsOfRun:
    """What the views of one run share: refreshes that were planned together, by view; the rows of
    parts that several have. `token` names the run.
    """

    def __init__(self, token: str = "") -> None:
        self.token = token
        self.plans: dict[str, Planned] = {}
        self.staged: dict[str, Staged] = {}
        self.staging: Staging | None = None  # where they lie, once there are some
        self._fetched: dict[Hashable, FetchedRows] = {}
        self._turns: dict[str, _Turn] = {}
        self._lock = Lock()

    @contextmanager
    def turn(self, part: str) -> Iterator[_Turn]:
        """The block is the only one of the run that makes or looks for the rows of this part; whose
        rows they are is noted in the turn.
        """
        with self._lock:
            turn = self._turns.setdefault(part, _Turn())
        with turn.lock:
            yield turn

    def fetched(
        self, leaf: Hashable, fetch: Callable[[], FetchedRows | None]
    ) -> tuple[FetchedRows | None, bool]:
        """The rows of a leaf, and whether they were fetched now rather than for another view."""
        known = self._fetched.get(leaf)
        if known is not None:
            return known, False
        found = fetch()
        if found is not None:
            self._fetched[leaf] = found
        return found, True

    def close(self) -> None:
        """Forget all rows, those that are staged as well."""
        self._fetched.clear()
        self.staged.clear()
        if self.staging is not None:
            self.staging.remove()
