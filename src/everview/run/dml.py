"""Writing tables: each statement is all or nothing, and once when it carries a token."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.sql import DataFrame

from everview.errors import EverviewError, InvalidArgument, Place, SchemaMismatch, SqlInvalid
from everview.facts.tables import Commit
from everview.run.log import logged
from everview.run.spark_words import spark_message
from everview.run.statement import Result, Statement, Target
from everview.run.write import Written
from everview.sql.changing import DOES_NOT_FIT, Merge


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

    def append(self, frame: DataFrame, token: str | None) -> int:
        _require_frame(frame)
        return self._once("INSERT", token, lambda statement: statement.append(frame))

    def overwrite(self, frame: DataFrame, token: str | None) -> int:
        _require_frame(frame)
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

    def merge(self, frame: DataFrame, on: str | Sequence[str], token: str | None) -> int:
        _require_frame(frame)
        keys = (on,) if isinstance(on, str) else tuple(on or ())
        return self._once("MERGE", token, lambda statement: statement.merge(frame, keys))

    def merge_into(self, frame: DataFrame, merge: Merge, token: str | None) -> int:
        return self._once("MERGE", token, lambda statement: statement.merge_into(frame, merge))

    def compact(self) -> int:
        return self._once("COMPACT", None, lambda statement: statement.compact())

    def _once(
        self, operation: str, token: str | None, work: Callable[[Statement], Result | None]
    ) -> int:
        """Run a statement unless its token was applied before; gives the version after it."""
        table = self.target.table
        if token is not None:
            _require_text("the token", token)
        with self.target.engine.lock, logged(self.target.name, operation.lower()):
            applied = None if token is None else table.transaction(token_app(token))
            if applied is not None:
                return applied
            head = table.head()
            statement = Statement(self.target, table.snapshot(head.version), uuid.uuid4().hex)
            try:
                result = work(statement)
            except PySparkException as error:
                raise _said(error, operation) from error
            except EverviewError as error:
                if not isinstance(error.where, Place):
                    raise
                # A place in the query that we made of the condition says nothing to its author.
                raise type(error)(error.what, where=operation, remedy=error.remedy) from error
            finally:
                statement.staging.remove()
            if result is None and token is None:
                return head.version
            return self._commit(statement, operation, token, result or Result(Written(())))

    def _commit(
        self, statement: Statement, operation: str, token: str | None, result: Result
    ) -> int:
        self.target.probe("write: commit")
        base = statement.snapshot.version
        written = result.written
        version = self.target.table.commit(
            Commit(
                base=base,
                operation=operation,
                token=statement.token,
                adds=written.rows,
                removes=result.removed,
                minus=written.minus,
                plus=written.plus,
                has_change_files=result.has_change_files,
                data_change=operation != "COMPACT",
                transactions=() if token is None else ((token_app(token), base + 1),),
                metadata={"rows": dict(written.changed or {})},
            )
        )
        self.target.probe("write: committed")
        return version


def _said(error: PySparkException, operation: str) -> Exception:
    """What to raise: our own error where the text or a value is at fault."""
    if isinstance(error, AnalysisException | ParseException):
        return SqlInvalid(spark_message(error), where=operation, remedy="Nothing was written.")
    said = str(error.getMessage() or error)
    if DOES_NOT_FIT not in said:
        return error
    column = said.split(DOES_NOT_FIT, 1)[1].split(" SQLSTATE")[0].split("\n")[0].strip()
    return SchemaMismatch(
        f"A value does not fit the column {column}.",
        where=operation,
        remedy="Nothing was written.",
    )


def _require_frame(frame: object) -> None:
    if not isinstance(frame, DataFrame):
        raise InvalidArgument(
            f"A DataFrame is wanted, not {type(frame).__name__}.",
            remedy="Make one with spark.createDataFrame or spark.sql.",
        )


def _require_text(what: str, given: object) -> None:
    if not isinstance(given, str) or not given.strip():
        raise InvalidArgument(
            f"{what[:1].upper()}{what[1:]} is {given!r}, not a text.",
            remedy="Give a SQL expression as text.",
        )
