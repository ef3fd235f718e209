"""What `wh.view(name)` gives: a thin handle on one materialized view."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from everview.errors import EverviewError, RefreshFailed
from everview.facts.progress import Watcher
from everview.facts.receipts import Receipt, Verification
from everview.facts.refreshes import RefreshFacts, StoredFacts, Wish
from everview.handles.handle import Handle
from everview.refresh_views import own_error
from everview.spark.log import logged
from everview.views.gather import gather_comparable, gather_from, stored_facts
from everview.views.memories import failing
from everview.views.notebook import view_html
from everview.views.outlook import Outlook, outlook
from everview.views.schedules import suspended_text, when_text
from everview.views.staleness import behind_since
from everview.views.status import Status, status_of
from everview.views.world import receipts_of, record_of

if TYPE_CHECKING:
    from everview.views.explanation import Explanation

# What reads SQL and runs Spark is loaded by the calls that need it: status and history do not.


class View(Handle):
    """A materialized view; `len(view)` is how many rows a reader sees."""

    _kind = "view"

    @property
    def sql(self) -> str:
        """The query that defines it, with virtual views in place of their names."""
        return record_of(self._world.open(self._entry)).sql

    def refresh(
        self,
        full: bool = False,
        *,
        retry: int = 0,
        strategy: str = "auto",
        progress: Watcher | None = None,
    ) -> Receipt:
        """Bring the view, and first the views below it, to the newest versions of their sources.

        If another refresh of the view is first, this one is skipped as already done; where that
        one went less far, it is tried again `retry` times before CommitConflict.

        `strategy` is for people who compare: `change tables`, `insert/delete`, `touched groups` or
        `full` in place of what Everview would choose, for this view alone. StrategyNotApplicable if
        the view cannot be refreshed so.

        `progress` is called with a Progress when a step begins and when a view is done. Where a
        view below fails, its error is raised, with a note that it stopped this one.
        """
        wish = Wish.of(retry, strategy, full=full)
        try:
            return self._warehouse._refresh([self.name], wish, progress)[-1]
        except RefreshFailed as failure:
            error = own_error(failure, self.name)
        raise error

    def explain(self, *, full: bool = False, strategy: str = "auto") -> Explanation:
        """What the next refresh would do, and why; nothing is run. What a refresh would raise is
        raised here too. `strategy` is that of the refresh.

        Printed it fits a screen; with `full` nothing is cut and the SQL of the steps comes last.
        """
        return replace(self._explanation(Wish.of(strategy=strategy)), full=full)

    def _explanation(self, wish: Wish) -> Explanation:
        from everview.choose.asked import not_applicable
        from everview.views.explanation import explanation, rebuild_explanation
        from everview.views.planned import planned
        from everview.views.replacement import views_that_read, why_rebuild
        from everview.views.skipped import skipped

        world, entry = self._world, self._entry
        table = world.open(entry)
        idle = skipped(world, entry, table, {}, full=wish.full)
        rebuilt = "" if idle else why_rebuild(world, entry, table, full=wish.full)
        if rebuilt and wish.strategy.is_by_changes:
            raise not_applicable(entry.name, None, wish.strategy, rebuilt)
        if rebuilt:
            self._require_buildable(rebuilt)
            return rebuild_explanation(entry.name, rebuilt)
        own = wish.for_view(named=True, read_by=views_that_read(world, entry.name))
        return explanation(planned(world, entry, table, {}, own))

    def verify(self) -> Verification:
        """Compare the stored rows with a recomputation at the same versions, both ways.

        LostHistory if a source at such a version cannot be read any more: its files were vacuumed,
        or another table has its name now.
        """
        from everview.run.check.verify import not_comparable, verify_view
        from everview.shape.loose import loose_columns
        from everview.shape.shape import FullOnly
        from everview.spark.errors import spark_failures
        from everview.views.planned import shape_of_view

        world, entry = self._world, self._entry
        table = world.open(entry)
        stored = stored_facts(table)
        shape = shape_of_view(world, table, stored.record)
        if isinstance(shape, FullOnly) and shape.moment is not None:
            known = RefreshFacts(entry.name, entry.policy, stored, ())
            return not_comparable(known, f"it depends on the clock: {shape.moment}")
        facts = gather_comparable(world, entry, stored)
        defined = world.defined(table, stored.record)
        loose = loose_columns(defined.shape)
        where, spared = f"verification of {entry.name}", "Nothing was changed."
        with logged(entry.name, "verify"), spark_failures(f"`{entry.name}`", where, spared):
            return verify_view(world.engine, facts, shape, loose, world.settings.sample_rows)

    def status(self) -> Status:
        """How fresh the view is, how far behind, and how it was refreshed last."""
        world, entry = self._world, self._entry
        table = world.open(entry)
        stored, layout = stored_facts(table), ""
        kept = stored.record.kept
        if not kept:  # a record that does not say it does not say either what moves with the clock
            stored, kept, layout = self._understood(stored)
        ahead = outlook(world, entry, stored, layout)
        if ahead.rebuilt:
            try:
                self._require_buildable(ahead.next_full)
            except EverviewError as error:
                ahead = Outlook(ahead.behind, error=error)
        found = status_of(entry, stored, ahead, receipts_of(table, None), world.now())
        found = replace(found, failing=failing(world, entry, found.fresh_as_of))
        if ahead.error is not None or ahead.rebuilt:
            return replace(found, kept=kept)
        since = behind_since(world, gather_from(world, entry, stored, {}))
        return replace(found, kept=kept, behind_since=since)

    def _understood(self, stored: StoredFacts) -> tuple[StoredFacts, str, str]:
        """What an older record does not say: how the view is kept, and why its layout is old."""
        from everview.views.kept import how_kept, with_moment
        from everview.views.planned import shape_of_view
        from everview.views.replacement import outdated_layout

        table = self._world.open(self._entry)
        shape = shape_of_view(self._world, table, stored.record)
        layout = outdated_layout(stored.record, self._world.defined(table, stored.record))
        return with_moment(stored, shape), how_kept(shape), layout

    def _require_buildable(self, reason: str) -> None:
        """What building the view anew would raise before it reads any row is raised."""
        from everview.understand import built_anew, definition_of, find_sources, understand

        world, entry = self._world, self._entry
        definition = definition_of(entry, record_of(world.open(entry)))
        with built_anew(entry.name, reason):
            understand(world, definition, find_sources(world, definition))

    def set_policy(self, policy: str) -> None:
        """Choose how it is refreshed from now on; NotIncremental for a policy that it cannot
        have.
        """
        from everview.understand import policy_of, require_policy
        from everview.views.catalog_changes import alter_entry
        from everview.views.planned import shape_of_view

        world, entry = self._world, self._entry
        wanted = policy_of(policy)
        table = world.open(entry)
        require_policy(shape_of_view(world, table, record_of(table)), wanted)
        alter_entry(world, entry, replace(entry, policy=wanted))

    def set_when(self, when: str) -> None:
        """Choose when it is refreshed from now on, as SQL says it behind REFRESH: `ON DEMAND`,
        `EVERY 5 MINUTES`, `CRON '0 4 * * *'`, `TARGET LAG 10 MINUTES`, `ON READ WITHIN 1 HOUR` or
        `IMMEDIATE`. EVERY, CRON and TARGET LAG need a scheduler: `everview run`.
        """
        from everview.sql.statements.when import when_of
        from everview.views.catalog_changes import alter_entry

        entry, text = self._entry, when_text(when_of(when))
        alter_entry(self._world, entry, replace(entry, when=text))

    def suspend(self) -> None:
        """Leave it as it is until resume(): neither a scheduler nor a write, a reader or a refresh
        of other views refreshes it, only one that names it. Changes wait.
        """
        self._set_suspended(suspended=True)

    def resume(self) -> None:
        """Refresh it again as it was before suspend()."""
        self._set_suspended(suspended=False)

    def _set_suspended(self, *, suspended: bool) -> None:
        from everview.views.catalog_changes import alter_entry

        entry = self._entry
        changed = replace(entry, suspended=suspended_text(suspended=suspended))
        alter_entry(self._world, entry, changed)

    def history(self) -> list[dict[str, Any]]:
        """The receipts of refreshes that moved the view, newest first; one that found nothing to
        change only recorded the versions it saw.
        """
        return [dict(r) for r in receipts_of(self._world.open(self._entry), None)]

    def compact(self) -> int:
        """Cluster the stored rows anew by ranges of the key, without those that deletion vectors
        mark; not a change for views above. Where the log names no deletion vector any more, the
        view is opened again to readers that do not know them.
        """
        from everview.run.dml.recluster import opened_to_everything, recluster

        table = self._world.open(self._entry)
        recluster(self._world.engine, table)
        return opened_to_everything(table)

    def __repr__(self) -> str:
        return f"<materialized view {self.name}>"

    def _repr_html_(self) -> str:
        return view_html(self._world, self._entry)
