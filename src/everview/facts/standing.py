"""How a view stands to its sources now: tables are told apart by id, columns by name and type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from everview.errors import ColumnGone, EverviewError
from everview.facts.schema import Field, Schema
from everview.facts.views import SourceRecord


@dataclass(frozen=True, slots=True)
class Seen:
    """What is found under a source's name now; `limited` if it is a view with a LIMIT."""

    id: str
    version: int
    schema: Schema
    limited: bool = False


@dataclass(frozen=True, slots=True)
class SameTable:
    """The table that the view read, at this version now."""

    version: int


@dataclass(frozen=True, slots=True)
class OtherTable:
    """Another table has the name now: its versions are not those that the view has seen."""


@dataclass(frozen=True, slots=True)
class NoVersions:
    """A table without versions: nobody knows whether it changed."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Gone, or there and not to be read, as the error says."""

    error: EverviewError


SourceState = SameTable | OtherTable | NoVersions | Unreadable


@dataclass(frozen=True, slots=True)
class Retyped:
    """A column that has another type than the view was built over."""

    column: str
    before: str
    after: str

    def __str__(self) -> str:
        if self.before.startswith("{") or self.after.startswith("{"):
            return "has another nested type than before"
        return f"was {self.before} and is {self.after}"


@dataclass(frozen=True, slots=True)
class SourceStanding:
    """One source now. `dropped` and `retyped` are columns that the view reads; `added` are those
    that it was not built over and does not see.
    """

    name: str
    state: SourceState
    dropped: tuple[str, ...] = ()
    retyped: tuple[Retyped, ...] = ()
    added: tuple[str, ...] = ()
    limit: str = ""  # whether it has a LIMIT now, where that is other than before

    def commits_since(self, version: int | None) -> int | None:
        """How many commits came after a version; None if nobody can count them."""
        match self.state:
            case SameTable(now):
                return now - (version or 0) if now >= (version or 0) else None
            case OtherTable() | NoVersions() | Unreadable():
                return None
            case _:
                assert_never(self.state)

    @property
    def rebuild(self) -> str:
        """Why the view's stored rows cannot be built on, "" if they can."""
        if isinstance(self.state, OtherTable):
            return f"`{self.name}` is another table than before (dropped and created again)"
        if self.retyped:
            return f"`{self.name}`.`{self.retyped[0].column}` {self.retyped[0]}"
        return f"`{self.name}` has {self.limit} now" if self.limit else ""

    def trouble(self, view: str) -> EverviewError | None:
        """What a refresh of the view raises whatever its policy, None if nothing."""
        if isinstance(self.state, Unreadable):
            return self.state.error
        if not self.dropped:
            return None
        gone = ", ".join(f"`{name}`" for name in self.dropped)
        new = ", ".join(f"`{name}`" for name in self.added)
        column = "columns" if len(self.dropped) > 1 else "column"
        return ColumnGone(
            f"`{view}` reads {gone} of `{self.name}`, which has no such {column} any more"
            f"{f' (new there: {new})' if new else ''}.",
            remedy=f"The rows of `{view}` stay as they are. Bring the {column} back, or replace "
            "the view: CREATE OR REPLACE MATERIALIZED VIEW.",
        )


@dataclass(frozen=True, slots=True)
class Standing:
    """A view and all its sources now."""

    view: str
    sources: tuple[SourceStanding, ...]

    @property
    def trouble(self) -> EverviewError | None:
        """What a refresh raises whatever the policy, None if it can be done."""
        found = (s.trouble(self.view) for s in self.sources)
        return next((error for error in found if error is not None), None)

    @property
    def rebuild(self) -> str:
        """Why a refresh builds the view anew, "" if its sources do not ask for that."""
        return next(filter(None, (s.rebuild for s in self.sources)), "")

    def behind(self, watermark: Mapping[str, int]) -> dict[str, int | None]:
        """Per source with versions the commits that the view has not seen, None if nobody can
        count them.
        """
        return {
            s.name: s.commits_since(watermark.get(s.name))
            for s in self.sources
            if not isinstance(s.state, NoVersions)
        }


def compared(source: SourceRecord, now: Seen | EverviewError) -> SourceStanding:
    """A recorded source and what is found in its place."""
    if isinstance(now, EverviewError):
        return SourceStanding(source.name, Unreadable(now))
    is_same = now.id == source.id
    limit = "a LIMIT" if now.limited else "no LIMIT"
    return SourceStanding(
        source.name,
        SameTable(now.version) if is_same else OtherTable(),
        *_reshaped(source, source.used, now.schema),
        limit=limit if now.limited != source.limited else "",
    )


def compared_unversioned(source: SourceRecord, now: Schema | EverviewError) -> SourceStanding:
    """The same of a table without versions, of which any column may be used."""
    if isinstance(now, EverviewError):
        return SourceStanding(source.name, Unreadable(now))
    return SourceStanding(source.name, NoVersions(), *_reshaped(source, source.schema.names, now))


def _reshaped(
    source: SourceRecord, used: tuple[str, ...], now: Schema
) -> tuple[tuple[str, ...], tuple[Retyped, ...], tuple[str, ...]]:
    """The columns dropped and retyped of those used, and the columns added. Order is nothing."""
    dropped = tuple(n for n in used if n not in now)
    retyped = tuple(
        Retyped(n, source.schema[n].type, now[n].type)
        for n in used
        if n in now and now[n].type != source.schema[n].type
    )
    return dropped, retyped, tuple(n for n in now.names if n not in source.schema)


def with_change(schema: Schema, change: str | Retyped) -> Schema:
    """A schema after one column was dropped, given by its name, or retyped."""
    if isinstance(change, str):
        return Schema(tuple(f for f in schema.fields if f.name != change))
    return Schema(
        tuple(
            Field(f.name, change.after, f.nullable) if f.name == change.column else f
            for f in schema.fields
        )
    )
