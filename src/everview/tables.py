"""Creating tables of the warehouse."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from everview.errors import InvalidArgument, InvalidName
from everview.facts.schema import Field, Schema
from everview.facts.views import RESERVED_PREFIX, TableRecord
from everview.lake.catalog import Entry
from everview.run.dml import TableWriter
from everview.run.read import schema_of
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
    """Create a table in a folder of its own, write its first rows if given, then publish its name."""
    check_name(world.catalog.read(), name)
    schema = _schema(world, given)
    _check_columns(schema)
    primary_key, foreign_keys, partition_by = declared
    keys = _columns(schema, primary_key, "the primary key")
    record = TableRecord(keys, _foreign(schema, foreign_keys or {}))
    location = f"tables/{uuid.uuid4().hex}"
    parts = _columns(schema, partition_by, "partition_by")
    table = world.lake.create(
        world.uri(location), schema, parts, {TABLE_PROPERTY: record.to_json()}
    )
    if isinstance(given, DataFrame):
        TableWriter(world.engine, table, world.storage, world.probe).append(given, None)
    add_entry(world, Entry(name, "table", location))


def _schema(world: World, given: StructType | str | DataFrame) -> Schema:
    if isinstance(given, DataFrame):
        fields = schema_of(given).fields  # a query's nullability is not a declaration
        return Schema(tuple(Field(f.name, f.type) for f in fields))
    if isinstance(given, str):
        given = world.engine.own.createDataFrame([], given).schema
    if not isinstance(given, StructType):
        raise InvalidArgument(
            f"A schema or a DataFrame is wanted, not {type(given).__name__}.",
            remedy='For example "id BIGINT, city STRING".',
        )
    return Schema.from_json(given.json())


def _check_columns(schema: Schema) -> None:
    if not schema.fields:
        raise InvalidArgument("A table needs at least one column.")
    seen: set[str] = set()
    for name in schema.names:
        if name.lower().startswith(RESERVED_PREFIX) or name.lower() in seen or not name:
            raise InvalidName(
                f"The column name `{name}` is reserved, empty or used twice.",
                remedy=f"Names are unique without regard to case and do not begin with {RESERVED_PREFIX}.",
            )
        seen.add(name.lower())


def _columns(schema: Schema, names: Names, what: str) -> tuple[str, ...]:
    wanted = () if names is None else (names,) if isinstance(names, str) else tuple(names)
    unknown = [n for n in wanted if n not in schema]
    if unknown:
        raise InvalidArgument(
            f"There is no column {', '.join(unknown)} for {what}.",
            remedy=f"The columns are {', '.join(schema.names)}.",
        )
    return wanted


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
