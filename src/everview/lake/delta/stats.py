"""Column bounds of a file: to the log's statistics, and back as values that bound every row."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

from everview.algebra.types import DecimalOf, type_of
from everview.facts.files import Bounds, DataFile
from everview.facts.schema import Schema

# Writers print decimals as doubles: up to 15 digits are exact, beyond that two roundings apart.
_EXACT_DIGITS = 15
_ROUNDING = Decimal(2) ** -51
_WIDE = Context(prec=80)
# Some print decimals without a fraction as 64-bit integers, which stop at their ends.
_STOPS = (Decimal(-(2**63)), Decimal(2**63 - 1))
# Writers cut timestamps to milliseconds, maxima too.
_CUT = timedelta(microseconds=999)


def stats_json(file: DataFile, schema: Schema) -> str:
    """The `stats` text of an add action; a value that JSON cannot hold exactly is left out."""
    known = [(name, bounds) for name, bounds in file.bounds if name in schema]
    parts = {
        "minValues": _json_object((name, _json_value(b.low)) for name, b in known),
        "maxValues": _json_object((name, _json_value(b.high)) for name, b in known),
        "nullCount": _json_object(
            (name, None if b.nulls is None else str(b.nulls)) for name, b in known
        ),
    }
    if file.rows is not None:
        parts = {"numRecords": str(file.rows), **parts}
    return _json_object(parts.items())


def _json_text(text: str) -> str:
    """As plain UTF-8: the log's reader takes an escaped surrogate pair for another character."""
    return json.dumps(text, ensure_ascii=False)


def _json_object(members: Iterable[tuple[str, str | None]]) -> str:
    texts = (f"{_json_text(name)}:{text}" for name, text in members if text is not None)
    return "{" + ",".join(texts) + "}"


def _json_value(value: Any) -> str | None:
    match value:
        case None:
            return None
        case bool() | int():
            return json.dumps(value)
        case float():
            return repr(value) if math.isfinite(value) else None
        case Decimal():
            return format(value, "f")
        case datetime():
            zone = "Z" if value.tzinfo else ""
            text = value.replace(tzinfo=None).isoformat(timespec="microseconds")
            return json.dumps(text + zone)
        case date():
            return json.dumps(value.isoformat())
        case str():
            return _json_text(value)
    raise TypeError(f"no bound is of type {type(value).__name__}")


def low_from_log(value: Any, type_: str) -> Any:
    """A value that is at most every value in the file, from the recorded minimum."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, float):
        return -0.0 if value == 0 else value
    if isinstance(value, Decimal):
        return _widened(value, type_, lambda v, by: v - by, ROUND_FLOOR)
    return value


def high_from_log(value: Any, type_: str) -> Any:
    """A value that is at least every value in the file, from the recorded maximum.

    Writers leave NaN out of the maximum of a float column though it is the largest value: there
    is no such bound.
    """
    if value is None or isinstance(value, float):
        return None
    if isinstance(value, Decimal):
        return _widened(value, type_, lambda v, by: v + by, ROUND_CEILING)
    if isinstance(value, datetime) and value.microsecond % 1000 == 0:
        return value + _CUT
    return value


def _widened(
    value: Decimal, type_: str, move: Callable[[Decimal, Decimal], Decimal], rounding: str
) -> Decimal | None:
    known = type_of(type_)
    assert isinstance(known, DecimalOf), type_
    if known.precision <= _EXACT_DIGITS:
        return value
    if value in _STOPS:
        return None
    unit = Decimal(1).scaleb(-known.scale)
    moved = move(value, _WIDE.multiply(abs(value), _ROUNDING))
    return moved.quantize(unit, rounding=rounding, context=_WIDE)


def bounds_from_stats(text: str | None, schema: Schema) -> tuple[tuple[str, Bounds], ...]:
    """The bounds that the `stats` text of an add action gives for whole numbers, dates and strings,
    which the text holds exactly.
    """
    stats = json.loads(text) if text else {}
    if not isinstance(stats, dict):
        return ()
    lows, highs, nulls = (stats.get(k) or {} for k in ("minValues", "maxValues", "nullCount"))
    found = []
    for field in schema.fields:
        if field.type in _PLAIN and (field.name in lows or field.name in nulls):
            low, high = (_PLAIN[field.type](some.get(field.name)) for some in (lows, highs))
            found.append((field.name, Bounds(low, high, nulls.get(field.name))))
    return tuple(found)


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        return None


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


_PLAIN: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("byte", "short", "integer", "long"), _whole),
    "date": _day,
    "string": _string,
}


def bounds_from_log(low: Any, high: Any, nulls: int | None, type_: str) -> Bounds | None:
    """The bounds of one column as they may be relied on, None if nothing is known."""
    bounds = Bounds(low_from_log(low, type_), high_from_log(high, type_), nulls)
    return None if bounds == Bounds() else bounds
