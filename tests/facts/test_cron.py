"""Fields of cron: which moments they name, where clocks are changed too, and what is no cron."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everview.errors import InvalidArgument
from everview.facts.cron import Cron

BERLIN = ZoneInfo("Europe/Berlin")
MINUTE = timedelta(minutes=1)


def after(text: str, moment: str, zone: ZoneInfo | None = None) -> str:
    """The next moment as UTC clocks show it."""
    at = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    found = Cron(text).after(int(at.timestamp() * 1000), zone or UTC)
    return datetime.fromtimestamp(found / 1000, UTC).strftime("%Y-%m-%d %H:%M")


@pytest.mark.parametrize(
    ("text", "moment", "expected"),
    [
        ("* * * * *", "2026-11-19 10:00:30", "2026-11-19 10:01"),
        ("*/15 * * * *", "2026-11-19 10:15", "2026-11-19 10:30"),
        ("30 4 * * *", "2026-11-19 10:00", "2026-11-20 04:30"),
        ("0 9 * * MON-FRI", "2026-11-20 09:00", "2026-11-23 09:00"),
        ("0 9 * * 6,7", "2026-11-19 09:00", "2026-11-21 09:00"),
        ("0 0 1 jan *", "2026-11-19 09:00", "2027-01-01 00:00"),
        ("0 0 31 * *", "2026-11-19 09:00", "2026-12-31 00:00"),
        ("0 0 29 2 *", "2026-11-19 09:00", "2028-02-29 00:00"),
        ("0 0 13 * FRI", "2026-11-19 09:00", "2026-11-20 00:00"),  # the 13th or a Friday
        ("10/20 * * * *", "2026-11-19 09:31", "2026-11-19 09:50"),
        ("5-10/5,40 23 * * *", "2026-11-19 23:05", "2026-11-19 23:10"),
    ],
)
def test_the_next_moment(text: str, moment: str, expected: str) -> None:
    assert after(text, moment) == expected


def test_hours_are_those_that_the_clocks_of_the_zone_show() -> None:
    assert after("0 9 * * *", "2026-11-19 07:00", BERLIN) == "2026-11-19 08:00"
    assert after("0 9 * * *", "2026-07-19 06:00", BERLIN) == "2026-07-19 07:00"


def test_an_hour_that_is_left_out_is_taken_once() -> None:
    # In Berlin 02:30 does not exist on the 29th of March 2026; 03:30 there is 01:30 here.
    assert after("30 2 * * *", "2026-03-28 12:00", BERLIN) == "2026-03-29 01:30"
    assert after("30 2 * * *", "2026-03-29 01:30", BERLIN) == "2026-03-30 00:30"


def test_an_hour_that_comes_twice_counts_once_unless_every_hour_does() -> None:
    # In Berlin 02:30 on the 25th of October 2026 is 00:30 and 01:30 here.
    assert after("30 2 * * *", "2026-10-24 12:00", BERLIN) == "2026-10-25 00:30"
    assert after("30 2 * * *", "2026-10-25 00:30", BERLIN) == "2026-10-26 01:30"
    assert after("30 * * * *", "2026-10-25 00:30", BERLIN) == "2026-10-25 01:30"


FIELDS = st.tuples(
    st.sampled_from(["*", "*/7", "0", "3,59", "10-20/3"]),
    st.sampled_from(["*", "*/5", "0", "23", "8-10"]),
    st.sampled_from(["*", "1", "*/10", "28-31"]),
    st.sampled_from(["*", "2", "1-12/3", "NOV"]),
    st.sampled_from(["*", "SUN", "7", "MON-FRI", "*/2"]),
)


@settings(max_examples=60, deadline=None)
@given(FIELDS, st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)))
def test_no_moment_between_is_named(fields: tuple[str, ...], moment: datetime) -> None:
    """Against the fields of each minute, read one by one for three days."""
    cron = Cron(" ".join(fields))
    at = moment.replace(tzinfo=UTC)
    found = datetime.fromtimestamp(cron.after(int(at.timestamp() * 1000), UTC) / 1000, UTC)
    assert found > at
    start = at.replace(second=0, microsecond=0)
    for minute in range(1, 3 * 24 * 60):
        tried = start + minute * MINUTE
        assert fits(fields, tried) == (tried == found), tried
        if tried == found:
            break


def fits(fields: tuple[str, ...], at: datetime) -> bool:
    """What the five fields mean, by the values that were chosen for them."""
    minute, hour, day, month, weekday = (_values(f) for f in fields)
    by_day, by_weekday = at.day in day, at.isoweekday() in weekday
    both = fields[2].startswith("*") or fields[4].startswith("*")
    days = by_day and by_weekday if both else by_day or by_weekday
    return at.minute in minute and at.hour in hour and at.month in month and days


def _values(text: str) -> set[int]:
    known = {
        "*": set(range(60)),
        "*/7": set(range(0, 60, 7)),
        "3,59": {3, 59},
        "10-20/3": {10, 13, 16, 19},
        "*/5": {0, 5, 10, 15, 20},
        "8-10": {8, 9, 10},
        "*/10": {1, 11, 21, 31},
        "28-31": {28, 29, 30, 31},
        "1-12/3": {1, 4, 7, 10},
        "NOV": {11},
        "MON-FRI": {1, 2, 3, 4, 5},
        "*/2": {7, 2, 4, 6},
        "0": {0},
        "SUN": {7},
        "7": {7},
        "1": {1},
        "2": {2},
        "23": {23},
    }
    return known[text]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "0 fields"),
        ("* * * *", "4 fields"),
        ("@hourly", "1 fields"),
        ("60 * * * *", "no minute"),
        ("* 24 * * *", "no hour"),
        ("* * 0 * *", "no day of the month"),
        ("* * * 13 *", "no month"),
        ("* * * * 8", "no weekday"),
        ("*/0 * * * *", "no minute"),
        ("20-10 * * * *", "no minute"),
        ("1, * * * *", "no minute"),
        ("JAN * * * *", "no minute"),
        ("- * * * *", "no minute"),
        ("0 0 30 2 *", "never comes"),
    ],
)
def test_what_is_no_cron(text: str, what: str) -> None:
    with pytest.raises(InvalidArgument, match=what):
        Cron(text)
