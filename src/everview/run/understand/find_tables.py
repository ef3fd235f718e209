"""The tables of a query that only Spark parses, found by asking Spark."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.sql import SparkSession

from everview.errors import Place, SqlInvalid, SqlNotAllowed, SqlSyntax
from everview.facts.schema import Schema
from everview.facts.views import Mention
from everview.run.rows.read import empty_frame, schema_of
from everview.spark.errors import spark_message
from everview.sql.names import quoted
from everview.sql.read.parse import place_at
from everview.sql.statements.spark_text import (
    SparkText,
    Spot,
    identifier_clause,
    name_parts,
    one_query,
    rendered,
    table_spots,
    with_names,
)

# What a name in a text stands for: its columns; raises for a name that nobody knows.
Find = Callable[[tuple[str, ...], Place], Schema]
Stretch = tuple[int, int]

_NOT_FOUND = "TABLE_OR_VIEW_NOT_FOUND"
_LINE = re.compile(r"\(line (\d+), pos (\d+)\)")


def read_by_spark(spark: SparkSession, text: str, stop: SqlSyntax, find: Find) -> SparkText:
    """A query that our own parser refuses, as Spark reads it.

    Spark says of each table that it does not find where the text names it. There an empty table of
    the same columns is put, until the text is analysed as a whole. A name that the session itself
    knows would be found in silence, so such names are spelt otherwise until Spark has said what
    stands there. The text is never run: Spark sees it as a WITH query, which no command can be.
    """
    return _Reading(spark, one_query(text), stop, find).result()


class _Reading:
    """One text, and what is known of its names so far."""

    def __init__(self, spark: SparkSession, text: str, stop: SqlSyntax, find: Find) -> None:
        self._spark = spark
        self._text = text
        self._stop = stop
        self._find = find
        self._tables: dict[Stretch, Mention] = {}
        self._views: dict[str, str] = {}  # temporary views of empty tables, by name
        self._asked: dict[Stretch, str] = {}  # names of the session that are spelt otherwise
        self._plain: list[Stretch] = []  # those that Spark did not take for tables
        self._on_trial: Stretch | None = None  # the table that was given an alias last

    def result(self) -> SparkText:
        computed = identifier_clause(self._text)
        if computed is not None:
            raise self._not_named(self._place(computed))
        self._asked = {(s.start, s.end): f"__ev_ask{i:06}" for i, s in enumerate(self._known())}
        try:
            while (error := self._refused()) is not None:
                self._learn(error)
            self._plain += self._asked
            for stretch in self._plain:
                self._settle(stretch)
        finally:
            for view in self._views.values():
                self._spark.catalog.dropTempView(view)
        mentions = tuple(self._tables[stretch] for stretch in sorted(self._tables))
        where = self._stop.where
        return SparkText(self._text, mentions, where if isinstance(where, Place) else None)

    def _known(self) -> list[Spot]:
        """Names that Spark could find by itself in our session."""
        named = with_names(self._text)
        found = []
        for spot in table_spots(self._text):
            written = ".".join(map(quoted, spot.parts))
            if not spot.is_path and not self._exists(written):
                continue
            if len(spot.parts) == 1 and spot.parts[0].lower() in named:
                raise SqlNotAllowed(
                    f"WITH gives the name `{spot.parts[0]}`, which a table of the Spark session "
                    "has too, and only Spark parses the text.",
                    where=self._place((spot.start, spot.end)),
                    remedy="Give the WITH query another name.",
                )
            found.append(spot)
        return found

    def _exists(self, written: str) -> bool:
        try:
            return self._spark.catalog.tableExists(written)
        except PySparkException:
            return False

    def _settle(self, stretch: Stretch) -> None:
        """A name that was not taken for a table: asked once more, with all others known."""
        self._asked = {stretch: "__ev_ask"}
        error = self._refused()
        if error is not None and error.getCondition() == _NOT_FOUND:
            self._learn(error)
            while (error := self._refused()) is not None:
                self._learn(error)
        self._asked = {}

    def _refused(self) -> AnalysisException | None:
        """What Spark says against the text as it is read so far; None if nothing."""
        by: dict[Stretch, str] = dict(self._asked)
        for stretch, mention in self._tables.items():
            alias = f" AS {quoted(mention.alias)}" if mention.alias else ""
            by[stretch] = f"{self._views[mention.name]}{alias}"
        self._shown = rendered(self._text, by)
        try:
            schema_of(self._spark.sql(self._shown.text))
        except AnalysisException as error:  # a ParseException is one
            return error
        return None

    def _learn(self, error: AnalysisException) -> None:
        """What an error says of one name; raised again in our words if it is about something
        else.
        """
        if isinstance(error, ParseException):
            self._without_alias(error)
            return
        self._on_trial = None
        if error.getCondition() == _NOT_FOUND:
            self._found(error)
            return
        said = str(error.getMessage() or error)
        mentioned = [stretch for stretch, name in self._asked.items() if name in said]
        if not mentioned:
            raise self._invalid(error) from None
        for stretch in mentioned:
            del self._asked[stretch]
            self._plain.append(stretch)

    def _without_alias(self, error: ParseException) -> None:
        """Where an alias may not stand, the text gives one itself, or none is allowed."""
        if self._on_trial is None:
            raise SqlSyntax(
                spark_message(error), where=self._said_at(error), remedy=self._stop.remedy
            ) from None
        self._tables[self._on_trial] = replace(self._tables[self._on_trial], alias="")
        self._on_trial = None

    def _found(self, error: AnalysisException) -> None:
        """The table that Spark did not find becomes an empty one."""
        stretch = self._stretch(error)
        parts = name_parts(self._text[slice(*stretch)])
        if parts is None:
            raise self._not_named(self._place(stretch)) from None
        self._asked.pop(stretch, None)
        name = ".".join(parts).lower()
        schema = self._find(parts, self._place(stretch))
        if name not in self._views:
            self._views[name] = f"__ev_source{len(self._views)}"
            empty_frame(self._spark, schema).createOrReplaceTempView(self._views[name])
        self._tables[stretch] = Mention(*stretch, name, parts[-1])
        self._on_trial = stretch

    def _stretch(self, error: AnalysisException) -> Stretch:
        """Where the text names the table that was not found."""
        name = (error.getMessageParameters() or {}).get("relationName", "")
        asked = next((s for s, spelt in self._asked.items() if quoted(spelt) == name), None)
        if asked is not None:
            return asked
        stretch = self._about(error)
        written = None if stretch is None else name_parts(self._text[slice(*stretch)])
        if stretch is None or (written and ".".join(map(quoted, written)) != name):
            raise self._invalid(error) from None
        return stretch

    def _about(self, error: AnalysisException) -> Stretch | None:
        """The part of the text that an error is about, as far as Spark says it."""
        contexts = error.getQueryContext()
        if not contexts:
            return None
        return self._shown.in_query(contexts[0].startIndex(), contexts[0].stopIndex() + 1)

    def _invalid(self, error: AnalysisException) -> SqlInvalid:
        stretch = self._about(error)
        where = None if stretch is None else self._place(stretch)
        return SqlInvalid(spark_message(error), where=where, remedy="Correct the text.")

    def _not_named(self, where: Place) -> SqlNotAllowed:
        return SqlNotAllowed(
            "Only Spark parses the text, and here a name is computed.",
            where=where,
            remedy="Write the name itself.",
        )

    def _place(self, stretch: Stretch) -> Place:
        return place_at(self._text, stretch[0], stretch[1] - 1)

    def _said_at(self, error: ParseException) -> Place | str | None:
        """Where Spark's own parser stopped, else ours."""
        found = _LINE.search(str(error.getMessage() or error))
        if found is None:
            return self._stop.where
        lines = self._shown.text.split("\n")
        line, column = int(found[1]) - 1, int(found[2])
        start = sum(len(one) + 1 for one in lines[:line]) + column
        own = self._shown.in_query(start, start + 1)
        return self._stop.where if own is None else self._place(own)
