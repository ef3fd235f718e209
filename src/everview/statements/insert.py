"""INSERT: the rows of a query added to a table, or put in place of its rows."""

from __future__ import annotations

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from everview.errors import SchemaMismatch
from everview.facts.schema import Field, Schema
from everview.run.rows.read import schema_of
from everview.spark.errors import spark_message
from everview.sql.names import quoted, sql_type
from everview.sql.statements.values import InsertInto, InsertOverwrite
from everview.sql.write.changing import assigned
from everview.statements.tables import changed_frame, columns_of, found_columns
from everview.statements.warehouse import WarehousePort, is_read_by, rows_of


def run_insert(wh: WarehousePort, statement: InsertInto | InsertOverwrite) -> DataFrame:
    table = wh.table(statement.name.dotted)
    rows = rows_of(wh, statement.query)
    schema = columns_of(wh, table)
    fitting = _placed(rows, schema, _targets(rows, schema, statement), table.name)
    before = table.version
    if isinstance(statement, InsertOverwrite):
        version = table.overwrite(fitting)
    else:
        blind = not is_read_by(wh, table.name, statement.query)
        version = table._written(table._writer().append(fitting, None, blind=blind))
    return changed_frame(wh, table, before, version)


def _targets(
    rows: DataFrame, schema: Schema, statement: InsertInto | InsertOverwrite
) -> tuple[str, ...]:
    """The column of the table that each value goes to."""
    if statement.by_name:
        return found_columns(schema, rows.columns, "INSERT BY NAME")
    if statement.columns is None:
        return schema.names
    return found_columns(schema, statement.columns, statement.name.dotted)


def _placed(rows: DataFrame, schema: Schema, names: tuple[str, ...], table: str) -> DataFrame:
    """The rows under the table's names; a column that gets no value is NULL."""
    if len(names) != len(rows.columns):
        raise SchemaMismatch(
            f"{len(rows.columns)} values for {len(names)} columns.",
            where=table,
            remedy=f"The columns are {', '.join(names)}.",
        )
    given = schema_of(rows.toDF(*(f"c{i}" for i, _ in enumerate(names))))
    named = rows.toDF(*given.names)
    place = {name: given.fields[i] for i, name in enumerate(names)}
    try:
        fitting = named.select(*(_value(place.get(f.name), f) for f in schema.fields))
        schema_of(fitting)
    except AnalysisException as error:
        wrong = ", ".join(f"{n} {sql_type(schema[n].type)}" for n in names)
        raise SchemaMismatch(
            f"The values cannot be cast to the columns: {spark_message(error)}",
            where=table,
            remedy=f"The columns are {wrong}.",
        ) from error
    return fitting


def _value(given: Field | None, field: Field) -> Column:
    if given is None:
        return F.expr(assigned("NULL", field)).alias(field.name)
    if given.type == field.type:
        return F.col(given.name).alias(field.name)
    return F.expr(assigned(quoted(given.name), field)).alias(field.name)
