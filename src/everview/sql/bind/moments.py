"""What makes a query depend on the moment of its computation: clock, chance, session."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from everview.facts.schema import Schema
from everview.facts.views import Moment
from everview.sql.bind.scalar import WITHOUT_PARENTHESES, function_name
from everview.sql.names import quoted
from everview.sql.read.dialect import EverviewSpark
from everview.sql.read.parse import Parsed
from everview.sql.spark_functions import (
    AGGREGATES,
    GENERATORS,
    PLAIN_FUNCTIONS,
    TABLE_FUNCTIONS,
    WINDOW_ONLY,
)

# The value of these is the same within one query, but not from one refresh to the next.
PER_QUERY = frozenset(
    {
        "current_catalog", "current_database", "current_date", "current_path", "current_role",
        "current_schema", "current_time", "current_timestamp", "current_timezone",
        "current_user", "curdate", "localtimestamp", "now", "session_user", "unix_timestamp",
        "user", "version",
    }
)  # fmt: skip

# The value of these differs even within one query.
RANDOM = frozenset(
    {
        "input_file_block_length", "input_file_block_start", "input_file_name",
        "monotonically_increasing_id", "rand", "randn", "random", "randstr", "shuffle",
        "spark_partition_id", "uniform", "uuid",
    }
)  # fmt: skip

_BUILT_IN = AGGREGATES | GENERATORS | PLAIN_FUNCTIONS | TABLE_FUNCTIONS | WINDOW_ONLY

# Of the clock only without arguments; with one they read it.
_OF_THEIR_ARGUMENT = frozenset({"unix_timestamp"})

# Strings that Spark takes for a moment wherever it casts a constant to a date or a time.
_MOMENTS = frozenset({"now", "today", "tomorrow", "yesterday"})
_TIMES = ("date", "time", "timestamp")  # how the names of those types begin
_TIME_FUNCTIONS = frozenset(
    {
        "add_months", "date", "date_add", "date_diff", "date_format", "date_part", "date_sub",
        "date_trunc", "dateadd", "datediff", "datepart", "day", "dayname", "dayofmonth",
        "dayofweek", "dayofyear", "extract", "from_utc_timestamp", "hour", "last_day", "minute",
        "month", "monthname", "months_between", "next_day", "quarter", "second", "timestamp",
        "timestampadd", "timestampdiff", "to_date", "to_timestamp", "to_timestamp_ltz",
        "to_timestamp_ntz", "to_unix_timestamp", "to_utc_timestamp", "trunc", "try_to_date",
        "try_to_timestamp", "unix_date", "unix_micros", "unix_millis", "unix_seconds",
        "unix_timestamp", "weekday", "weekofyear", "year",
    }
)  # fmt: skip


def known_moment(parsed: Parsed, sources: Mapping[str, Schema]) -> Moment | None:
    """The first such expression that the text alone shows; None if it shows none."""
    types = {f.name.lower(): f.type for schema in sources.values() for f in schema.fields}
    given = set(types) | _given_names(parsed.tree)
    for node in parsed.tree.walk(bfs=False):
        if _is_moment(node, given) or _is_word(node, types):
            return moment_at(parsed, node)
    return None


def moment_at(parsed: Parsed, node: exp.Expr) -> Moment:
    text = " ".join(node.sql(dialect=EverviewSpark, normalize_functions=False).split())
    return Moment(text, parsed.place(node))


def _given_names(tree: exp.Expr) -> set[str]:
    """The names that the text gives to columns of its own."""
    found = {str(a.alias).lower() for a in tree.find_all(exp.Alias)}
    return found | {c.name.lower() for a in tree.find_all(exp.TableAlias) for c in a.columns}


def _is_moment(node: exp.Expr, given: set[str]) -> bool:
    """Whether the node is a call of such a function, with or without parentheses, or a sample."""
    if isinstance(node, exp.TableSample):
        return True
    if isinstance(node, exp.Column):
        name = node.name.lower()
        return not node.table and name in WITHOUT_PARENTHESES and name not in given
    name = function_name(node) or ""
    if name in _OF_THEIR_ARGUMENT and node.expressions:
        return False
    return name in PER_QUERY or name in RANDOM


def _is_word(node: exp.Expr, types: Mapping[str, str]) -> bool:
    """Whether the node is a string like 'today' that becomes a date or a time: by a cast, as an
    argument of a function of times, or beside a column of times.
    """
    if not isinstance(node, exp.Literal) or not node.is_string:
        return False
    if str(node.this).strip().lower() not in _MOMENTS:
        return False
    around = node.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    if around is None:
        return False
    if isinstance(around, exp.Cast):
        return around.to.sql(dialect=EverviewSpark).lower().startswith(_TIMES)
    if function_name(around) in _TIME_FUNCTIONS:
        return True
    return any(_is_of_times(part, types) for part in around.walk() if part is not node)


def _is_of_times(node: exp.Expr, types: Mapping[str, str]) -> bool:
    if isinstance(node, exp.Column):
        return types.get(node.name.lower(), "").startswith(_TIMES)
    if isinstance(node, exp.Cast):
        return node.to.sql(dialect=EverviewSpark).lower().startswith(_TIMES)
    return function_name(node) in _TIME_FUNCTIONS


@dataclass(frozen=True, slots=True)
class OwnCall:
    """A call of a function that is not one of Spark's: its name, quoted, and its arguments."""

    name: str
    arguments: int
    moment: Moment


def own_calls(parsed: Parsed) -> tuple[OwnCall, ...]:
    """The functions of the user that a query calls, each once."""
    found: dict[str, OwnCall] = {}
    for node in parsed.tree.walk(bfs=False):
        if not isinstance(node, exp.Anonymous):
            continue
        parts = (*_qualifier(node), str(node.name))
        if len(parts) > 1 or parts[0].lower() not in _BUILT_IN:
            name = ".".join(map(quoted, parts))
            found.setdefault(name, OwnCall(name, len(node.expressions), moment_at(parsed, node)))
    return tuple(found.values())


def _qualifier(node: exp.Anonymous) -> Iterator[str]:
    """The names before a dot."""
    around = node.parent
    if isinstance(around, exp.Dot) and around.expression is node:
        yield from (part.name for part in around.this.find_all(exp.Identifier, bfs=False))


def function_bodies(described: Iterable[str]) -> Iterator[str]:
    """The queries that a function is made of, by what DESCRIBE FUNCTION says of it: Spark tells
    the parts of a function written in SQL as a JSON object.
    """
    for line in described:
        _, _, value = line.partition("Usage: ")
        if not value.startswith("{"):
            continue
        parts = json.loads(value.removesuffix("."))
        expression, query = parts.get("sqlFunction.expression"), parts.get("sqlFunction.query")
        yield from filter(None, (query, expression and f"SELECT\n{expression}"))
