"""The table that a statement writes, at the version it was prepared on, and its constraints."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from dataclasses import replace

from pyspark.sql import SparkSession

from everview.facts.files import TableFile
from everview.facts.schema import Schema
from everview.facts.tables import MARKS_PROPERTY, Head, Snapshot
from everview.run.dml.constraints import refuse_nulls
from everview.run.dml.primary_key import NewKeys
from everview.run.dml.target import Result, Target
from everview.run.rows.staging import Staging
from everview.spark.engine import Actions, whole
from everview.spark.pinned import pinned_settings


class PinnedTable:
    """A table at one version; `token` names what is written for one commit on it."""

    def __init__(self, target: Target, head: Head, token: str) -> None:
        self.engine = target.engine
        self.table = target.table
        self.probe = target.probe
        self.name = target.alias or target.name
        self.query = target.query
        self.declared = target.declared
        self.merge_on_read = target.merge_on_read
        self.head = head
        self.snapshot = target.table.snapshot(head.version)
        self.token = token
        self.staging = Staging(target.engine, target.warehouse, token)
        self.actions = Actions()

    @property
    def schema(self) -> Schema:
        return self.snapshot.schema

    @property
    def spark(self) -> SparkSession:
        """Our session."""
        return self.engine.own

    def session(self) -> AbstractContextManager[SparkSession]:
        return self.engine.settings(
            whole(self.snapshot.bytes), pinned_settings(self.engine.caller), with_callers=True
        )

    # Constraints

    def refuse_nulls(self, new: tuple[TableFile, ...]) -> None:
        with self.session() as spark:
            refuse_nulls(spark, self.snapshot, self.declared, new, self.actions)

    def with_keys_checked(self, result: Result, columns: set[str]) -> Result:
        """Only a statement that sets a column of the key can add one."""
        if columns.intersection(self.declared.primary_key):
            keys = self.new_keys(result.come, result.gone)
            self.refuse_keys(keys, self.snapshot.files)
        return result

    def new_keys(
        self, plus: tuple[TableFile, ...], minus: tuple[TableFile, ...] = ()
    ) -> NewKeys | None:
        key = self.declared.enforced_key
        return NewKeys(self.spark, self.snapshot, key, plus, minus) if key and plus else None

    def refuse_keys(self, keys: NewKeys | None, stored: tuple[TableFile, ...]) -> None:
        if keys is not None:
            with self.session():
                keys.refuse_repeated(self.actions)
                keys.refuse_stored(stored, self.actions)

    # After the write

    def rebase(self, result: Result, head: Head) -> bool:
        """Go over to a later version, if the rows fit that one too; its files that were not there
        before are searched for the new keys.
        """
        if not result.rebases or not head.version > self.head.version:
            return False
        later = self.table.snapshot(head.version)
        before = self.snapshot
        if _shape(later) != _shape(before):
            return False
        if result.keys is not None:
            known = {f.path for f in before.files}
            with self.session():
                new = tuple(f for f in later.files if f.path not in known)
                result.keys.refuse_stored(new, self.actions)
        self.head, self.snapshot = head, later
        return True

    def discard(self) -> None:
        """Remove what was written and is part of no commit."""
        with suppress(OSError):
            self.table.remove_folder(f"data/{self.token}")


def _shape(snapshot: Snapshot) -> Snapshot:
    """What rows must fit: that rows are marked from now on changes nothing for them."""
    properties = {n: v for n, v in snapshot.properties.items() if n != MARKS_PROPERTY}
    return replace(snapshot, version=0, files=(), properties=properties)
