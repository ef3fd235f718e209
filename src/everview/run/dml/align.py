"""Fitting given rows to a table's columns, by name, without losing a value."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from everview.aggregates.numbers import decimal_of
from everview.algebra.types import Characters
from everview.errors import SchemaMismatch
from everview.facts.schema import Field, Schema
from everview.run.rows.read import schema_of, spark_schema
from everview.sql.names import quoted

_WHOLE_DIGITS = {"byte": 3, "short": 5, "integer": 10, "long": 20}
_WIDER = {
    "byte": ("short", "integer", "long", "float", "double"),
    "short": ("integer", "long", "float", "double"),
    "integer": ("long", "double"),
    "long": (),
    "float": ("double",),
    "date": ("timestamp_ntz",),
}


def aligned_to_table(frame: DataFrame, schema: Schema, table: str) -> DataFrame:
    """The frame's columns in the table's order, widened where that loses nothing."""
    given = schema_of(frame)
    by_name = {f.name.lower(): f for f in given.fields}
    if len(by_name) != len(given.fields):
        raise SchemaMismatch(
            f"A column is given twice: {', '.join(given.names)}.",
            where=table,
            remedy="Names are one whatever their case.",
        )
    missing = [f.name for f in schema.fields if f.name.lower() not in by_name]
    extra = [
        f.name for f in given.fields if f.name.lower() not in {n.lower() for n in schema.names}
    ]
    if missing or extra:
        parts = [f"{', '.join(missing)} missing"] if missing else []
        parts += [f"{', '.join(extra)} unknown"] if extra else []
        raise SchemaMismatch(
            f"The columns do not fit: {'; '.join(parts)}.",
            where=table,
            remedy=f"The table's columns are {', '.join(schema.names)}.",
        )
    columns = []
    for field in schema.fields:
        own = by_name[field.name.lower()]
        if not _fits(own, field):
            raise SchemaMismatch(
                f"`{field.name}` is {own.type}, the table's column is {field.type}.",
                where=table,
                remedy="Cast the column explicitly.",
            )
        type_ = spark_schema(Schema((field,)))[0].dataType
        columns.append(F.col(quoted(own.name)).cast(type_).alias(field.name))
    return frame.select(*columns)


def _fits(given: Field, wanted: Field) -> bool:
    """Whether every value of the given type is a value of the wanted one."""
    if given.parsed == wanted.parsed:
        return True
    if given.type == "void" or wanted.type in _WIDER.get(given.type, ()):
        return True
    if isinstance(given.parsed, Characters) and wanted.type == "string":
        return True
    exact = decimal_of(wanted.type)
    if exact is None:
        return False
    precision, scale = decimal_of(given.type) or (_WHOLE_DIGITS.get(given.type, 99), 0)
    return scale <= exact[1] and precision - scale <= exact[0] - exact[1]
