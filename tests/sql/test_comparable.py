"""The form in which stored values are compared, for every kind of type, and SQL names of types."""

from __future__ import annotations

import json
from typing import Any

import pytest

from everview.algebra.types import can_be_compared, can_be_grouped, type_of
from everview.sql.names import escaped, is_name, quoted, sql_type
from everview.sql.write.comparable import comparable_text


def array(of: Any) -> dict[str, Any]:
    return {"type": "array", "elementType": of, "containsNull": True}


def map_(key: Any, value: Any) -> dict[str, Any]:
    return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}


def struct(**fields: Any) -> dict[str, Any]:
    return {
        "type": "struct",
        "fields": [{"name": n, "type": t, "nullable": True} for n, t in fields.items()],
    }


def type_text(type_: Any) -> str:
    return type_ if isinstance(type_, str) else json.dumps(type_)


@pytest.mark.parametrize(
    "type_",
    ["long", "string", "decimal(38,2)", "binary", array("long"), struct(a="long", b=array("date"))],
)
def test_what_spark_compares_as_stored_stays_as_it_is(type_: Any) -> None:
    assert comparable_text("x", type_text(type_)) == "x"


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("double", "CAST(x AS STRING)"),
        ("float", "CAST(x AS STRING)"),
        ("string collate UTF8_LCASE", "(x) COLLATE UTF8_BINARY"),
        (array("double"), "transform(x, __ev_x0 -> CAST(__ev_x0 AS STRING))"),
        (
            array(array("float")),
            "transform(x, __ev_x0 -> transform(__ev_x0, __ev_x1 -> CAST(__ev_x1 AS STRING)))",
        ),
        (
            struct(a="long", **{"b`": "double"}),
            "CASE WHEN (x) IS NULL THEN NULL ELSE "
            "named_struct('f0', (x).`a`, 'f1', CAST((x).`b``` AS STRING)) END",
        ),
        (
            map_("string", "long"),
            "array_sort(transform(map_entries(x), __ev_x0 -> __ev_x0))",
        ),
        (
            map_("string", "double"),
            "array_sort(transform(map_entries(x), __ev_x0 -> CASE WHEN (__ev_x0) IS NULL THEN NULL"
            " ELSE named_struct('f0', (__ev_x0).`key`, 'f1',"
            " CAST((__ev_x0).`value` AS STRING)) END))",
        ),
    ],
)
def test_what_spark_does_not_tell_apart_is_made_comparable(type_: Any, expected: str) -> None:
    assert comparable_text("x", type_text(type_)) == expected


def test_a_variant_cannot_be_compared_at_any_depth() -> None:
    assert can_be_compared(type_of("long"))
    assert not can_be_compared(type_of("variant"))
    assert not can_be_compared(type_of(type_text(array(struct(a="variant")))))


def test_rows_are_not_grouped_by_a_map_or_a_variant_at_any_depth() -> None:
    for type_ in ("variant", map_("string", "long"), struct(a=array(map_("string", "long")))):
        assert not can_be_grouped(type_of(type_text(type_)))
    for name in ("map", "variant", '"map"', "{"):
        assert can_be_grouped(type_of(type_text(struct(**{name: "string"}))))


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("string collate UTF8_LCASE", "STRING COLLATE UTF8_LCASE"),
        ("varchar(7)", "VARCHAR(7)"),
        ("byte", "TINYINT"),
        ("long", "BIGINT"),
        ("timestamp_ntz", "TIMESTAMP_NTZ"),
        ("decimal(10,2)", "DECIMAL(10,2)"),
        ("interval day to second", "INTERVAL DAY TO SECOND"),
        (array("short"), "ARRAY<SMALLINT>"),
        (map_("string", array("double")), "MAP<STRING, ARRAY<DOUBLE>>"),
        (struct(a="date", **{"b c": "binary"}), "STRUCT<`a`: DATE, `b c`: BINARY>"),
    ],
)
def test_a_type_has_a_name_in_sql(type_: Any, expected: str) -> None:
    assert sql_type(type_text(type_)) == expected


def test_a_type_without_a_name_is_named() -> None:
    with pytest.raises(ValueError, match="udt"):
        sql_type('{"type": "udt"}')


def test_quoting() -> None:
    assert quoted("a`b") == "`a``b`"
    assert is_name(quoted("a`b"))
    assert not is_name("`a` + `b`")
    assert escaped("{a}") == "{{a}}"
