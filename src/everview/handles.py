"""What `wh.table(name)` and `wh.view(name)` give: thin handles on one table or view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from everview.create import policy_of, require_policy
from everview.errors import InvalidArgument, ReadOnlyTable
from everview.facts.keys import KeyCheck
from everview.facts.receipts import Receipt, Verification
from everview.plan.choose import choose
from everview.plan.loose import loose_columns
from everview.program.program import program
from everview.queries import public_frame
from everview.refresh import shape_of_view
from everview.run.dml import TableWriter
from everview.run.log import logged
from everview.run.recluster import recluster
from everview.run.verify import verify
from everview.tables import verify_table, writer
from everview.views.catalog_changes import alter_entry
from everview.views.explanation import Explanation, explanation, rebuild_explanation
from everview.views.gather import gather, require_readable, stored_facts
from everview.views.notebook import table_html, view_html
from everview.views.replacement import why_rebuild
from everview.views.status import Status, how_kept, status_of
from everview.views.world import World, receipts_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from everview.lake.catalog import Entry


class Owner(Protocol):
    """The warehouse, as far as its handles need it."""

    @property
    def spark(self) -> SparkSession: ...

    @property
    def _world(self) -> World: ...

    def _refresh(self, names: list[str], *, full: bool) -> list[Receipt]: ...

    def _drop(self, name: str) -> None: ...


class _Handle:
    """A name of the warehouse; what it stands for is looked up at every call."""

    _kind = ""

    def __init__(self, warehouse: Owner, name: str) -> None:
        self._warehouse = warehouse
        self.name = warehouse._world.entry(name, self._kind).name

    @property
    def _world(self) -> World:
        return self._warehouse._world

    @property
    def _entry(self) -> Entry:
        return self._world.entry(self.name, self._kind)

    @property
    def path(self) -> str:
        """Where its Delta table lies; of a view with LIMIT it holds more rows than the view shows,
        and status() says which.
        """
        return self._world.uri(self._entry.location)

    def to_df(self, version: int | None = None) -> DataFrame:
        """Its rows as a DataFrame of the warehouse's session, at the newest or an older version."""
        at = None if version is None else _version(version)
        return public_frame(self._world, self._warehouse.spark, self._entry, at)

    def rename(self, name: str) -> None:
        """Give it another name; StillUsed if views read it under the one it has."""
        alter_entry(self._world, self._entry, replace(self._entry, name=name))
        self.name = name

    def set_comment(self, comment: str | None) -> None:
        """What SHOW and DESCRIBE say of it; None takes it away."""
        alter_entry(self._world, self._entry, replace(self._entry, comment=comment or ""))

    def drop(self) -> None:
        """Forget the name; StillUsed if views read it. Files are removed, an attached table's
        are not.
        """
        self._warehouse._drop(self.name)

    def vacuum(
        self, retention_hours: float | None = None, *, dry_run: bool = False
    ) -> tuple[str, ...]:
        """Remove files that no version within the retention needs; gives their paths.

        Without `retention_hours`, the setting of that name decides.
        """
        if retention_hours is None:
            retention_hours = self._world.settings.retention_hours
        if retention_hours < 0:
            raise InvalidArgument(
                f"A retention of {retention_hours} hours.", remedy="Give 0 or more hours."
            )
        return self._world.open(self._entry).vacuum(retention_hours, dry_run=dry_run)


def _version(version: object) -> int:
    if isinstance(version, bool) or not isinstance(version, int) or version < 0:
        raise InvalidArgument(
            f"{version!r} is not a version.", remedy="Versions are numbers from 0; see history()."
        )
    return version


class Table(_Handle):
    """A table of the warehouse, or an attached one (which is read-only)."""

    _kind = "table"

    @property
    def version(self) -> int:
        """The newest version."""
        return self._world.open(self._entry).head().version

    def append(self, df: DataFrame, token: str | None = None) -> int:
        """Insert the rows; gives the table's version after it. A token makes a rerun do nothing."""
        return self._writer().append(df, token)

    def overwrite(self, df: DataFrame, token: str | None = None) -> int:
        """Replace all rows."""
        return self._writer().overwrite(df, token)

    def delete(self, where: str, token: str | None = None) -> int:
        """Delete the rows for which the SQL condition is true."""
        return self._writer().delete(where, token)

    def update(
        self, set: Mapping[str, str], where: str | None = None, token: str | None = None
    ) -> int:
        """Set columns to SQL expressions in the rows for which the condition is true."""
        return self._writer().update(set, where, token)

    def merge(self, df: DataFrame, on: str | Sequence[str], token: str | None = None) -> int:
        """Update the rows whose key is among the given ones, insert the rest."""
        return self._writer().merge(df, on, token)

    def verify(self) -> list[KeyCheck]:
        """Check the declared constraints on all rows: NOT NULL, primary key, foreign keys."""
        return verify_table(self._world, self.name)

    def compact(self) -> int:
        """Put the same rows into fewer files; not a change for the views that read it."""
        return self._writer().compact()

    def history(self) -> list[dict[str, Any]]:
        """The commits still in the log, newest first."""
        return [
            {
                "version": c.version,
                "timestamp": c.timestamp,
                "operation": c.metadata.get("operation", c.operation),
                "rows": dict(c.metadata.get("rows", {})),
                "data_change": c.data_change,
            }
            for c in self._world.open(self._entry).history()
        ]

    def vacuum(
        self, retention_hours: float | None = None, *, dry_run: bool = False
    ) -> tuple[str, ...]:
        """Remove files that no version within the retention needs; gives their paths.

        Without `retention_hours`, the setting of that name decides.
        """
        self._require_own()
        return super().vacuum(retention_hours, dry_run=dry_run)

    def _writer(self) -> TableWriter:
        entry = self._require_own()
        return writer(self._world, self._world.open(entry), entry.name)

    def _require_own(self) -> Entry:
        entry = self._entry
        if entry.kind == "attached":
            raise ReadOnlyTable(
                f"`{entry.name}` is attached: it is only read here.",
                where=entry.location,
                remedy="Write it with the tool that owns it.",
            )
        return entry

    def __repr__(self) -> str:
        return f"<table {self.name} at version {self.version}>"

    def _repr_html_(self) -> str:
        return table_html(self._world, self._entry)


class View(_Handle):
    """A materialized view."""

    _kind = "view"

    def refresh(self, full: bool = False) -> Receipt:
        """Bring the view, and first the views below it, to the newest versions of their sources."""
        return self._warehouse._refresh([self.name], full=full)[-1]

    def explain(self) -> Explanation:
        """What the next refresh would do, and why; nothing is run."""
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
        kept = how_kept(shape_of_view(world, table, facts))
        return status_of(facts, kept, entry.comment, receipts_of(table, None), world.now())

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
        """The receipts of refreshes that published something, newest first."""
        return [dict(r) for r in receipts_of(self._world.open(self._entry), None)]

    def compact(self) -> int:
        """Cluster the stored rows anew by ranges of the key; not a change for views above."""
        return recluster(self._world.engine, self._world.open(self._entry))

    def __repr__(self) -> str:
        return f"<materialized view {self.name}>"

    def _repr_html_(self) -> str:
        return view_html(self._world, self._entry)
