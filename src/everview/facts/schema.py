"""The columns of a table: names and Spark types, as values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from everview.algebra.types import Type, is_nested, type_of


@dataclass(frozen=True, slots=True)
class Field:
    """One column. `type` is Spark's JSON form of the type: `long`, `decimal(10,2)`, or JSON text
    for a nested one.
    """

    name: str
    type: str
    nullable: bool = True

    @property
    def parsed(self) -> Type:
        """The type as a value."""
        return type_of(self.type)

    @property
    def is_nested(self) -> bool:
        return is_nested(self.parsed)

    def to_json(self) -> dict[str, Any]:
        type_ = json.loads(self.type) if self.is_nested else self.type
        return {"name": self.name, "type": type_, "nullable": self.nullable, "metadata": {}}


@dataclass(frozen=True, slots=True)
class Schema:
    """Columns in order; names are unique without regard to case."""

    fields: tuple[Field, ...]

    @staticmethod
    def from_json(text: str) -> Schema:
        """From the JSON text of a Spark StructType (also Delta's schemaString)."""
        return Schema(tuple(_field(f) for f in json.loads(text)["fields"]))

    def to_json(self) -> str:
        """The JSON text of the Spark StructType."""
        return json.dumps(
            {"type": "struct", "fields": [f.to_json() for f in self.fields]}, sort_keys=True
        )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f.name for f in self.fields)

    def __getitem__(self, name: str) -> Field:
        return next(f for f in self.fields if f.name == name)

    def __contains__(self, name: object) -> bool:
        return any(f.name == name for f in self.fields)

    def same_columns(self, other: Schema) -> bool:
        """Whether names and types are the same; nullability aside."""
        return [(f.name, f.type) for f in self.fields] == [(f.name, f.type) for f in other.fields]

    def find(self, name: str) -> str | None:
        """The name as the schema spells it; names are one whatever their case."""
        return next((n for n in self.names if n.lower() == name.lower()), None)

    def only(self, names: tuple[str, ...]) -> Schema:
        """The fields of these names, in the order of the names."""
        return Schema(tuple(self[n] for n in names))


def _field(field: dict[str, Any]) -> Field:
    type_ = field["type"]
    text = type_ if isinstance(type_, str) else json.dumps(type_, sort_keys=True)
    return Field(field["name"], text, field.get("nullable", True))
