"""What keeps the views of a warehouse fresh: refreshes, by hand, by writes and by readers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from everview.errors import RefreshFailed, ViewsBehind
from everview.facts.failures import in_short, unforeseen
from everview.facts.progress import Watcher
from everview.facts.receipts import Receipt
from everview.facts.refreshes import Wish
from everview.facts.when import OnRead
from everview.facts.wording import counted
from everview.handles.view import View
from everview.refresh_views import own_error, refresh_views
from everview.views.broken import broken_status
from everview.views.progress_bar import notebook_bar
from everview.views.schedules import is_suspended
from everview.views.status import Status

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from everview.handles.temporary_views import TemporaryViews
    from everview.lake.catalog import Entry
    from everview.scheduler.running import Scheduler
    from everview.views.world import World

# What reads SQL is loaded by the calls that need it: the log answers the others.

# How often a refresh that nobody called tries again where another writer was first.
_TRIES = 3


class KeptFresh:
    """The part of a warehouse that refreshes its views and says how fresh they are."""

    _progress: Watcher | None
    _temporary: TemporaryViews
    _scheduler: Scheduler | None = None

    @property
    def spark(self) -> SparkSession:
        raise NotImplementedError

    @property
    def _world(self) -> World:
        raise NotImplementedError

    def view(self, name: str) -> View:
        """The handle of a materialized view."""
        return View(self, name)

    def views(self) -> list[str]:
        """The names of all materialized views."""
        return [e.name for e in self._world.catalog.read().entries if e.kind == "view"]

    def refresh(
        self,
        *names: str,
        full: bool = False,
        retry: int = 0,
        strategy: str = "auto",
        progress: Watcher | None = None,
    ) -> list[Receipt]:
        """Refresh these views, or all, sources first, all at one set of source versions.

        `full` recomputes them whatever changed, `strategy` forces one way: View.refresh() says
        which. `progress` is called with a Progress when a step begins and when a view is done; a
        notebook shows a bar without it. Gives a receipt per view; of one view that was named, with
        those of the views below in it. A view that is suspended is left as it is unless it is
        named.

        A view that somebody else wrote meanwhile is planned and run again up to `retry` times,
        unless that was a refresh that did the work.

        A view that fails stops only those that depend on it: at the end RefreshFailed is raised,
        whose `receipts` are those of the other views and whose `errors` has each view's own error.
        """
        wanted = [self.view(n).name for n in names] if names else self._not_suspended()
        return self._refresh(wanted, Wish.of(retry, strategy, full=full), progress)

    def status(self, *names: str) -> list[Status]:
        """How fresh these views are, or all; `error` says it of one of which it cannot be told."""
        wanted = [self.view(n).name for n in names] if names else self.views()
        return [self._status(name) for name in wanted]

    def run_scheduler(self) -> Scheduler:
        """Refresh the views when they say, in the background, until stop() is called or the
        warehouse is closed: what `everview run` does. Of several processes one does it, and the
        others wait.
        """
        from everview.scheduler.running import Scheduler

        if self._scheduler is None or not self._scheduler.is_running:
            world = self._world
            self._scheduler = Scheduler(world, lambda: self._temporary.follow(world))
        return self._scheduler

    def _not_suspended(self) -> list[str]:
        entries = self._world.catalog.read().entries
        return [e.name for e in entries if e.kind == "view" and not is_suspended(e)]

    def _status(self, name: str) -> Status:
        try:
            return self.view(name).status()
        except Exception as error:
            return broken_status(self._world, self._world.entry(name), unforeseen(error))

    def _refresh(self, names: list[str], wish: Wish, progress: Watcher | None) -> list[Receipt]:
        watcher = progress or self._progress or notebook_bar()
        try:
            return refresh_views(self._world, names, wish, watcher)
        finally:
            self._temporary.follow(self._world)

    def _drop(self, name: str, *, cascade: bool) -> tuple[str, ...]:
        raise NotImplementedError

    def _before_read(self, entries: Iterable[Entry]) -> None:
        """Refresh those that are refreshed when they are read."""
        asking = [e for e in entries if e.when.startswith(str(OnRead()))]
        if not asking:
            return
        from everview.views.following import views_too_old

        names = views_too_old(self._world, asking)
        if not names:
            return
        try:
            self._refresh(names, Wish(retry=_TRIES), None)
            return
        except RefreshFailed as failure:
            error = own_error(failure, names[0]) if len(names) == 1 else failure
        raise error

    def _after_write(self, table: str, version: int) -> None:
        """Refresh the views that ask to have what was written when the write returns; ViewsBehind
        if some could not.
        """
        from everview.views.following import views_written_with

        names = views_written_with(self._world, table)
        if not names:
            return
        try:
            self._refresh(names, Wish(retry=_TRIES), None)
        except RefreshFailed as failure:
            raise _behind(table, version, failure) from failure


def _behind(table: str, version: int, failure: RefreshFailed) -> ViewsBehind:
    errors = failure.errors
    lines = [
        f"The write stands: `{table}` is at version {version}. Of the views that are refreshed "
        f"with it, {counted(len(errors), 'view')} could not be:"
    ]
    lines += [f"    {name}  {in_short(error)}" for name, error in errors.items()]
    error = ViewsBehind(
        "\n".join(lines),
        remedy="Do not write it again. `errors` has each in full, with what to do; then refresh.",
    )
    error.version, error.receipts, error.errors = version, failure.receipts, errors
    return error
