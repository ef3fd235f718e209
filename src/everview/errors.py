"""Every error Everview raises on purpose: a code, what happened, where, and what to do instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a SQL text: 1-based line and column, and how many characters it covers."""

    line: int
    column: int
    length: int
    source_line: str

    def __str__(self) -> str:
        caret = " " * (self.column - 1) + "^" * max(1, self.length)
        return f"line {self.line}, column {self.column}:\n      {self.source_line}\n      {caret}"


class EverviewError(Exception):
    """The root of all errors raised on purpose; one subclass per kind, each with its own code."""

    code: ClassVar[str] = "EV-0000"
    title: ClassVar[str] = "error"

    def __init__(self, what: str, *, where: Place | str | None = None, remedy: str = "") -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(self._text())

    def _text(self) -> str:
        lines = [f"{self.code}  {self.title}"]
        if self.where is not None:
            lines.append(f"  {self.where}")
        lines.append(f"  {self.what}")
        if self.remedy:
            lines.append(f"  {self.remedy}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, object]:
        return {
            "code": self.code,
            "title": self.title,
            "what": self.what,
            "where": None if self.where is None else str(self.where),
            "remedy": self.remedy,
        }


# 1xxx: names, arguments and the warehouse itself


class NotAWarehouse(EverviewError):
    code = "EV-1001"
    title = "not an Everview warehouse"


class UnknownName(EverviewError):
    code = "EV-1002"
    title = "no table or view of that name"


class NameTaken(EverviewError):
    code = "EV-1003"
    title = "the name is taken"


class InvalidName(EverviewError):
    code = "EV-1004"
    title = "the name cannot be used"


class InvalidArgument(EverviewError):
    code = "EV-1005"
    title = "an argument does not fit"


class StillUsed(EverviewError):
    code = "EV-1006"
    title = "views still read it"


class ReadOnlyTable(EverviewError):
    code = "EV-1007"
    title = "an attached table belongs to its writer"


class WarehouseClosed(EverviewError):
    code = "EV-1008"
    title = "the warehouse is closed"


# 2xxx: the text of a definition or query


class SqlSyntax(EverviewError):
    code = "EV-2001"
    title = "the SQL text cannot be parsed"


class SqlInvalid(EverviewError):
    code = "EV-2002"
    title = "Spark does not accept the definition"


class SqlNotAllowed(EverviewError):
    code = "EV-2003"
    title = "not allowed in a definition"


class NotIncremental(EverviewError):
    code = "EV-2201"
    title = "the view cannot be maintained incrementally"


# 3xxx: rows and types


class UnsupportedType(EverviewError):
    code = "EV-3001"
    title = "the type cannot be stored"


class SchemaMismatch(EverviewError):
    code = "EV-3002"
    title = "the rows do not fit the table"


class AmbiguousMerge(EverviewError):
    code = "EV-3003"
    title = "several new rows for one key"


class ConstraintViolated(EverviewError):
    code = "EV-3004"
    title = "a declared constraint does not hold"


# 4xxx: the lake


class CommitConflict(EverviewError):
    code = "EV-4001"
    title = "another writer committed first"


class CommitUnknown(EverviewError):
    code = "EV-4002"
    title = "it is not known whether the commit landed"


class UnsupportedFeature(EverviewError):
    code = "EV-4003"
    title = "the table uses a feature the embedded reader does not have"


class NotATable(EverviewError):
    code = "EV-4004"
    title = "there is no table at that location"


class CopiedTable(EverviewError):
    code = "EV-4005"
    title = "a table of that id is known at another location"


class WriteVerification(EverviewError):
    code = "EV-4006"
    title = "the files written are not what was observed"


class LostHistory(EverviewError):
    code = "EV-4007"
    title = "the history needed is gone"


class CommitFailed(EverviewError):
    code = "EV-4008"
    title = "the commit did not land"


# 5xxx: refresh


class RefreshRefused(EverviewError):
    code = "EV-5001"
    title = "the policy does not allow this refresh"


class InvariantViolated(EverviewError):
    code = "EV-5002"
    title = "a check of the refresh failed, nothing was published"


# 6xxx: the machine


class NoJava(EverviewError):
    code = "EV-6001"
    title = "no Java found that Spark can use"


class SparkTooOld(EverviewError):
    code = "EV-6002"
    title = "this Spark is not supported"


class SparkNotStarted(EverviewError):
    code = "EV-6003"
    title = "Spark does not start"


# 9xxx: what nobody foresaw


class Unexpected(EverviewError):
    code = "EV-9001"
    title = "an error that Everview did not foresee"
