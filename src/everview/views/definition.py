"""The definition of a view, given by a user or taken from the record of a view built anew."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from everview.errors import (
    ColumnGone,
    ComputationFailed,
    NotIncremental,
    SqlInvalid,
    UnsupportedType,
)
from everview.facts.schema import Schema
from everview.facts.views import ViewRecord
from everview.lake.catalog import Entry


@dataclass(frozen=True, slots=True)
class Definition:
    """What the user gave: the text, the settings it is read under, and the wishes."""

    name: str
    sql: str
    settings: Mapping[str, str]
    policy: str = "AUTO"
    comment: str = ""
    comments: Mapping[str, str] = field(default_factory=dict)  # by column
    inlined: tuple[str, ...] = ()  # virtual views whose queries are in the text already
    recorded: ViewRecord | None = None  # of a view that is built anew, as it was built before

    def visible(self, source: str, schema: Schema) -> Schema:
        """The columns of a source that the text is read over: all, or of a view that is built
        anew those that it was built over, as far as they are still there.
        """
        if self.recorded is None:
            return schema
        known = {s.name: s.schema for s in (*self.recorded.sources, *self.recorded.outside)}
        before = known.get(source, schema)
        return schema.only(tuple(n for n in before.names if n in schema))

    def require_columns(self, columns: Schema) -> None:
        """A view that is built anew keeps its columns; the fields that `s.*` stands for may have
        become other ones.
        """
        if self.recorded is None or self.recorded.columns.names == columns.names:
            return
        before, now = ", ".join(self.recorded.columns.names), ", ".join(columns.names)
        raise ColumnGone(f"its columns are {before}, and its text would give {now}.")


def definition_again(entry: Entry, record: ViewRecord) -> Definition:
    """The definition of a view that is built anew: what `*` stands for stays as it was."""
    return Definition(
        entry.name,
        record.sql,
        record.settings,
        entry.policy,
        entry.comment,
        record.comments,
        record.inlined,
        record,
    )


@contextlib.contextmanager
def built_anew(view: str, reason: str) -> Iterator[None]:
    """What keeps a view from being built anew is raised with its name and the reason."""
    try:
        yield
    except _UNFIT as error:
        raise type(error)(
            f"`{view}` would be built anew, since {reason}. That cannot be done: {error.what}",
            where=error.where,
            remedy=f"The rows of `{view}` stay as they are. Replace the view by a definition that "
            "fits: CREATE OR REPLACE MATERIALIZED VIEW.",
        ) from error


_UNFIT = (ColumnGone, ComputationFailed, NotIncremental, SqlInvalid, UnsupportedType)
