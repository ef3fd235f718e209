"""Creating Delta tables: types that can be stored, properties, partition columns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from deltalake import DeltaTable

from everview.errors import InvalidArgument, UnsupportedType
from everview.facts.schema import Field, Schema
from everview.lake.delta.table import EmbeddedDelta


def nested(type_: object) -> str:
    return json.dumps(type_, sort_keys=True)


def struct(**types: object) -> dict[str, object]:
    fields = [{"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in types.items()]
    return {"type": "struct", "fields": fields}


ARRAY = {"type": "array", "elementType": "string", "containsNull": True}
MAP = {"type": "map", "keyType": "string", "valueType": "long", "valueContainsNull": True}


def test_every_type_comes_back_as_it_was(tmp_path: Path) -> None:
    numbers = ("byte", "short", "integer", "long", "float", "double", "decimal(38,18)")
    simple = (*numbers, "string", "boolean", "binary", "date", "timestamp", "timestamp_ntz")
    fields = [Field(f"c{i}", type_) for i, type_ in enumerate(simple)]
    fields += [
        Field("required", "long", nullable=False),
        Field("s", nested(struct(u="long", v=struct(w="date")))),
        Field("a", nested(ARRAY)),
        Field("m", nested(MAP)),
    ]
    table = EmbeddedDelta().create(str(tmp_path), Schema(tuple(fields)), (), {})
    assert table.snapshot(0).schema == Schema(tuple(fields))


@pytest.mark.parametrize(
    ("type_", "name"),
    [
        ("interval day to second", "interval day to second"),
        ("interval year to month", "interval year to month"),
        ("interval", "interval"),
        ("void", "void"),
        ("time(6)", "time"),
        ("variant", "variant"),
        ("char(5)", "char"),
        (nested(struct(u="long", v="void")), r"c\.v is of type void"),
        (nested(ARRAY | {"elementType": "interval"}), r"c\[\] is of type interval"),
        (nested(MAP | {"valueType": struct(z="void")}), r"c \(value\)\.z is of type void"),
        (nested({"type": "udt", "class": "Point"}), "udt"),
    ],
)
def test_types_that_cannot_be_stored_are_refused_by_name(
    tmp_path: Path, type_: str, name: str
) -> None:
    with pytest.raises(UnsupportedType, match=name) as refusal:
        EmbeddedDelta().create(str(tmp_path), Schema((Field("c", type_),)), (), {})
    assert "column c" in refusal.value.what
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("type_", ["timestamp", "double", "float", "binary", nested(ARRAY)])
def test_partition_columns_must_come_back_from_folder_names(tmp_path: Path, type_: str) -> None:
    schema = Schema((Field("k", "long"), Field("p", type_)))
    with pytest.raises(InvalidArgument, match="partitioned by p"):
        EmbeddedDelta().create(str(tmp_path), schema, ("p",), {})


def test_partition_columns_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="q"):
        EmbeddedDelta().create(str(tmp_path), Schema((Field("k", "long"),)), ("q",), {})


def test_properties_are_kept_as_given(tmp_path: Path) -> None:
    text = json.dumps({"definition": "SELECT 'é' AS \"x\"\n"})
    given = {"everview.view": text, "delta.logRetentionDuration": "interval 9 days"}
    table = EmbeddedDelta().create(str(tmp_path), Schema((Field("k", "long"),)), (), given)
    properties = table.head().properties
    assert {key: properties[key] for key in given} == given
    assert properties["delta.checkpointInterval"] == "20"


def test_any_delta_reader_opens_the_table(tmp_path: Path) -> None:
    EmbeddedDelta().create(f"file://{tmp_path}/t", Schema((Field("k", "long"),)), (), {})
    assert DeltaTable(tmp_path / "t").version() == 0
