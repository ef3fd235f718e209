"""Days and microseconds since 1970, as files count time, turned into dates and datetimes."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

_EPOCH = datetime(1970, 1, 1)


def timestamp_of(micros: int | None, *, zoned: bool) -> datetime | None:
    """Microseconds since the epoch as a datetime, None beyond the years Python has."""
    if micros is None:
        return None
    try:
        value = _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return None
    return value.replace(tzinfo=UTC) if zoned else value


def date_of(days: int | None) -> date | None:
    """Days since the epoch as a date, None beyond the years Python has."""
    if days is None:
        return None
    try:
        return _EPOCH.date() + timedelta(days=days)
    except OverflowError:
        return None
