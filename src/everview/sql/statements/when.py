"""When a view is refreshed, as a statement or a text says it."""

from __future__ import annotations

import re

from everview.errors import InvalidArgument, SqlSyntax
from everview.facts.cron import Cron
from everview.facts.when import (
    Every,
    Immediate,
    Interval,
    OnCron,
    OnDemand,
    OnRead,
    TargetLag,
    Timing,
)
from everview.sql.statements.cursor import Cursor
from everview.sql.statements.lexer import TokenKind, statements
from everview.sql.statements.parts import place_of

_SPELLINGS = (
    (1, ("S", "SEC", "SECS", "SECOND", "SECONDS")),
    (60, ("M", "MIN", "MINS", "MINUTE", "MINUTES")),
    (3600, ("H", "HR", "HRS", "HOUR", "HOURS")),
    (86_400, ("D", "DAY", "DAYS")),
    (604_800, ("W", "WEEK", "WEEKS")),
)
_UNITS = {word: seconds for seconds, words in _SPELLINGS for word in words}
_WORDS = "SECONDS, MINUTES, HOURS, DAYS or WEEKS"
_AMOUNT = re.compile(r"(\d+)([A-Za-z]*)")
_EXAMPLE = "For example 'EVERY 5 MINUTES', 'TARGET LAG 1 HOUR' or 'ON DEMAND'."


def when_clause(cursor: Cursor) -> Timing:
    """ON DEMAND, ON READ [WITHIN interval], EVERY interval, CRON 'fields', TARGET LAG interval or
    IMMEDIATE.
    """
    if cursor.accept("EVERY"):
        return Every(_interval(cursor))
    if cursor.accept("CRON"):
        return _cron(cursor)
    if cursor.accept("TARGET", "LAG"):
        return TargetLag(_interval(cursor))
    if cursor.accept("ON", "DEMAND"):
        return OnDemand()
    if cursor.accept("ON", "READ"):
        return OnRead(_interval(cursor) if cursor.accept("WITHIN") else None)
    cursor.expect("IMMEDIATE")
    return Immediate()


def when_of(text: object) -> Timing:
    """What a text alone says; SqlSyntax with the place where it cannot be read."""
    if not isinstance(text, str):
        raise InvalidArgument(f"{text!r} does not say when to refresh.", remedy=_EXAMPLE)
    found = list(statements(text))
    if len(found) != 1:
        what = f"Expected one text of when to refresh, found {len(found) or 'none'}."
        raise SqlSyntax(what, where=place_of(text, 0, 0), remedy=_EXAMPLE)
    cursor = Cursor(text, found[0])
    when = when_clause(cursor)
    cursor.end()
    return when


def _cron(cursor: Cursor) -> OnCron:
    token = cursor.peek()
    fields = cursor.string("five fields of cron in quotes")
    try:
        return OnCron(Cron(fields))
    except InvalidArgument as error:
        cursor.error(token, error.what, error.remedy)


def _interval(cursor: Cursor) -> Interval:
    """One number with a unit or several: `5 MINUTES`, `30s`, `1 HOUR 30 MINUTES`."""
    first = cursor.peek()
    seconds = _amount(cursor)
    while cursor.peek().text[:1].isdecimal():
        seconds += _amount(cursor)
    try:
        return Interval(seconds)
    except InvalidArgument as error:
        cursor.error(first, error.what, error.remedy)


def _amount(cursor: Cursor) -> int:
    token = cursor.peek()
    found = _AMOUNT.fullmatch(token.text) if token.kind is not TokenKind.STRING else None
    if found is None:
        if token.text[:1].isdecimal():
            cursor.error(token, f"{token.text} is not a whole number.", "Write 90 SECONDS, say.")
        cursor.want("an interval such as 5 MINUTES")
        cursor.fail()
    number, unit = found.groups()
    if len(number) > 9:
        cursor.error(token, f"{number} is too many.", "Give at most ten years.")
    cursor.advance()
    if not unit:
        token, unit = cursor.peek(), cursor.peek().word
        if unit not in _UNITS:
            cursor.want(_WORDS)
            cursor.fail()
        cursor.advance()
    if unit.upper() not in _UNITS:
        cursor.error(token, f"There is no unit {unit}.", f"Write {_WORDS}.")
    return int(number) * _UNITS[unit.upper()]
