"""Columns that ties and order decide: whether they do with the rows at hand, and whether what is
stored is one of the possible answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from everview.algebra.scalars import ColumnId
from everview.algebra.types import can_be_compared
from everview.facts.refreshes import RefreshFacts
from everview.facts.schema import Field, Schema
from everview.run.check.differences import difference, stored_form
from everview.run.check.possible_values import off_values, possible_values
from everview.run.rows.frames import Frames
from everview.shape.choices import OneOf, Unordered, choices
from everview.shape.grouped import Grouped
from everview.shape.numbered import Numbered, numbered
from everview.shape.shape import Keyed, Shape
from everview.shape.ties import tied_keys
from everview.sql.names import quoted
from everview.sql.write.door import write
from everview.sql.write.select import WEIGHT

_FIRST, _LAST = "__ev_first", "__ev_last"
_STORED, _SURE, _MAYBE = "__ev_stored", "__ev_sure", "__ev_maybe"


@dataclass(frozen=True, slots=True)
class Decided:
    """What order decides of the columns of a view.

    `determined` come out in one way only with the rows at hand. What is stored of `possible` is
    one of several answers if the checks, lines of differences, are empty; `unordered` are arrays
    in any order. In `tied` groups there are rows that tie, and what order decides there is not
    looked at.
    """

    determined: frozenset[str] = frozenset()
    possible: frozenset[str] = frozenset()
    unordered: frozenset[str] = frozenset()
    checks: tuple[DataFrame, ...] = ()
    tied: int = 0


def decided(frames: Frames, facts: RefreshFacts, shape: Shape, aside: frozenset[str]) -> Decided:
    """What order decides of a view without LIMIT; `aside` are columns that are not to be compared
    for other reasons.
    """
    rows = _Rows(frames, facts, aside)
    if isinstance(shape, Grouped):
        names = stored_names(shape, shape.free - shape.loose) - aside
        if not names:
            return Decided()
        found = numbered(shape)
        return rows.tied(shape, names) if found is None else rows.numbered(shape, found, names)
    return rows.chosen(shape) if isinstance(shape, Keyed) else Decided()


def stored_names(shape: Grouped, columns: frozenset[ColumnId]) -> frozenset[str]:
    """The names under which columns of the view are stored."""
    pairs = zip(shape.layout.stored.names, shape.view.full().columns, strict=True)
    return frozenset(name for name, c in pairs if c.id in columns)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The stored rows of a view, and those that may be stored."""

    frames: Frames
    facts: RefreshFacts
    aside: frozenset[str]

    @property
    def _stored(self) -> DataFrame:
        return self.frames.stored(self.facts.stored.snapshot.files)

    def _compared(self, without: Iterable[str] = ()) -> Schema:
        """The columns to compare: the public ones, and keys that are stored besides."""
        record = self.facts.stored.record
        aside = self.aside.union(without)
        public = [
            f for f in record.columns.fields if f.name not in aside and can_be_compared(f.parsed)
        ]
        names = [n for n in record.layout.key if n not in record.columns]
        return Schema((*public, *record.layout.stored.only(tuple(names)).fields))

    def _recomputed(self, shape: Grouped) -> DataFrame:
        names = shape.layout.stored.names
        return self.frames.run(write(shape.view.full(), shape.view.types, names))

    # Rows with a number

    def numbered(self, shape: Grouped, of: Numbered, names: frozenset[str]) -> Decided:
        """Rows that tie at a cut may be stored, all others between the cuts must be; a number lies
        between the first and the last that its row may have.
        """
        stored = shape.layout.stored
        columns = (*stored.names, _FIRST, _LAST)
        rows = self.frames.run(write(of.candidates, shape.view.types, columns))
        at_cut = _is_at_cut(of)
        unsure = at_cut | (F.col(_FIRST) < F.col(_LAST)) if of.shown else at_cut
        if not rows.where(unsure).limit(1).count():
            return Decided(determined=names)
        shown = tuple(stored.names[i] for i in of.shown)
        compared = self._compared(without=shown)
        sure, maybe = rows.where(~at_cut), rows.where(at_cut)
        of_keys = difference(self._stored, self._recomputed(shape), stored.only(shape.layout.key))
        checks = [of_keys, _between(self._stored, (sure, maybe), compared)]
        for number in shown:
            both = stored.only((*shape.layout.key, number))
            checks.append(difference(self._stored, self._recomputed(shape), both))
            checks.append(_off_numbers(self._stored, rows, compared, number))
        return Decided(possible=names, checks=tuple(checks))

    # Other windows

    def tied(self, shape: Grouped, names: frozenset[str]) -> Decided:
        """Where no rows of a key tie, every column repeats."""
        keys = shape.layout.key
        own = tuple(f"__ev_t{i}" for i, _ in enumerate(keys))
        found = [self.frames.run(write(r, shape.view.types, own)) for r in tied_keys(shape)]
        tied = reduce(DataFrame.unionAll, found).distinct()
        groups = tied.count()
        if not groups:
            return Decided(determined=names)
        same = [F.col(quoted(k)).eqNullSafe(F.col(t)) for k, t in zip(keys, own, strict=True)]
        on = reduce(Column.__and__, same)

        ours = self._stored.join(tied, on, "left_anti")
        theirs = self._recomputed(shape).join(tied, on, "left_anti")
        return Decided(checks=(difference(ours, theirs, self._compared()),), tied=groups)

    # Aggregates

    def chosen(self, shape: Keyed) -> Decided:
        """Arrays in any order, and values of one of several rows of a group."""
        unordered, determined, possible = set(), set(), set()
        checks = []
        for name, choice in choices(shape).items():
            field = shape.layout.stored[name]
            if name in self.aside or not can_be_compared(field.parsed):
                continue
            if isinstance(choice, Unordered):
                unordered.add(name)
            elif _repeats(choice, field):
                values = possible_values(self.frames, shape.view, choice, field)
                if values.one_each:
                    determined.add(name)
                    continue
                possible.add(name)
                checks.append(off_values(self._stored, shape.layout.key, field, values))
        return Decided(frozenset(determined), frozenset(possible), frozenset(unordered), (*checks,))


