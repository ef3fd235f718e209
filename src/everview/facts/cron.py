"""Five fields of cron as a value, and the moments that they name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache

from everview.errors import InvalidArgument

_MONTH_NAMES = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"
_MONTHS = {name: n for n, name in enumerate(_MONTH_NAMES.split(" "), start=1)}
_DAY_NAMES = "SUN MON TUE WED THU FRI SAT"
_DAYS = {name: n for n, name in enumerate(_DAY_NAMES.split(" "))}
# The 29th of February comes every four years, but for one in a century.
_FARTHEST = 9 * 366  # days
_TURNED_BACK = timedelta(hours=3)
_EXAMPLE = "For example '*/15 * * * *', or '30 4 * * MON-FRI': minute, hour, day, month, weekday."


@dataclass(frozen=True, slots=True)
class _Range:
    """What one field may hold, and its names."""

    title: str
    first: int
    last: int
    names: Mapping[str, int]


_FIELDS = (
    _Range("minute", 0, 59, {}),
    _Range("hour", 0, 23, {}),
    _Range("day of the month", 1, 31, {}),
    _Range("month", 1, 12, _MONTHS),
    _Range("weekday", 0, 7, _DAYS),
)


@dataclass(frozen=True, slots=True)
class Cron:
    """Minute, hour, day of the month, month and weekday (0 or 7 is Sunday), as cron has them: a
    number or name, `a-b`, lists of those, `*`, and steps `*/n`. Where day and weekday are both
    given, either will do.
    """

    text: str

    def __post_init__(self) -> None:
        if len(self.text.split()) != len(_FIELDS):
            raise InvalidArgument(
                f"{self.text!r} has {len(self.text.split())} fields, cron has five.",
                remedy=_EXAMPLE,
            )
        object.__setattr__(self, "text", " ".join(self.text.upper().split()))
        _sets(self.text)
        # Of all years that there are, those around 2000 have a 29th of February.
        if self._after(datetime(1999, 1, 1), UTC, datetime(1999, 1, 1, tzinfo=UTC)) is None:
            raise InvalidArgument(f"{self.text!r} names a day that never comes.", remedy=_EXAMPLE)

    def after(self, moment: int, zone: tzinfo) -> int:
        """The first moment that it names after another, both in milliseconds since the epoch; the
        fields are read as the clocks of the zone show.

        An hour that the clocks leave out is taken at the hour after it. One that they show twice
        counts once, unless the hour is `*`.
        """
        at = datetime.fromtimestamp(moment / 1000, UTC)
        found = self._after(at.astimezone(zone).replace(tzinfo=None), zone, at)
        assert found is not None, "a text that names no day is refused"
        return int(found.timestamp() * 1000)

    def _after(self, local: datetime, zone: tzinfo, at: datetime) -> datetime | None:
        """The first moment after `at`, which the clocks of the zone show as `local`."""
        minutes, hours, _, _, _ = _sets(self.text)
        folds = (0, 1) if len(hours) == 24 else (0,)
        # When clocks go back, what they show next is less than what they show now.
        first = local.replace(minute=0, second=0, microsecond=0) - _TURNED_BACK
        for days in range(_FARTHEST):
            day = first.date() + timedelta(days=days)
            if not self._names_day(day):
                continue
            for hour in hours:
                begins = datetime(day.year, day.month, day.day, hour)
                if begins < first:
                    continue
                shown = (
                    begins.replace(minute=m, fold=f, tzinfo=zone) for m in minutes for f in folds
                )
                found = min((t for s in shown if (t := s.astimezone(UTC)) > at), default=None)
                if found is not None:
                    return found
        return None

    def _names_day(self, day: date) -> bool:
        _, _, days, months, weekdays = _sets(self.text)
        if day.month not in months:
            return False
        fits, weekday_fits = day.day in days, day.isoweekday() % 7 in weekdays
        _, _, said, _, weekday_said = self.text.split()
        if said.startswith("*") or weekday_said.startswith("*"):
            return fits and weekday_fits
        return fits or weekday_fits


@lru_cache
def _sets(text: str) -> tuple[tuple[int, ...], ...]:
    """The numbers of each field, in order."""
    found = [_numbers(t, f) for t, f in zip(text.split(), _FIELDS, strict=True)]
    found[4] = {n % 7 for n in found[4]}
    return tuple(tuple(sorted(numbers)) for numbers in found)


def _numbers(text: str, field: _Range) -> set[int]:
    found: set[int] = set()
    for part in text.split(","):
        span, slash, step = part.partition("/")
        first, last = _span(span, field, is_open=bool(slash))
        every = _number(step, field, {}) if slash else 1
        if first > last or not every:
            raise _wrong(part, field)
        found |= set(range(first, last + 1, every))
    return found


def _span(text: str, field: _Range, *, is_open: bool) -> tuple[int, int]:
    """`*`, `a-b` or `a`, which with a step goes on to the last."""
    if text == "*":
        return field.first, field.last
    low, dash, high = text.partition("-")
    first = _number(low, field, field.names)
    last = _number(high, field, field.names) if dash else field.last if is_open else first
    if not field.first <= first <= last <= field.last:
        raise _wrong(text, field)
    return first, last


def _number(text: str, field: _Range, names: Mapping[str, int]) -> int:
    if text in names:
        return names[text]
    if not (text.isascii() and text.isdecimal()) or len(text) > 4:
        raise _wrong(text, field)
    return int(text)


def _wrong(text: str, field: _Range) -> InvalidArgument:
    return InvalidArgument(
        f"{text!r} is no {field.title} of cron ({field.first} to {field.last}).", remedy=_EXAMPLE
    )
