"""The public Python API: tables, views, queries and statements of one open warehouse."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING

from everview.errors import WarehouseClosed
from everview.facts.merge_on_read import merge_on_read_or_none
from everview.facts.progress import Watcher
from everview.handles.table import Table
from everview.handles.temporary_views import TemporaryViews
from everview.handles.view import View
from everview.kept_fresh import KeptFresh
from everview.settings import Settings
from everview.views.notebook import warehouse_html
from everview.views.schedules import when_text
from everview.views.world import World

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from everview.run.rows.given import Frame
    from everview.sql.statements.parts import Slice
    from everview.sql.statements.values import Statement
    from everview.tables import ForeignKeys

# What reads SQL and runs Spark is loaded by the calls that need it: the log answers the others.


class Warehouse(KeptFresh):
    """Tables and materialized views at one place; use it as a context manager or close it."""

    def __init__(self, world: World, progress: Watcher | None = None) -> None:
        self._open_world: World | None = world
        self._progress = progress
        self._temporary = TemporaryViews()

    @property
    def _world(self) -> World:
        if self._open_world is None:
            raise WarehouseClosed(
                "This warehouse was closed.", remedy="Open it again: ev.open(...)."
            )
        return self._open_world

    @property
    def spark(self) -> SparkSession:
        """The Spark session that DataFrames come from and go to."""
        return self._world.engine.caller

    @property
    def path(self) -> str:
        """Where the warehouse lies."""
        return self._world.catalog.uri

    @property
    def settings(self) -> Settings:
        """What was set when it was opened: ev.open(settings=...), or `EVERVIEW_*` variables."""
        return self._world.settings

    def close(self) -> None:
        """Let go of the warehouse; the Spark session stays. A scheduler of it is stopped."""
        if self._scheduler is not None:
            self._scheduler.stop()
        if self._open_world is not None:
            self._open_world.engine.release()
        self._open_world = None

    def __enter__(self) -> Warehouse:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def create_table(
        self,
        name: str,
        schema_or_df: StructType | str | Frame,
        primary_key: str | Sequence[str] | None = None,
        foreign_keys: ForeignKeys | None = None,
        partition_by: str | Sequence[str] | None = None,
        comment: str | None = None,
        *,
        enforce_primary_key: bool = True,
        merge_on_read: str | None = None,
    ) -> Table:
        """Create a table: empty from a schema (StructType or DDL text), or with the rows of
        a DataFrame of Spark, pandas or polars, or of an Arrow table.

        Every write is held to the primary key: a key that is there already, twice or NULL is
        refused. `enforce_primary_key=False` only declares it; verify() checks it all the same.

        `foreign_keys` maps a column to "table.column"; for several columns, a tuple to such a
        tuple. They are declared, and checked by verify(). `merge_on_read`: see set_merge_on_read.
        """
        from everview.tables import Declared, create_own_table

        declared = Declared(
            primary_key,
            foreign_keys,
            partition_by,
            comment or "",
            primary_key_enforced=enforce_primary_key,
            merge_on_read=merge_on_read_or_none(merge_on_read),
        )
        create_own_table(self._world, name, schema_or_df, declared)
        return self.table(name)

    def attach(self, name: str, path: str | PathLike[str], *, replace: bool = False) -> Table:
        """Read somebody else's Delta table where it lies; it is never written or copied.

        With `replace` a name that is attached already is pointed to another place. If the same
        table lies there, moved with its log, views of it go on from where they are; if it is
        another table, the next refresh builds them anew.
        """
        from everview.lake.storage import given_place
        from everview.views.attachments import attach_table

        attach_table(self._world, name, given_place(path), replace=replace)
        return self.table(name)

    def table(self, name: str) -> Table:
        """The handle of a table, own or attached."""
        return Table(self, name)

    def tables(self) -> list[str]:
        """The names of all tables, own and attached."""
        return [
            e.name for e in self._world.catalog.read().entries if e.kind in ("table", "attached")
        ]

    def vacuum(
        self, retention_hours: float | None = None, *, dry_run: bool = False, force: bool = False
    ) -> tuple[str, ...]:
        """Vacuum all own tables and views, and remove the folders that statements left behind which
        died before they were done. Gives the paths within the warehouse.

        The retention is that of `table.vacuum`, and as there must be forced if it is short.
        """
        from everview.handles.vacuum import vacuum_all

        return vacuum_all(self._world, retention_hours, dry_run=dry_run, force=force)

    def create_materialized_view(
        self,
        name: str,
        sql: str,
        policy: str | None = None,
        comment: str | None = None,
        replace: bool = False,
        cluster_by: str | Sequence[str] = (),
        merge_on_read: str | None = None,
        when: str | None = None,
    ) -> View:
        """Create a view and build it; it equals its definition at the versions it then read.

        `policy`: AUTO takes the cheaper way at each refresh, INCREMENTAL and INCREMENTAL STRICT
        refuse what cannot be maintained incrementally, FULL always recomputes. Without one the
        setting of that name decides, which is AUTO unless it was changed.

        `replace` gives a view of that name the new definition in the same place; StillUsed if a
        view above uses a column that would go. Files hold ranges of the columns `cluster_by`.
        `merge_on_read` is that of set_merge_on_read; without it the setting decides. `when` says
        when it is refreshed, as view.set_when; without it, ON DEMAND.
        """
        from everview.create import create_view
        from everview.spark.pinned import pinned_settings
        from everview.sql.statements.when import when_of
        from everview.understand import Definition, policy_of

        wanted = policy_of(self.settings.policy if policy is None else policy)
        columns = (cluster_by,) if isinstance(cluster_by, str) else tuple(cluster_by)
        definition = Definition(
            *(name, sql, pinned_settings(self.spark), wanted, comment or ""),
            cluster_by=columns,
            merge_on_read=merge_on_read_or_none(merge_on_read),
            when="" if when is None else when_text(when_of(when)),
        )
        create_view(self._world, definition, replace=replace)
        return self.view(name)

    def create_view(
        self, name: str, sql: str, comment: str | None = None, *, replace: bool = False
    ) -> None:
        """Give a query a name without storing its rows; what reads the name reads the query.

        `replace` gives the name another query if all views above remain valid (StillUsed if not);
        materialized ones are built anew at their next refresh, and status() says so.
        """
        from everview.create import create_virtual_view
        from everview.sql.read.inline import VirtualView

        create_virtual_view(self._world, VirtualView(name, sql), comment or "", replace=replace)

    def sql(self, text: str) -> DataFrame:
        """Run one statement, as spark.sql does: of a query its rows (public columns only), of
        REFRESH and VERIFY a row per view, of a write what it changed.

        Statements: queries, CREATE, INSERT, UPDATE, DELETE, MERGE, DROP, ALTER, ATTACH, REFRESH,
        VERIFY, OPTIMIZE, VACUUM, SHOW, DESCRIBE and EXPLAIN; docs/sql.md has them all.
        """
        from everview.statements.run import read_statement

        return self._run(*read_statement(text))

    def run_script(self, text: str) -> DataFrame | None:
        """Run several statements, separated by semicolons, and give the last one's DataFrame.

        The whole text is parsed before the first one runs; None if it holds no statement.
        """
        from everview.statements.run import read_script

        result = None
        for statement, part in read_script(text):
            result = self._run(statement, part)
        return result

    def _run(self, statement: Statement, part: Slice) -> DataFrame:
        from everview.sql.statements.values import Query
        from everview.statements.run import run_statement

        result = run_statement(self, statement, part)
        if not isinstance(statement, Query):
            self._temporary.follow(self._world)
        return result

    def register(self, spark: SparkSession | None = None) -> list[str]:
        """Make every view readable as a temporary view of a session, under its own name.

        The temporary views show what is published now; after each refresh and each statement
        through this warehouse they are made anew. Gives their names; a view that cannot be read
        now is left out.
        """
        session = self.spark if spark is None else spark
        return self._temporary.make(self._world, session)

    def _drop(self, name: str, *, cascade: bool) -> tuple[str, ...]:
        from everview.views.catalog_changes import drop_entry

        gone = drop_entry(self._world, name, cascade=cascade)
        self._temporary.follow(self._world)
        return tuple(e.name for e in gone)

    def _repr_html_(self) -> str:
        return warehouse_html(self._open_world)

    def __repr__(self) -> str:
        if self._open_world is None:
            return "<warehouse, closed>"
        return f"<warehouse {self.path}: {len(self.tables())} tables, {len(self.views())} views>"