def _repeats(choice: OneOf, field: Field) -> bool:
    """The zero that is counted most may be stored with either sign."""
    return choice.rule != "mode" or field.type not in ("float", "double")


def unordered_form(field: Field) -> Column:
    """Arrays of the same elements, whatever their order, are equal there."""
    return F.array_sort(stored_form(field))


def _is_at_cut(of: Numbered) -> Column:
    """Whether of rows that tie some are stored and some may be not."""
    cut = F.col(_FIRST) < F.lit(of.low)
    return cut if of.high is None else cut | (F.col(_LAST) > F.lit(of.high))


def _between(
    stored: DataFrame, possible: tuple[DataFrame, DataFrame], compared: Schema
) -> DataFrame:
    """One line per distinct row with its copies stored that cannot be or, less than 0, its copies
    that must be stored and are not, zeros left out; possible are those that must and that may be.
    """
    kinds = (_STORED, _SURE, _MAYBE)
    sides = zip((stored, *possible), kinds, strict=True)
    parts = [
        side.select(*map(quoted, compared.names), *(F.lit(int(k == kind)).alias(k) for k in kinds))
        for side, kind in sides
    ]
    forms = [stored_form(f).alias(f"__ev_k{i}") for i, f in enumerate(compared.fields)]
    values = [F.first(quoted(n)).alias(n) for n in compared.names]
    counts = [F.sum(k).alias(k) for k in kinds]
    lines = reduce(DataFrame.unionAll, parts).groupBy(*forms).agg(*values, *counts)
    too_many = F.col(_STORED) - F.col(_SURE) - F.col(_MAYBE)
    too_few = F.col(_SURE) - F.col(_STORED)
    weight = F.when(too_many > 0, too_many).when(too_few > 0, -too_few).otherwise(F.lit(0))
    return lines.withColumn(WEIGHT, weight).drop(*kinds).where(F.col(WEIGHT) != 0)


def _off_numbers(
    stored: DataFrame, candidates: DataFrame, compared: Schema, number: str
) -> DataFrame:
    """The stored rows whose number is not one that such a row may have."""
    forms = [stored_form(f) for f in compared.fields]
    theirs = candidates.select(
        *(form.alias(f"__ev_r{i}") for i, form in enumerate(forms)), _FIRST, _LAST
    )
    shown = [F.col(quoted(n)) for n in (*compared.names, number)]
    ours = stored.select(*shown, *(form.alias(f"__ev_k{i}") for i, form in enumerate(forms)))
    same = [F.col(f"__ev_k{i}").eqNullSafe(F.col(f"__ev_r{i}")) for i, _ in enumerate(forms)]
    within = F.col(quoted(number)).between(F.col(_FIRST), F.col(_LAST))
    off = ours.join(theirs.distinct(), reduce(Column.__and__, same, within), "left_anti")
    return off.withColumn(WEIGHT, F.lit(1))
