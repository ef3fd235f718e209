"""Comparing what a tail shows with what the text shows, where ties leave a choice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import takewhile

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from everview.facts.schema import Schema
from everview.facts.views import OrderKey, Tail
from everview.run.rows.tails import cut, sorting
from everview.sql.names import quoted
from everview.sql.write.comparable import comparable_text
from everview.sql.write.select import WEIGHT

TEXT = "__ev_text"
_FIXED, _TIED = "__ev_fixed", "__ev_tied"


@dataclass(frozen=True, slots=True)
class Shown:
    """A tail over so many stored rows, the columns to compare, and those whose values do not
    repeat.
    """

    tail: Tail
    rows: int
    compared: Schema
    loose: frozenset[str]

    @property
    def keys(self) -> tuple[OrderKey, ...]:
        """The order as far as it repeats: up to the first column that does not."""
        return tuple(takewhile(lambda k: k.column not in self.loose, self.tail.order))

    @property
    def ends(self) -> tuple[int, ...]:
        """After how many of the ordered rows the tail cuts."""
        tail = self.tail
        cuts = (tail.offset, self.rows if tail.limit is None else tail.offset + tail.limit)
        return tuple(n for n in dict.fromkeys(cuts) if 0 < n < self.rows)


def shown_difference(shown: Shown, stored: DataFrame, text: DataFrame) -> DataFrame:
    """One line per distinct row, its copies in the text's result in `__ev_text`, and in `__ev_w`
    how many copies the tail must show that the text does not or, less than 0, how many the text
    shows that the tail cannot.

    A tie at either end of what is shown leaves a choice: the rows that tie there may be shown,
    all others between the ends must be.
    """
    compared = shown.compared
    seen, ends = cut(stored, shown.tail, compared), _at_ends(shown, stored)
    parts = [_copies(text, compared, TEXT)]
    if ends is None:
        parts.append(_copies(seen, compared, _FIXED))
    else:
        tie = _same_key(shown.keys)
        parts.append(_copies(seen.join(ends, tie, "left_anti"), compared, _FIXED))
        parts.append(_copies(stored.join(ends, tie, "left_semi"), compared, _TIED))
    forms = [
        F.expr(comparable_text(quoted(f.name), f.type)).alias(f"__ev_k{i}")
        for i, f in enumerate(compared.fields)
    ]
    values = [F.first(quoted(n)).alias(n) for n in compared.names]
    counts = [F.sum(n).alias(n) for n in (TEXT, _FIXED, _TIED)]
    lines = reduce(DataFrame.unionAll, parts).groupBy(*forms).agg(*values, *counts)
    too_few = F.col(_FIXED) - F.col(TEXT)
    too_many = F.col(TEXT) - F.col(_FIXED) - F.col(_TIED)
    weight = F.when(too_few > 0, too_few).when(too_many > 0, -too_many).otherwise(F.lit(0))
    return lines.withColumn(WEIGHT, weight).drop(_FIXED, _TIED)


def _at_ends(shown: Shown, stored: DataFrame) -> DataFrame | None:
    """The keys of the last row before each cut, None where nothing is cut off."""
    keys = shown.keys
    columns = [F.col(quoted(k.column)).alias(f"__ev_b{i}") for i, k in enumerate(keys)]
    found = []
    for number in shown.ends:
        first = stored.orderBy(*map(sorting, keys)) if keys else stored
        last = first.limit(number)
        if keys:
            last = last.orderBy(*(sorting(_reversed(k)) for k in keys))
        found.append(last.limit(1).select(F.lit(1).alias("__ev_b"), *columns))
    return reduce(DataFrame.unionAll, found) if found else None


def _reversed(key: OrderKey) -> OrderKey:
    return OrderKey(key.column, not key.descending, not key.nulls_first)


def _same_key(keys: tuple[OrderKey, ...]) -> Column:
    tests = [F.col(quoted(k.column)).eqNullSafe(F.col(f"__ev_b{i}")) for i, k in enumerate(keys)]
    return reduce(Column.__and__, tests, F.lit(True))


def _copies(rows: DataFrame, compared: Schema, column: str) -> DataFrame:
    """The compared columns with a 1 in one of the three columns of counts."""
    counts = [F.lit(int(n == column)).cast("bigint").alias(n) for n in (TEXT, _FIXED, _TIED)]
    return rows.select(*map(quoted, compared.names), *counts)
