"""The values that an aggregate may have where it takes that of one of several rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F

from everview.aggregates.keyed import KeyedView
from everview.algebra.relations import Project
from everview.algebra.scalars import Ref
from everview.facts.schema import Field
from everview.run.check.differences import stored_form
from everview.run.rows.frames import Frames
from everview.shape.choices import OneOf
from everview.sql.names import quoted
from everview.sql.write.comparable import comparable_text
from everview.sql.write.door import write
from everview.sql.write.select import WEIGHT

_VALUE, _BY, _MOST = "__ev_value", "__ev_by", "__ev_most"


@dataclass(frozen=True, slots=True)
class PossibleValues:
    """Per group its keys and, each once, the values in the form in which they are compared."""

    rows: DataFrame
    keys: tuple[str, ...]

    @property
    def one_each(self) -> bool:
        """Whether every group has one such value only."""
        groups = self.rows.groupBy(*self.keys) if self.keys else self.rows.groupBy()
        return not groups.count().where(F.col("count") > 1).limit(1).count()


def possible_values(frames: Frames, view: KeyedView, choice: OneOf, field: Field) -> PossibleValues:
    """The values that the rule may take of the rows of each group; NULL where it passes over all
    of them.
    """
    columns = {c.id: c for c in view.input.columns}
    taken = [columns[i] for i in (choice.value, choice.by) if i is not None]
    names = tuple(f"__ev_g{i}" for i, _ in enumerate(view.keys))
    own = [*view.keys, *taken]
    outputs = tuple((c, Ref(c.id)) for c in dict.fromkeys(own))
    under = {c.id: name for c, name in zip(view.keys, names, strict=True)}
    titles = tuple(under.get(c.id, f"__ev_a{c.id}") for c, _ in outputs)
    rows = frames.run(write(Project(view.input, outputs), view.types, titles))
    named = {c.id: F.col(under.get(c.id, f"__ev_a{c.id}")) for c in own}
    rows = rows.select(
        *names,
        named[choice.value].alias(_VALUE),
        (F.lit(None) if choice.by is None else named[choice.by]).alias(_BY),
    )
    form = F.expr(comparable_text(_VALUE, field.type)).alias(_VALUE)
    return PossibleValues(_chosen(rows, names, choice).select(*names, form).distinct(), names)


def _chosen(rows: DataFrame, keys: tuple[str, ...], choice: OneOf) -> DataFrame:
    group = Over.partitionBy(*keys) if keys else Over.partitionBy(F.lit(1))
    match choice.rule:
        case "any":
            return rows
        case "max_by" | "min_by":
            most = F.max(_BY) if choice.rule == "max_by" else F.min(_BY)
            at = rows.withColumn(_MOST, most.over(group)).where(F.col(_BY).eqNullSafe(F.col(_MOST)))
            return at.withColumn(_VALUE, F.when(F.col(_MOST).isNotNull(), F.col(_VALUE)))
        case "mode":
            counts = rows.groupBy(*keys, _VALUE).agg(F.count(_VALUE).alias(_BY))
            return counts.withColumn(_MOST, F.max(_BY).over(group)).where(f"{_BY} = {_MOST}")


def off_values(
    stored: DataFrame, keys: tuple[str, ...], field: Field, values: PossibleValues
) -> DataFrame:
    """The stored rows whose value is not one of the possible ones of their group."""
    pairs = zip(keys, values.keys, strict=True)
    same = [F.col(quoted(k)).eqNullSafe(F.col(v)) for k, v in pairs]
    shown = [F.col(quoted(n)) for n in (*keys, field.name)]
    ours = stored.select(*shown, stored_form(field).alias("__ev_k0"))
    on = reduce(Column.__and__, same, F.col("__ev_k0").eqNullSafe(F.col(_VALUE)))
    return ours.join(values.rows, on, "left_anti").withColumn(WEIGHT, F.lit(1))
