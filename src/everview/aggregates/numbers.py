"""Spark's number types, as far as exact arithmetic on work areas needs to know them."""

from __future__ import annotations

from everview.algebra.types import DecimalOf, type_of

SMALL_INTEGERS = frozenset({"byte", "short", "integer"})
INTEGERS = SMALL_INTEGERS | {"long"}
FLOAT_NAMES = frozenset({"float", "double"})
EXACT_SUM = "decimal(38,0)"


def decimal_of(type_: str) -> tuple[int, int] | None:
    """Precision and scale of a decimal type, None for another type."""
    found = type_of(type_)
    return (found.precision, found.scale) if isinstance(found, DecimalOf) else None


def decimal(precision: int, scale: int) -> str:
    return f"decimal({min(38, precision)},{scale})"
