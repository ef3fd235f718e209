"""What statements are made of: verbatim text, names, columns, keys, assignments."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from everview.errors import Place
from everview.facts.merge_on_read import MergeOnRead
from everview.facts.views import Policy
from everview.facts.when import Timing
from everview.sql.names import quoted
from everview.sql.read.parse import place_at

Kind = Literal["MATERIALIZED VIEW", "VIEW", "TABLE"]


def place_of(text: str, start: int, end: int) -> Place:
    """The place of text[start:end]; of one character where that is empty."""
    place = place_at(text, start, max(start, end - 1))
    return replace(place, source_line=place.source_line.rstrip("\r"))


@dataclass(frozen=True, slots=True)
class Slice:
    """A verbatim part of a text: whole[start : start + len(text)]."""

    text: str
    start: int
    whole: str = field(repr=False)

    def place(self, start: int, end: int) -> Place:
        """Where the characters from start to end of this part, both included, stand in the
        whole.
        """
        return place_of(self.whole, self.start + start, self.start + end + 1)

    def in_whole(self, place: Place) -> Place:
        """A place within this part, as a place in the whole."""
        lines = self.text.split("\n")
        start = sum(len(line) + 1 for line in lines[: place.line - 1]) + place.column - 1
        return self.place(start, start + max(1, place.length) - 1)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Name:
    """A name as written, back-ticks taken off; it stands at start up to, not including, end."""

    parts: tuple[str, ...]
    start: int
    end: int

    def place(self, whole: str) -> Place:
        return place_of(whole, self.start, self.end)

    @property
    def dotted(self) -> str:
        """The parts joined with dots, as catalog names are."""
        return ".".join(self.parts)

    @property
    def sql(self) -> str:
        """The parts quoted, for a SQL text."""
        return ".".join(quoted(part) for part in self.parts)

    def __str__(self) -> str:
        return self.dotted


@dataclass(frozen=True, slots=True)
class NewColumn:
    """A column of a new table; its type is Spark's business, so it stays text."""

    name: Name
    type: Slice
    not_null: bool = False
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Each value of the columns is one of the referenced columns of the table."""

    columns: tuple[Name, ...]
    table: Name
    referenced: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class ViewColumn:
    """A name, and perhaps a comment, given to an output column of a view's query."""

    name: Name
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """column = value."""

    column: Name
    value: Slice


# What a clause of MERGE does with a row


@dataclass(frozen=True, slots=True)
class MergeUpdate:
    assignments: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class MergeUpdateAll:
    """UPDATE SET *: every column of the target from the source's column of that name."""


@dataclass(frozen=True, slots=True)
class MergeDelete:
    pass


@dataclass(frozen=True, slots=True)
class MergeInsert:
    """One value for each column."""

    columns: tuple[Name, ...]
    values: tuple[Slice, ...]


@dataclass(frozen=True, slots=True)
class MergeInsertAll:
    """INSERT *: every column of the target from the source's column of that name."""


MergeAction = MergeUpdate | MergeUpdateAll | MergeDelete | MergeInsert | MergeInsertAll
MergeMatch = Literal["MATCHED", "NOT MATCHED", "NOT MATCHED BY SOURCE"]


@dataclass(frozen=True, slots=True)
class MergeClause:
    """The rows it is about, the condition on them, and what becomes of them; of the clauses that
    fit a row, the first counts.
    """

    match: MergeMatch
    condition: Slice | None
    action: MergeAction


# What ALTER changes


@dataclass(frozen=True, slots=True)
class RenameTo:
    name: Name


@dataclass(frozen=True, slots=True)
class SetComment:
    """None takes the comment away."""

    comment: str | None


@dataclass(frozen=True, slots=True)
class SetLocation:
    """Where an attached table lies now."""

    path: str


@dataclass(frozen=True, slots=True)
class AddColumns:
    """For tables alone: at the end, NULL in the rows that are there."""

    columns: tuple[NewColumn, ...]


@dataclass(frozen=True, slots=True)
class SetPolicy:
    """For materialized views alone."""

    policy: Policy


@dataclass(frozen=True, slots=True)
class SetWhen:
    """For materialized views alone: when they are refreshed."""

    when: Timing


@dataclass(frozen=True, slots=True)
class SetSuspended:
    """For materialized views alone: whether they wait until somebody names them."""

    suspended: bool


@dataclass(frozen=True, slots=True)
class SetMergeOnRead:
    """For tables and materialized views: whether rows may be deleted by deletion vectors."""

    value: MergeOnRead
