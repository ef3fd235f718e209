"""The public Python API: tables, views, queries and statements of one open warehouse."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from everview.create import create_view, create_virtual_view, policy_of
from everview.errors import WarehouseClosed
from everview.facts.receipts import Receipt
from everview.handles.table import Table
from everview.handles.view import View
from everview.lake.catalog import Entry
from everview.lake.delta.storage import location
from everview.queries import public_frame
from everview.refresh_views import refresh_views
from everview.run.pinned import pinned_settings
from everview.settings import Settings
from everview.sql.inline import VirtualView
from everview.sql.names import quoted
from everview.sql.statements.parse import parse_script, parse_statement, split_script
from everview.sql.statements.parts import Slice
from everview.sql.statements.values import Query, Statement
from everview.statements.run import run_statement, script_text
from everview.tables import Declared, ForeignKeys, create_table
from everview.views.catalog_changes import add_entry, check_name, drop_entry, refuse_copy
from everview.views.definition import Definition
from everview.views.notebook import warehouse_html
from everview.views.status import Status
from everview.views.world import World


class Warehouse:
    """Tables and materialized views at one place; use it as a context manager or close it."""

    def __init__(self, world: World) -> None:
        self._open_world: World | None = world
        self._registered: list[tuple[SparkSession, list[str]]] = []

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
        """Let go of the warehouse; the Spark session stays."""
        if self._open_world is not None:
            self._open_world.engine.release()
        self._open_world = None

    def __enter__(self) -> Warehouse:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Tables

    def create_table(
        self,
        name: str,
        schema_or_df: StructType | str | DataFrame,
        primary_key: str | Sequence[str] | None = None,
        foreign_keys: ForeignKeys | None = None,
        partition_by: str | Sequence[str] | None = None,
        comment: str | None = None,
    ) -> Table:
        """Create a table: empty from a schema (StructType or DDL text), or with a DataFrame's
        rows.

        `foreign_keys` maps a column to "table.column"; for several columns, a tuple to such a
        tuple.
        """
        declared = Declared(primary_key, foreign_keys, partition_by, comment or "")
        create_table(self._world, name, schema_or_df, declared)
        return self.table(name)

    def attach(self, name: str, path: str) -> Table:
        """Read somebody else's Delta table where it lies; it is never written or copied."""
        world = self._world
        check_name(world.catalog.read(), name)
        place = location(path)
        refuse_copy(world, place)
        add_entry(world, Entry(name, "attached", place))
        return self.table(name)

    def table(self, name: str) -> Table:
        """The handle of a table, own or attached."""
        return Table(self, name)

    def tables(self) -> list[str]:
        """The names of all tables, own and attached."""
        return [
            e.name for e in self._world.catalog.read().entries if e.kind in ("table", "attached")
        ]

    # Views

    def create_materialized_view(
        self,
        name: str,
        sql: str,
        policy: str | None = None,
        comment: str | None = None,
        replace: bool = False,
    ) -> View:
        """Create a view and build it; it equals its definition at the versions it then read.

        `policy`: AUTO takes the cheaper way at each refresh, INCREMENTAL and INCREMENTAL STRICT
        refuse what cannot be maintained incrementally, FULL always recomputes. Without one the
        setting of that name decides, which is AUTO unless it was changed.
        """
        world = self._world
        wanted = policy_of(world.settings.policy if policy is None else policy)
        settings = pinned_settings(self.spark)
        definition = Definition(name, sql, settings, wanted, comment or "")
        create_view(world, definition, replace=replace)
        return self.view(name)

    def create_view(
        self, name: str, sql: str, comment: str | None = None, *, replace: bool = False
    ) -> None:
        """Give a query a name without storing its rows; what reads the name reads the query."""
        create_virtual_view(self._world, VirtualView(name, sql), comment or "", replace=replace)

    def view(self, name: str) -> View:
        """The handle of a materialized view."""
        return View(self, name)

    def views(self) -> list[str]:
        """The names of all materialized views."""
        return [e.name for e in self._world.catalog.read().entries if e.kind == "view"]

    def refresh(self, *names: str, full: bool = False) -> list[Receipt]:
        """Refresh these views, or all, sources first, all at one set of source versions.

        `full` recomputes them whatever changed.
        """
        wanted = [self.view(n).name for n in names] if names else self.views()
        return self._refresh(wanted, full=full)

    def status(self) -> list[Status]:
        """How fresh each materialized view is."""
        return [self.view(name).status() for name in self.views()]

    def _refresh(self, names: list[str], *, full: bool) -> list[Receipt]:
        receipts = refresh_views(self._world, names, full=full)
        self._follow()
        return receipts

    # Queries

    def sql(self, text: str) -> DataFrame:
        """Run one statement, as spark.sql does: of a query its rows (public columns only), of
        REFRESH and VERIFY a row per view, of a write what it changed.

        Statements: queries, CREATE, INSERT, UPDATE, DELETE, MERGE, DROP, ALTER, ATTACH, REFRESH,
        VERIFY, SHOW, DESCRIBE and EXPLAIN; docs/sql.md has them all.
        """
        text = script_text(text)
        return self._run(parse_statement(text), split_script(text)[0])

    def run_script(self, text: str) -> DataFrame | None:
        """Run several statements, separated by semicolons, and give the last one's DataFrame.

        The whole text is parsed before the first one runs; None if it holds no statement.
        """
        result, text = None, script_text(text)
        for statement, part in zip(parse_script(text), split_script(text), strict=True):
            result = self._run(statement, part)
        return result

    def _run(self, statement: Statement, part: Slice) -> DataFrame:
        result = run_statement(self, statement, part)
        if not isinstance(statement, Query):
            self._follow()
        return result

    def register(self, spark: SparkSession | None = None) -> list[str]:
        """Make every view readable as a temporary view of a session, under its own name.

        The temporary views show what is published now; after each refresh and each statement
        through this warehouse they are made anew. Gives their names.
        """
        world = self._world
        session = self.spark if spark is None else spark
        entries = [e for e in world.catalog.read().entries if e.kind in ("view", "virtual")]
        names = [e.name for e in entries]
        before = [n for known, made in self._registered if known is session for n in made]
        for gone in set(before) - set(names):
            session.catalog.dropTempView(gone)
        for entry in entries:
            public_frame(world, session, entry).createOrReplaceTempView(quoted(entry.name))
        others = [r for r in self._registered if r[0] is not session]
        self._registered = [*others, (session, names)]
        return names

    def _follow(self) -> None:
        """The sessions with registered views see what is published now."""
        for session, _ in self._registered:
            self.register(session)

    def _drop(self, name: str) -> None:
        drop_entry(self._world, name)
        self._follow()

    def _repr_html_(self) -> str:
        return warehouse_html(self._open_world)

    def __repr__(self) -> str:
        if self._open_world is None:
            return "<warehouse, closed>"
        return f"<warehouse {self.path}: {len(self.tables())} tables, {len(self.views())} views>"
