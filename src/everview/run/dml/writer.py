"""Writing tables: each statement is all or nothing, and once when it carries a token."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame

from everview.errors import (
    CommitConflict,
    ConstraintViolated,
    EverviewError,
    InvalidArgument,
    Place,
    SchemaMismatch,
    SqlInvalid,
)
from everview.facts.tables import Commit
from everview.run.dml.pinned import PinnedTable
from everview.run.dml.statement import PinnedStatement
from everview.run.dml.target import Result, Target
from everview.run.rows.given import Frame, given_frame
from everview.run.rows.write import Written
from everview.spark.engine import is_from_spark
from everview.spark.errors import said_by_spark, spark_failure, spark_message
from everview.spark.log import logged
from everview.sql.write.changing import DOES_NOT_FIT, Merge

_ATTEMPTS = 20  # of committing rows that other writers do not disturb
_PAUSE = 0.02  # seconds, times the number of the attempt


def token_app(token: str) -> str:
    """The application id under which a caller's token is recorded."""
    return f"everview:token:{token}"


@dataclass(frozen=True, slots=True)
class TableWriter:
    """Carries out statements on one table of the warehouse."""

    target: Target

    def under(self, alias: str) -> TableWriter:
        """The same, with the table's columns qualified by another name in conditions."""
        return TableWriter(replace(self.target, alias=alias))

    def append(self, rows: Frame, token: str | None, *, blind: bool = True) -> int:
        """`blind` rows do not depend on those of the table, whoever writes it meanwhile."""
        frame = self._frame(rows)
        return self._once("INSERT", token, lambda statement: statement.append(frame, blind=blind))

    def overwrite(self, rows: Frame, token: str | None) -> int:
        frame = self._frame(rows)
        return self._once("OVERWRITE", token, lambda statement: statement.overwrite(frame))

    def delete(self, where: str, token: str | None) -> int:
        _require_text("the condition", where)
        return self._once("DELETE", token, lambda statement: statement.delete(where))

    def update(self, set_: Mapping[str, str], where: str | None, token: str | None) -> int:
        for name, expression in set_.items():
            _require_text(f"the value of {name}", expression)
        if where is not None:
            _require_text("the condition", where)
        return self._once("UPDATE", token, lambda statement: statement.update(set_, where))

    def merge(self, rows: Frame, on: str | Sequence[str], token: str | None) -> int:
        frame = self._frame(rows)
        keys = (on,) if isinstance(on, str) else tuple(on or ())
        return self._once("MERGE", token, lambda statement: statement.merge(frame, keys))

    def merge_into(self, frame: DataFrame, merge: Merge, token: str | None) -> int:
        return self._once("MERGE", token, lambda statement: statement.merge_into(frame, merge))

    def compact(self) -> int:
        return self._once("COMPACT", None, lambda statement: statement.compact())

    def _frame(self, rows: Frame) -> DataFrame:
        table = self.target.table
        schema = (
            None if isinstance(rows, DataFrame) else table.snapshot(table.head().version).schema
        )
        return given_frame(self.target.engine.caller, rows, schema)

    def _once(
        self, operation: str, token: str | None, work: Callable[[PinnedStatement], Result | None]
    ) -> int:
        """Run a statement unless its token was applied before; gives the version after it."""
        table = self.target.table
        if token is not None:
            _require_text("the token", token)
        with self.target.engine.lock, logged(self.target.name, operation.lower()):
            head = table.head()  # before the token is looked for, which then cannot slip in between
            applied = self._applied(token)
            if applied is not None:
                return applied
            pinned = PinnedTable(self.target, head, uuid.uuid4().hex)
            result = self._result(pinned, operation, work)
            if result is None and token is None:
                return head.version
            self.target.probe("write: commit")
            try:
                version = self._commit(pinned, operation, token, result or Result(Written(())))
            except (CommitConflict, ConstraintViolated):  # it certainly did not land
                pinned.discard()
                raise
            self.target.probe("write: committed")
            return version

    def _applied(self, token: str | None) -> int | None:
        """The version at which a token was applied, None if it was not yet."""
        return None if token is None else self.target.table.transaction(token_app(token))

    def _result(
        self, pinned: PinnedTable, operation: str, work: Callable[[PinnedStatement], Result | None]
    ) -> Result | None:
        """What the statement wrote; nothing is left of one that failed."""
        try:
            return work(PinnedStatement(pinned))
        except Exception as error:
            pinned.discard()
            if is_from_spark(error):
                said = _said(error, operation, self.target.name)
                # Of a mistake in the text Spark's own words are all that is to be said.
                raise said from (None if isinstance(said, SqlInvalid) else error)
            if isinstance(error, EverviewError) and isinstance(error.where, Place):
                # A place in the query that we made of the condition says nothing to its author.
                raise type(error)(error.what, where=operation, remedy=error.remedy) from None
            raise
        finally:
            pinned.staging.remove()

    def _commit(
        self, pinned: PinnedTable, operation: str, token: str | None, result: Result
    ) -> int:
        """Commit on the version that the statement saw, or on a later one if it rebases."""
        table = self.target.table
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return table.commit(_commit_of(pinned, operation, token, result))
            except CommitConflict:
                head = table.head()
                applied = self._applied(token)
                if applied is not None:
                    return applied
                if attempt == _ATTEMPTS or not pinned.rebase(result, head):
                    raise
            time.sleep(_PAUSE * attempt * random.random())
        raise AssertionError("unreachable: the last attempt returns or raises")


def _commit_of(pinned: PinnedTable, operation: str, token: str | None, result: Result) -> Commit:
    base = pinned.head.version
    written = result.written
    return Commit(
        base=base,
        operation=operation,
        token=pinned.token,
        adds=written.rows,
        removes=result.removed,
        minus=written.minus,
        plus=written.plus,
        marks=result.marks,
        has_change_files=result.has_change_files,
        data_change=operation != "COMPACT",
        transactions=() if token is None else ((token_app(token), base + 1),),
        metadata={"rows": dict(written.changed or {})},
    )


def _said(error: Exception, operation: str, table: str) -> EverviewError:
    """What to raise: whether the text, a value or the computation is at fault."""
    if isinstance(error, AnalysisException | ParseException):
        return SqlInvalid(spark_message(error), where=operation, remedy="Nothing was written.")
    raised = said_by_spark(error).raised
    if raised.startswith(DOES_NOT_FIT):
        column = raised.removeprefix(DOES_NOT_FIT).strip()
        return SchemaMismatch(
            f"A value does not fit the column {column}.",
            where=operation,
            remedy="Nothing was written.",
        )
    what = f"The rows of {operation} on `{table}`"
    return spark_failure(error, what, operation, "Nothing was written.")


def _require_text(what: str, given: object) -> None:
    if not isinstance(given, str) or not given.strip():
        raise InvalidArgument(
            f"{what[:1].upper()}{what[1:]} is {given!r}, not a text.",
            remedy="Give a SQL expression as text.",
        )
