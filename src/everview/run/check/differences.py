"""Two bags of rows against each other: what one has more of, counted and shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from everview.facts.schema import Field, Schema
from everview.sql.names import quoted
from everview.sql.write.comparable import comparable_text
from everview.sql.write.select import WEIGHT

Form = Callable[[Field], Column]  # a column's value in a form whose equality is the one wanted


@dataclass(frozen=True, slots=True)
class FoundDifferences:
    """Rows too many and too few, copies counted, with samples of both."""

    unexpected: int = 0
    missing: int = 0
    unexpected_sample: tuple[str, ...] = ()
    missing_sample: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.unexpected or self.missing)

    def and_off(self, groups: tuple[str, ...]) -> FoundDifferences:
        """With groups whose values are off, which are unexpected as they are."""
        return replace(
            self,
            unexpected=self.unexpected + len(groups),
            missing=self.missing + len(groups),
            unexpected_sample=self.unexpected_sample + groups,
        )


def stored_form(field: Field) -> Column:
    """Equal there means equal as stored."""
    return F.expr(comparable_text(quoted(field.name), field.type))


def difference(
    stored: DataFrame, theirs: DataFrame, compared: Schema, form: Form = stored_form
) -> DataFrame:
    """One line per distinct row with its copies stored less its copies recomputed, zeros left
    out.
    """

    def side(frame: DataFrame, weight: int) -> DataFrame:
        columns = [F.col(quoted(n)) for n in compared.names]
        return frame.select(*columns, F.lit(weight).cast("bigint").alias(WEIGHT))

    both = side(stored, 1).unionAll(side(theirs, -1))
    keys = [form(f).alias(f"__ev_k{i}") for i, f in enumerate(compared.fields)]
    shown = [F.first(quoted(n)).alias(n) for n in compared.names]
    return both.groupBy(*keys).agg(*shown, F.sum(WEIGHT).alias(WEIGHT)).where(F.col(WEIGHT) != 0)


def total(sign: int) -> Column:
    """How many copies are too many, or too few."""
    return F.sum(F.when(F.col(WEIGHT) * sign > 0, F.col(WEIGHT) * sign))


def found_in(lines: DataFrame, samples: int) -> FoundDifferences:
    """What the lines of a difference say, with so many samples of either side."""
    return sampled(lines, lines.agg(total(1), total(-1)).collect()[0], samples)


def sampled(lines: DataFrame, counts: Row, samples: int) -> FoundDifferences:
    """The same of lines that are counted already."""
    unexpected, missing = int(counts[0] or 0), int(counts[1] or 0)
    return FoundDifferences(
        unexpected,
        missing,
        _samples(lines, 1, samples) if unexpected else (),
        _samples(lines, -1, samples) if missing else (),
    )


def _samples(lines: DataFrame, sign: int, most: int) -> tuple[str, ...]:
    rows = lines.where(F.col(WEIGHT) * sign > 0).limit(most).collect()
    return tuple(map(_sample, rows))


def _sample(row: Row) -> str:
    """The row and how many copies of it are too many or too few."""
    values = row.asDict()
    shown = [f"{k}={v!r}" for k, v in values.items() if k != WEIGHT and not k.startswith("__ev_k")]
    return ", ".join([*shown, f"copies={abs(values[WEIGHT])}"])
