"""The statements that exist, one frozen value each."""

from __future__ import annotations

from dataclasses import dataclass

from everview.facts.merge_on_read import MergeOnRead
from everview.facts.views import Policy
from everview.facts.when import Timing
from everview.sql.statements.asked import (
    Describe,
    DescribeHistory,
    Explain,
    ExplainQuery,
    ShowCreate,
    ShowMaterializedViews,
    ShowTables,
    ShowViews,
)
from everview.sql.statements.parts import (
    AddColumns,
    Assignment,
    ForeignKey,
    Kind,
    MergeClause,
    Name,
    NewColumn,
    RenameTo,
    SetComment,
    SetLocation,
    SetMergeOnRead,
    SetPolicy,
    SetSuspended,
    SetWhen,
    Slice,
    ViewColumn,
)


@dataclass(frozen=True, slots=True)
class Query:
    """Rows wanted: SELECT, WITH, FROM, VALUES, TABLE, or one of them in parentheses."""

    query: Slice


# Tables


@dataclass(frozen=True, slots=True)
class CreateTable:
    """At least one of columns and query is there; an empty primary key means none is declared.

    Names of constraints are not kept: nothing refers to them.
    """

    name: Name
    if_not_exists: bool
    columns: tuple[NewColumn, ...] | None
    query: Slice | None
    partitioned_by: tuple[Name, ...]
    primary_key: tuple[Name, ...]
    foreign_keys: tuple[ForeignKey, ...]
    comment: str | None
    primary_key_not_enforced: bool = False
    merge_on_read: MergeOnRead | None = None


@dataclass(frozen=True, slots=True)
class InsertInto:
    """By position, or `by_name`: then each value goes to the column of its name."""

    name: Name
    columns: tuple[Name, ...] | None
    query: Slice
    by_name: bool = False


@dataclass(frozen=True, slots=True)
class InsertOverwrite:
    """The query's rows take the place of all rows."""

    name: Name
    columns: tuple[Name, ...] | None
    query: Slice
    by_name: bool = False


@dataclass(frozen=True, slots=True)
class DeleteFrom:
    """Without a condition: all rows."""

    name: Name
    alias: Name | None
    where: Slice | None


@dataclass(frozen=True, slots=True)
class Update:
    """Without a condition: all rows."""

    name: Name
    alias: Name | None
    assignments: tuple[Assignment, ...]
    where: Slice | None


@dataclass(frozen=True, slots=True)
class MergeInto:
    """The source is a name, or the query that stood in parentheses."""

    target: Name
    target_alias: Name | None
    source: Name | Slice
    source_alias: Name | None
    on: Slice
    clauses: tuple[MergeClause, ...]


@dataclass(frozen=True, slots=True)
class DropTable:
    """`cascade`: with all views that read it."""

    name: Name
    if_exists: bool
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class Attach:
    """A table that belongs to another writer, at a path or URI."""

    name: Name
    path: str
    or_replace: bool
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class AlterTable:
    name: Name
    if_exists: bool
    change: RenameTo | SetComment | SetLocation | AddColumns | SetMergeOnRead


@dataclass(frozen=True, slots=True)
class VerifyTable:
    """Do the declared keys hold? No names: of all tables."""

    names: tuple[Name, ...]


# Tables and materialized views


@dataclass(frozen=True, slots=True)
class Optimize:
    """The same rows in fewer files. A kind of None: whatever has that name."""

    kind: Kind | None
    name: Name


@dataclass(frozen=True, slots=True)
class Vacuum:
    """Remove files that no version within so many hours needs; None: as the setting says.

    Without a name: of all tables and views, and what else was left behind.
    """

    kind: Kind | None
    name: Name | None
    hours: float | None
    force: bool
    dry_run: bool


# Virtual views


@dataclass(frozen=True, slots=True)
class CreateView:
    name: Name
    or_replace: bool
    if_not_exists: bool
    columns: tuple[ViewColumn, ...] | None
    comment: str | None
    query: Slice


@dataclass(frozen=True, slots=True)
class DropView:
    """`cascade`: with all views that read it."""

    name: Name
    if_exists: bool
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class AlterView:
    name: Name
    if_exists: bool
    change: RenameTo | SetComment


# Materialized views


@dataclass(frozen=True, slots=True)
class CreateMaterializedView:
    """A policy of None leaves the choice to the warehouse; a `when` of None is ON DEMAND."""

    name: Name
    or_replace: bool
    if_not_exists: bool
    columns: tuple[ViewColumn, ...] | None
    comment: str | None
    policy: Policy | None
    query: Slice
    cluster_by: tuple[Name, ...] = ()
    merge_on_read: MergeOnRead | None = None
    when: Timing | None = None


@dataclass(frozen=True, slots=True)
class DropMaterializedView:
    """`cascade`: with all views that read it."""

    name: Name
    if_exists: bool
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class AlterMaterializedView:
    name: Name
    if_exists: bool
    change: RenameTo | SetComment | SetPolicy | SetMergeOnRead | SetWhen | SetSuspended


@dataclass(frozen=True, slots=True)
class RefreshMaterializedView:
    """No names: all of them. No strategy: as Everview chooses."""

    names: tuple[Name, ...]
    full: bool
    strategy: str | None = None


@dataclass(frozen=True, slots=True)
class Verify:
    """Does a stored view equal its definition? No names: all of them."""

    names: tuple[Name, ...]


# Questions


@dataclass(frozen=True, slots=True)
class ExplainCreate:
    """What a view would be, without creating it."""

    statement: CreateMaterializedView


Statement = (
    Query
    | CreateTable
    | InsertInto
    | InsertOverwrite
    | DeleteFrom
    | Update
    | MergeInto
    | DropTable
    | Attach
    | AlterTable
    | VerifyTable
    | Optimize
    | Vacuum
    | CreateView
    | DropView
    | AlterView
    | CreateMaterializedView
    | DropMaterializedView
    | AlterMaterializedView
    | RefreshMaterializedView
    | Verify
    | ShowTables
    | ShowViews
    | ShowMaterializedViews
    | ShowCreate
    | Describe
    | DescribeHistory
    | Explain
    | ExplainCreate
    | ExplainQuery
)
