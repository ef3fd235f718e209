"""Spark's number types, as far as exact arithmetic on work areas needs to know them."""

from __future__ import annotations

import re

SMALL_INTEGERS = frozenset({"byte", "short", "integer"})
INTEGERS = SMALL_INTEGERS | {"long"}
FLOATS = frozenset({"float", "double"})
EXACT_SUM = "decimal(38,0)"

_DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")


def decimal_of(type_: str) -> tuple[int, int] | None:
    """Precision and scale of a decimal type, None for another type."""
    found = _DECIMAL.fullmatch(type_)
    return (int(found[1]), int(found[2])) if found else None


def decimal(precision: int, scale: int) -> str:
    return f"decimal({min(38, precision)},{scale})"
