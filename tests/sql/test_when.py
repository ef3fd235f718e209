"""When a view is refreshed: texts, what they mean, and that they come out as they went in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everview.errors import InvalidArgument, Place, SqlSyntax
from everview.facts.cron import Cron
from everview.facts.when import (
    Every,
    Immediate,
    Interval,
    OnCron,
    OnDemand,
    OnRead,
    Schedule,
    TargetLag,
    Timing,
)
from everview.lake.catalog import Entry
from everview.sql.statements.when import when_of
from everview.views.schedules import schedule_of, schedule_text, when_text

INTERVALS = st.integers(1, 10_000_000).map(Interval)
WHENS = st.one_of(
    st.just(OnDemand()),
    st.just(Immediate()),
    st.just(OnRead()),
    INTERVALS.map(OnRead),
    INTERVALS.map(Every),
    INTERVALS.map(TargetLag),
    st.sampled_from(["* * * * *", "*/15 4 1-5 JAN,7 MON-FRI"]).map(lambda t: OnCron(Cron(t))),
)


@given(WHENS)
def test_the_text_of_a_value_is_read_as_that_value(when: Timing) -> None:
    assert when_of(str(when)) == when
    assert when_of(str(when).lower()) == when


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30 s", 30),
        ("30s", 30),
        ("5m", 300),
        ("5 Minutes", 300),
        ("1 hour", 3600),
        ("1 HOUR 30 MINUTES", 5400),
        ("2 d 1 s", 172_801),
        ("1 week", 604_800),
    ],
)
def test_intervals_are_written_as_people_do(text: str, seconds: int) -> None:
    assert when_of(f"EVERY {text}") == Every(Interval(seconds))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1, "1 SECOND"),
        (90, "90 SECONDS"),
        (3600, "1 HOUR"),
        (5400, "90 MINUTES"),
        (172_800, "2 DAYS"),
    ],
)
def test_an_interval_is_said_in_its_largest_unit(seconds: int, text: str) -> None:
    assert str(Interval(seconds)) == text


@pytest.mark.parametrize(
    ("text", "column", "what"),
    [
        ("EVERY 0 SECONDS", 7, "An interval of 0 seconds"),
        ("EVERY 9999 WEEKS", 7, "An interval of"),
        ("EVERY 1.5 HOURS", 7, "1.5 is not a whole number"),
        ("EVERY 5x", 7, "There is no unit x"),
        ("EVERY 5 MONTHS", 9, "Expected SECONDS"),
        ("EVERY '5 MINUTES'", 7, "Expected an interval"),
        ("EVERY 99999999999 S", 7, "too many"),
        ("ON READ WITHIN", 15, "Expected an interval"),
        ("TARGET LAG 1 HOUR ON READ", 19, "the end of the statement"),
        ("CRON '1 2 3'", 6, "3 fields"),
        ("sometimes", 1, "Expected EVERY, CRON, TARGET LAG, ON DEMAND, ON READ or IMMEDIATE"),
        ("", 1, "found none"),
        ("EVERY 1 HOUR; EVERY 2 HOURS", 1, "found 2"),
    ],
)
def test_what_cannot_be_read_is_shown_at_its_place(text: str, column: int, what: str) -> None:
    with pytest.raises(SqlSyntax, match=what) as raised:
        when_of(text)
    assert isinstance(raised.value.where, Place)
    assert raised.value.where.column == column


def test_only_a_text_says_when() -> None:
    with pytest.raises(InvalidArgument, match="5 does not say when"):
        when_of(5)


def test_the_catalog_says_it_in_a_text_and_nothing_of_on_demand() -> None:
    assert when_text(None) == when_text(OnDemand()) == ""
    entry = Entry("v", "view", "views/1", when=when_text(Every(Interval(300))))
    assert schedule_of(entry) == Schedule(Every(Interval(300)))
    assert schedule_text(entry) == "EVERY 5 MINUTES"
    waiting = Entry("v", "view", "views/1", suspended="yes")
    assert schedule_of(waiting) == Schedule(OnDemand(), suspended=True)
    assert schedule_text(waiting) == str(schedule_of(waiting)) == "ON DEMAND, suspended"


def test_what_a_later_version_wrote_is_shown_and_left_alone() -> None:
    entry = Entry("v", "view", "views/1", when="PROPAGATE EVERY 1 HOUR")
    assert schedule_of(entry) == Schedule(OnDemand())
    assert schedule_text(entry) == "PROPAGATE EVERY 1 HOUR"
