"""Creating tables of the warehouse."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from everview.errors import InvalidArgument, InvalidName, UnsupportedType
from everview.facts.keys import KeyCheck
from everview.facts.merge_on_read import PROPERTY, MergeOnRead
from everview.facts.schema import Field, Schema
from everview.facts.views import RESERVED_PREFIX, TableRecord
from everview.lake.catalog import Entry
from everview.lake.port import LakeTable
from everview.queries import public_frame, query_frame
from everview.run.dml.constraints import verify_keys
from everview.run.dml.target import Target
from everview.run.dml.writer import TableWriter
from everview.run.rows.given import Frame, given_frame, is_frame
from everview.run.rows.read import schema_of, snapshot_frame
from everview.spark.engine import whole
from everview.spark.log import logged
from everview.views.catalog_changes import add_entry, check_name, no_folder_left
from everview.views.table_properties import on_head
from everview.views.world import TABLE_PROPERTY, World, find_entry

GivenNames = str | Sequence[str] | None
ForeignKeys = Mapping[str | tuple[str, ...], str | tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Declared:
    """What is said of a new table besides its columns."""

    primary_key: GivenNames = None
    foreign_keys: ForeignKeys | None = None
    partition_by: GivenNames = None
    comment: str = ""
    comments: Mapping[str, str] = field(default_factory=dict)  # by column
    primary_key_enforced: bool = True
    merge_on_read: MergeOnRead | None = None


def create_own_table(
    world: World, name: str, given: StructType | str | Frame, declared: Declared
) -> None:
    """Create a table in a folder of its own, write its first rows if given, then publish its
    name.
    """
    check_name(world.catalog.read(), name)
    if is_frame(given):
        given = given_frame(world.engine.caller, given)
    schema = _schema(world, given)
    _check_columns(schema)
    keys = _columns(schema, declared.primary_key, "the primary key")
    foreign = _foreign(schema, declared.foreign_keys or {})
    record = TableRecord(keys, foreign, dict(declared.comments), declared.primary_key_enforced)
    location = f"tables/{uuid.uuid4().hex}"
    parts = _columns(schema, declared.partition_by, "partition_by")
    if len(parts) == len(schema.fields):
        raise InvalidArgument(
            "All columns are partition columns.", remedy="Leave at least one column for the files."
        )
    with no_folder_left(world, location):
        properties = {TABLE_PROPERTY: record.to_json()}
        if declared.merge_on_read is not None:
            properties[PROPERTY] = declared.merge_on_read
        table = world.lake.create(world.uri(location), schema, parts, properties)
        if isinstance(given, DataFrame):
            writer(world, table, name).append(given, None)
        add_entry(world, Entry(name, "table", location, declared.comment))


def add_table_columns(
    world: World, table: LakeTable, given: StructType | str, comments: Mapping[str, str]
) -> int:
    """Add columns at the end of an own table, NULL in the rows that are there; gives its version
    after it.
    """
    new = _schema(world, given)
    required = [f.name for f in new.fields if not f.nullable]
    if required:
        raise InvalidArgument(
            f"`{required[0]}` is NOT NULL, and a new column is NULL in the rows that are there.",
            remedy="Leave it nullable.",
        )

    def add(version: int) -> int:
        _check_columns(Schema((*table.snapshot(version).schema.fields, *new.fields)))
        return table.add_columns(new, version, uuid.uuid4().hex)

    def comment(version: int) -> int:
        record = declared_of(table)
        told = replace(record, comments={**record.comments, **comments})
        return table.set_properties({TABLE_PROPERTY: told.to_json()}, version, uuid.uuid4().hex)

    with world.engine.lock:
        version = on_head(table, add)
        return on_head(table, comment) if comments else version


def writer(world: World, table: LakeTable, name: str) -> TableWriter:
    """Carries out statements on a table; their conditions may read the warehouse's tables."""

    def query(text: str, given: Mapping[str, DataFrame]) -> DataFrame:
        return query_frame(world, world.engine.own, text, given)

    return TableWriter(
        Target(
            engine=world.engine,
            table=table,
            warehouse=world.storage,
            probe=world.probe,
            name=name,
            query=query,
            declared=declared_of(table),
            merge_on_read=world.settings.merge_on_read,
        )
    )


def declared_of(table: LakeTable) -> TableRecord:
    """What was declared of a table; nothing of one that Everview did not make."""
    text = table.head().properties.get(TABLE_PROPERTY)
    return TableRecord() if text is None else TableRecord.from_json(text)


def verify_table(world: World, name: str) -> list[KeyCheck]:
    """Whether the declared constraints of a table hold for all its rows."""
    table = world.open(world.entry(name, "table"))
    snapshot = table.snapshot(table.head().version)
    spark = world.engine.own

    def rows(other: str) -> DataFrame | None:
        entry = find_entry(world.catalog.read(), other)
        return None if entry is None else public_frame(world, spark, entry)

    with logged(name, "verify"), world.engine.settings(whole(snapshot.bytes)):
        mine = snapshot_frame(spark, snapshot)
        return verify_keys(name, snapshot, declared_of(table), mine, rows)


def _schema(world: World, given: object) -> Schema:
    if isinstance(given, DataFrame):
        _refuse_collations(given.schema)
        fields = schema_of(given).fields  # a query's nullability is not a declaration
        return Schema(tuple(Field(f.name, f.type) for f in fields))
    if isinstance(given, str):
        given = _parsed(world, given)
    if not isinstance(given, StructType):
        raise InvalidArgument(
            f"A schema or a DataFrame is wanted, not {type(given).__name__}.", remedy=_EXAMPLE
        )
    _refuse_collations(given)
    return Schema.from_json(given.json())


def _refuse_collations(schema: StructType) -> None:
    """A collation would be lost in the table, and with it which values are equal."""
    for column in schema.jsonValue()["fields"]:
        for collation in column["metadata"].get("__COLLATIONS", {}).values():
            raise UnsupportedType(
                f"The column `{column['name']}` has the collation {collation.rpartition('.')[2]}, "
                "which is not kept.",
                remedy="Make it a plain STRING, and write COLLATE in queries.",
            )


_EXAMPLE = 'For example "id BIGINT, city STRING".'


def _parsed(world: World, text: str) -> StructType:
    kept = {"spark.sql.preserveCharVarcharTypeInfo": "true"}  # then they are refused by name
    try:
        with world.engine.settings(kept) as spark:
            return spark.createDataFrame([], text).schema
    except PySparkException as error:
        what = str(error.getMessage() or error).strip().splitlines()
        raise InvalidArgument(
            f"{text!r} is not a schema: {what[0] if what else ''}", remedy=_EXAMPLE
        ) from error


def _check_columns(schema: Schema) -> None:
    if not schema.fields:
        raise InvalidArgument("A table needs at least one column.", remedy=_EXAMPLE)
    seen: set[str] = set()
    for column in schema.fields:
        if column.is_nested and not column.nullable:
            raise InvalidArgument(
                f"NOT NULL on the nested column `{column.name}` is not checked by anyone.",
                remedy="Leave it nullable.",
            )
    for name in schema.names:
        if name.lower().startswith(RESERVED_PREFIX) or name.lower() in seen or not name:
            raise InvalidName(
                f"The column name `{name}` is reserved, empty or used twice.",
                remedy=f"Names differ not only in case and do not begin with {RESERVED_PREFIX}.",
            )
        seen.add(name.lower())


def _columns(schema: Schema, names: GivenNames, what: str) -> tuple[str, ...]:
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
