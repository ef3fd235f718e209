"""What keys make needless is left out of a definition; that rows stay is tested by the laws."""

from __future__ import annotations

import pytest

from everview.algebra.relations import Rel, Scan
from everview.algebra.walk import walk_plan
from everview.facts.schema import Field, Schema
from everview.optimize.simplified import without_needless_distinct
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query
from tests.plan_text import plan_text

TABLES = {
    "t": Schema((Field("a", "long"), Field("b", "string"), Field("x", "double"))),
    "u": Schema((Field("c", "long"), Field("d", "long"))),
}
GROUPS = "(SELECT a, b, count(*) AS n, max(x) AS m FROM t GROUP BY a, b)"


def simple(sql: str) -> Rel:
    found = bind(parse_query(sql), TABLES)
    assert isinstance(found, Lowered)
    scans = [r for r in walk_plan(found.rel) if isinstance(r, Scan)]
    types = {c.id: TABLES[s.table][c.name].type for s in scans for c in s.columns}
    return without_needless_distinct(found.rel, types)


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT DISTINCT a, b, n FROM {GROUPS}",
        f"SELECT DISTINCT n, b AS y, a AS x FROM {GROUPS} WHERE n > 1",
        f"SELECT DISTINCT a FROM {GROUPS} WHERE b = 'x'",
        "SELECT DISTINCT count(*) AS n FROM t",
        # the key of one side, which is joined on the whole key of the other
        "SELECT DISTINCT a, n FROM (SELECT DISTINCT a FROM t) JOIN"
        " (SELECT c, count(*) AS n FROM u GROUP BY c) ON a = c",
    ],
)
def test_distinct_over_a_key_is_left_out(sql: str) -> None:
    assert not plan_text(simple(sql)).startswith("distinct")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT DISTINCT a, b FROM t",
        f"SELECT DISTINCT a FROM {GROUPS}",
        f"SELECT DISTINCT a, b, m FROM {GROUPS}",  # a type that is not known
        "SELECT DISTINCT x FROM (SELECT x, count(*) AS n FROM t GROUP BY x)",  # 0.0 and -0.0
    ],
)
def test_distinct_stays_where_it_may_be_needed(sql: str) -> None:
    assert "distinct" in plan_text(simple(sql))


@pytest.mark.parametrize(
    ("call", "stays"),
    [
        ("count(DISTINCT a)", False),
        ("count(DISTINCT a, n)", True),  # Spark's own text, which is not looked into
        ("count(DISTINCT n)", True),
        ("sum(DISTINCT a)", True),
    ],
)
def test_distinct_in_an_aggregate_over_a_key(call: str, *, stays: bool) -> None:
    """The group is a part of the key, the argument the rest."""
    shown = plan_text(simple(f"SELECT b, {call} AS c FROM {GROUPS} GROUP BY b"))
    assert ("distinct" in shown.lower()) is stays


def test_a_definition_without_keys_stays_the_same() -> None:
    found = bind(parse_query("SELECT a, count(DISTINCT b) AS n FROM t GROUP BY a"), TABLES)
    assert isinstance(found, Lowered)
    assert plan_text(without_needless_distinct(found.rel, {})).count("distinct") == 1
