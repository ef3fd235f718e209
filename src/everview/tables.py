"""Creating tables of the warehouse."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from everview.errors import InvalidArgument, InvalidName
from everview.facts.schema import Field, Schema
from everview.facts.views import RESERVED_PREFIX, TableRecord
from everview.lake.catalog import Entry
from everview.run.dml import TableWriter
from everview.run.read import schema_of
from everview.run.statement import Target
from everview.views.catalog_changes import add_entry, check_name
from everview.views.world import TABLE_PROPERTY, World

Names = str | Sequence[str] | None
ForeignKeys = Mapping[str | tuple[str, ...], str | tuple[str, ...]]


def create_table(
    world: World,
    name: str,
    given: StructType | str | DataFrame,
    declared: tuple[Names, ForeignKeys | None, Names],
) -> None:
    """Create a table in a folder of its own, write its first rows if given, then publish its
    name.
    """
    check_name(world.catalog.read(), name)
    schema = _schema(world, given)
    _check_columns(schema)
    primary_key, foreign_keys, partition_by = declared
    keys = _columns(schema, primary_key, "the primary key")
    record = TableRecord(keys, _foreign(schema, foreign_keys or {}))
    location = f"tables/{uuid.uuid4().hex}"
    parts = _columns(schema, partition_by, "partition_by")
    if len(parts) == len(schema.fields):
        raise InvalidArgument(
            "All columns are partition columns.", remedy="Leave at least one column for the files."
        )
    table = world.lake.create(
        world.uri(location), schema, parts, {TABLE_PROPERTY: record.to_json()}
    )
    if isinstance(given, DataFrame):
        target = Target(world.engine, table, world.storage, world.probe, name)
        TableWriter(target).append(given, None)
    add_entry(world, Entry(name, "table", location))


def _schema(world: World, given: StructType | str | DataFrame) -> Schema:
    if isinstance(given, DataFrame):
        fields = schema_of(given).fields  # a query's nullability is not a declaration
        return Schema(tuple(Field(f.name, f.type) for f in fields))
    if isinstance(given, str):
        given = _parsed(world, given)
    if not isinstance(given, StructType):
        raise InvalidArgument(
            f"A schema or a DataFrame is wanted, not {type(given).__name__}.", remedy=_EXAMPLE
        )
    return Schema.from_json(given.json())


_EXAMPLE = 'For example "id BIGINT, city STRING".'


def _parsed(world: World, text: str) -> StructType:
    try:
        return world.engine.own.createDataFrame([], text).schema
    except PySparkException as error:
        what = str(error.getMessage() or error).strip().splitlines()
        raise InvalidArgument(
            f"{text!r} is not a schema: {what[0] if what else ''}", remedy=_EXAMPLE
        ) from error


def _check_columns(schema: Schema) -> None:
    if not schema.fields:
        raise InvalidArgument("A table needs at least one column.", remedy=_EXAMPLE)
    seen: set[str] = set()
    for field in schema.fields:
        if field.is_nested and not field.nullable:
            raise InvalidArgument(
                f"NOT NULL on the nested column `{field.name}` is not checked by anyone.",
                remedy="Leave it nullable.",
            )
    for name in schema.names:
        if name.lower().startswith(RESERVED_PREFIX) or name.lower() in seen or not name:
            raise InvalidName(
                f"The column name `{name}` is reserved, empty or used twice.",
                remedy=f"Names differ not only in case and do not begin with {RESERVED_PREFIX}.",
            )
        seen.add(name.lower())


def _columns(schema: Schema, names: Names, what: str) -> tuple[str, ...]:
    wanted = () if names is None else (names,) if isinstance(names, str) else tuple(names)
    found = [schema.find(n) for n in wanted]
    if None in found or len(set(found)) != len(found):
        raise InvalidArgument(
            f"{', '.join(wanted)} cannot be {what}.",
            remedy=f"Name columns of the table, each once: {', '.join(schema.names)}.",
        )
    return tuple(n for n in found if n is not None)


def _foreign(
    schema: Schema, given: ForeignKeys
) -> tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...]:
    found = []
    for own, target in given.items():
        columns = _columns(schema, own, "a foreign key")
        targets = (target,) if isinstance(target, str) else tuple(target)
        parts = [t.rpartition(".") for t in targets]
        tables = {table for table, _, _ in parts}
        if len(tables) != 1 or "" in tables or len(parts) != len(columns):
            raise InvalidArgument(
                f"The foreign key {own} refers to {target}.",
                remedy='Write it as {"store_id": "stores.store_id"}.',
            )
        found.append((columns, tables.pop(), tuple(column for _, _, column in parts)))
    return tuple(found)
