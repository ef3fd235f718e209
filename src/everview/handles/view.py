"""What `wh.view(name)` gives: a thin handle on one materialized view."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from everview.errors import RefreshFailed
from everview.facts.progress import Watcher
from everview.facts.receipts import Receipt, Verification
from everview.facts.refreshes import Wish
from everview.handles.handle import Handle
from everview.plan.choose import choose
from everview.plan.loose import loose_columns
from everview.plan.shape import FullOnly
from everview.program.program import program
from everview.refresh import shape_of_view
from everview.refresh_views import own_error
from everview.run.log import logged
from everview.run.recluster import recluster
from everview.run.spark_errors import spark_failures
from everview.run.verify import not_comparable, verify
from everview.understand import policy_of, require_policy
from everview.views.catalog_changes import alter_entry
from everview.views.explanation import Explanation, explanation, rebuild_explanation
from everview.views.gather import gather, require_readable, stored_facts
from everview.views.notebook import view_html
from everview.views.replacement import why_rebuild
from everview.views.status import Status, how_kept, status_of, with_moment
from everview.views.world import receipts_of, record_of


class View(Handle):
    """A materialized view; `len(view)` is how many rows a reader sees."""

    _kind = "view"

    @property
    def sql(self) -> str:
        """The query that defines it, with virtual views in place of their names."""
        return record_of(self._world.open(self._entry)).sql

    def refresh(
        self, full: bool = False, *, retry: int = 0, progress: Watcher | None = None
    ) -> Receipt:
        """Bring the view, and first the views below it, to the newest versions of their sources.

        If another refresh of the view is first, this one is skipped as already done; where that
        one went less far, it is tried again `retry` times before CommitConflict.

        `progress` is called with a Progress when a step begins and when a view is done. Where a
        view below fails, its error is raised, with a note that it stopped this one.
        """
        try:
            return self._warehouse._refresh([self.name], Wish(full, retry), progress)[-1]
        except RefreshFailed as failure:
            error = own_error(failure, self.name)
        raise error

    def explain(self, *, full: bool = False) -> Explanation:
        """What the next refresh would do, and why; nothing is run.

        Printed it fits a screen; with `full` nothing is cut and the SQL of the steps comes last.
        """
        return replace(self._explanation(), full=full)

    def _explanation(self) -> Explanation:
        world, entry = self._world, self._entry
        table = world.open(entry)
        rebuilt = why_rebuild(world, entry.name, table)
        if rebuilt:
            return rebuild_explanation(entry.name, rebuilt)
        facts = gather(world, entry, table, {})
        shape = shape_of_view(world, table, facts)
        choice = choose(facts, shape, full=False)
        return explanation(facts, shape, choice, program(choice, shape))

    def verify(self) -> Verification:
        """Compare the stored rows with a recomputation at the same versions, both ways."""
        world, entry = self._world, self._entry
        table = world.open(entry)
        stored = stored_facts(table)
        pins = {s.id: stored.watermark[s.name] for s in stored.record.sources}
        facts = gather(world, entry, table, pins)
        shape = shape_of_view(world, table, facts)
        if isinstance(shape, FullOnly) and shape.moment is not None:
            return not_comparable(facts, f"it depends on the clock: {shape.moment}")
        require_readable(world, facts)
        defined = world.defined(table, stored.record)
        loose = loose_columns(defined.shape)
        where, spared = f"verification of {entry.name}", "Nothing was changed."
        with logged(entry.name, "verify"), spark_failures(f"`{entry.name}`", where, spared):
            return verify(world.engine, facts, shape, loose, world.settings.sample_rows)

    def status(self) -> Status:
        """How fresh the view is, how far behind, and how it was refreshed last."""
        world, entry = self._world, self._entry
        table = world.open(entry)
        facts = gather(world, entry, table, {})
        shape = shape_of_view(world, table, facts)
        kept, known = how_kept(shape), with_moment(facts, shape)
        status = status_of(known, kept, entry.comment, receipts_of(table, None), world.now())
        rebuilt = why_rebuild(world, entry.name, table)
        return replace(status, next_full=rebuilt) if rebuilt else status

    def set_policy(self, policy: str) -> None:
        """Choose how it is refreshed from now on; NotIncremental for a policy that it cannot
        have.
        """
        world, entry = self._world, self._entry
        wanted = policy_of(policy)
        table = world.open(entry)
        require_policy(shape_of_view(world, table, gather(world, entry, table, {})), wanted)
        alter_entry(world, entry, replace(entry, policy=wanted))

    def history(self) -> list[dict[str, Any]]:
        """The receipts of refreshes that moved the view, newest first; one that found nothing to
        change only recorded the versions it saw.
        """
        return [dict(r) for r in receipts_of(self._world.open(self._entry), None)]

    def compact(self) -> int:
        """Cluster the stored rows anew by ranges of the key; not a change for views above."""
        return recluster(self._world.engine, self._world.open(self._entry))

    def __repr__(self) -> str:
        return f"<materialized view {self.name}>"

    def _repr_html_(self) -> str:
        return view_html(self._world, self._entry)
