"""What `wh.view(name)` gives: a thin handle on one materialized view."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from everview.facts.receipts import Receipt, Verification
from everview.handles.handle import Handle
from everview.run.log import logged
from everview.views.gather import gather, require_readable, stored_facts
from everview.views.notebook import view_html
from everview.views.staleness import behind_since
from everview.views.status import Status, recorded_as, status_of
from everview.views.world import receipts_of

if TYPE_CHECKING:
    from everview.views.explanation import Explanation

# What reads SQL and runs Spark is loaded by the calls that need it: status and history do not.


class View(Handle):
    """A materialized view."""

    _kind = "view"

    def refresh(self, full: bool = False) -> Receipt:
        """Bring the view, and first the views below it, to the newest versions of their sources."""
        return self._warehouse._refresh([self.name], full=full)[-1]

    def explain(self) -> Explanation:
        """What the next refresh would do, and why; nothing is run."""
        from everview.plan.choose import choose
        from everview.program.program import program
        from everview.refresh import shape_of_view
        from everview.views.explanation import explanation, rebuild_explanation
        from everview.views.replacement import why_rebuild
        from everview.views.skipped import skipped

        world, entry = self._world, self._entry
        table = world.open(entry)
        idle = skipped(world, entry, table, {}, full=False)
        rebuilt = "" if idle else why_rebuild(world, entry.name, table)
        if rebuilt:
            return rebuild_explanation(entry.name, rebuilt)
        facts = gather(world, entry, table, {})
        shape = shape_of_view(world, table, facts)
        choice = choose(facts, shape, full=False)
        return explanation(facts, shape, choice, program(choice, shape))

    def verify(self) -> Verification:
        """Compare the stored rows with a recomputation at the same versions, both ways."""
        from everview.plan.loose import loose_columns
        from everview.refresh import shape_of_view
        from everview.run.verify import verify

        world, entry = self._world, self._entry
        table = world.open(entry)
        stored = stored_facts(table)
        pins = {s.id: stored.watermark[s.name] for s in stored.record.sources}
        facts = gather(world, entry, table, pins)
        require_readable(world, facts)
        shape = shape_of_view(world, table, facts)
        defined = world.defined(table, stored.record)
        loose = loose_columns(defined.shape)
        with logged(entry.name, "verify"):
            return verify(world.engine, facts, shape, loose, world.settings.sample_rows)

    def status(self) -> Status:
        """How fresh the view is, how far behind, and how it was refreshed last."""
        world, entry = self._world, self._entry
        table = world.open(entry)
        facts = gather(world, entry, table, {})
        kept = recorded_as(facts.stored.record)
        found = status_of(facts, kept, entry.comment, receipts_of(table, None), world.now())
        return replace(found, behind_since=behind_since(world, facts))

    def set_policy(self, policy: str) -> None:
        """Choose how it is refreshed from now on; NotIncremental for a policy that it cannot
        have.
        """
        from everview.create import policy_of, require_policy
        from everview.refresh import shape_of_view
        from everview.views.catalog_changes import alter_entry

        world, entry = self._world, self._entry
        wanted = policy_of(policy)
        table = world.open(entry)
        require_policy(shape_of_view(world, table, gather(world, entry, table, {})), wanted)
        alter_entry(world, entry, replace(entry, policy=wanted))

    def history(self) -> list[dict[str, Any]]:
        """The receipts of refreshes that published something, newest first."""
        return [dict(r) for r in receipts_of(self._world.open(self._entry), None)]

    def compact(self) -> int:
        """Cluster the stored rows anew by ranges of the key; not a change for views above."""
        from everview.run.recluster import recluster

        return recluster(self._world.engine, self._world.open(self._entry))

    def __repr__(self) -> str:
        return f"<materialized view {self.name}>"

    def _repr_html_(self) -> str:
        return view_html(self._world, self._entry)
