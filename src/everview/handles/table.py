"""What `wh.table(name)` gives: a thin handle on one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from everview.errors import ReadOnlyTable
from everview.facts.keys import KeyCheck
from everview.handles.handle import Handle
from everview.views.notebook import table_html

if TYPE_CHECKING:
    from everview.lake.catalog import Entry
    from everview.run.dml.writer import TableWriter
    from everview.run.rows.given import Frame


class Table(Handle):
    """A table of the warehouse, or an attached one (which is read-only); `len(table)` is how many
    rows it has.
    """

    _kind = "table"

    @property
    def version(self) -> int:
        """The newest version."""
        return self._world.open(self._entry).head().version

    def append(self, df: Frame, token: str | None = None) -> int:
        """Insert the rows; gives the table's version after it. A token makes a rerun do nothing.

        Here and in every other write: views that are refreshed IMMEDIATE have the rows when it
        returns. If one could not be refreshed, ViewsBehind is raised, and the write stands.

        The rows may be a DataFrame of Spark, pandas or polars, or an Arrow table, here and wherever
        a DataFrame is wanted.
        """
        return self._written(self._writer().append(df, token))

    def overwrite(self, df: Frame, token: str | None = None) -> int:
        """Replace all rows."""
        return self._written(self._writer().overwrite(df, token))

    def delete(self, where: str, token: str | None = None) -> int:
        """Delete the rows for which the SQL condition is true."""
        return self._written(self._writer().delete(where, token))

    def update(
        self, set: Mapping[str, str], where: str | None = None, token: str | None = None
    ) -> int:
        """Set columns to SQL expressions in the rows for which the condition is true."""
        return self._written(self._writer().update(set, where, token))

    def merge(self, df: Frame, on: str | Sequence[str], token: str | None = None) -> int:
        """Update the rows whose key is among the given ones, insert the rest."""
        return self._written(self._writer().merge(df, on, token))

    def verify(self) -> list[KeyCheck]:
        """Check the declared constraints on all rows: NOT NULL, primary key, foreign keys."""
        from everview.tables import verify_table

        return verify_table(self._world, self.name)

    def add_column(self, name: str, type: str, comment: str | None = None) -> int:
        """Add a column at the end, of a type as in DDL ("DECIMAL(10, 2)"); it is NULL in the rows
        that are there. Gives the table's version after it.

        Views that read the table go on as they are.
        """
        from everview.sql.names import quoted
        from everview.tables import add_table_columns

        table = self._world.open(self._require_own())
        comments = {name: comment} if comment else {}
        return add_table_columns(self._world, table, f"{quoted(str(name))} {type}", comments)

    def set_merge_on_read(self, value: str) -> None:
        """Whether rows may be deleted by deletion vectors, which not every reader of Delta tables
        knows: `auto` does so where files are large, `never` rewrites the files. Files that have
        them already keep them until compact().
        """
        self._require_own()
        super().set_merge_on_read(value)

    def compact(self) -> int:
        """Put the same rows into fewer files, without those that deletion vectors mark; not a
        change for the views that read it. Where the log names no deletion vector any more, the
        table is opened again to readers that do not know them.
        """
        from everview.run.dml.recluster import opened_to_everything

        self._writer().compact()
        return opened_to_everything(self._world.open(self._entry))

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
        self, retention_hours: float | None = None, *, dry_run: bool = False, force: bool = False
    ) -> tuple[str, ...]:
        """Remove files that no version within the retention needs; gives their paths.

        Without `retention_hours`, the setting of that name decides. Fewer hours than it says are
        refused unless `force` is given: views that have not seen the newest changes need those
        files, and so does whoever is reading or writing now. `dry_run` removes nothing.
        """
        self._require_own()
        return super().vacuum(retention_hours, dry_run=dry_run, force=force)

    def _written(self, version: int) -> int:
        """What a write gives: the version, after the views that ask for it have it too."""
        self._warehouse._after_write(self.name, version)
        return version

    def _writer(self) -> TableWriter:
        from everview.tables import writer

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
