"""Which shape a query has: what is maintained, what is full and why."""

from __future__ import annotations

import pytest

from everview.choose.choose import choose
from everview.choose.cost import LOCATED_SHARE
from everview.choose.strategies import Incremental
from everview.facts.views import LayoutKind, Tail
from everview.program.program import program
from everview.shape.bag import Bag
from everview.shape.grouped import Grouped
from everview.shape.shape import FullOnly, Keyed
from tests.choose.facts import facts, source
from tests.choose.shapes import GROUPS, MINUS, NUMBERED, PARTITIONS, PLUS, ROWS, shape


def test_shapes() -> None:
    assert isinstance(ROWS, Bag)
    assert ROWS.layout.kind is LayoutKind.BAG
    assert isinstance(GROUPS, Keyed)
    assert GROUPS.layout.kind is LayoutKind.KEYED
    assert GROUPS.layout.key == ("b",)
    assert GROUPS.layout.stored.names[:3] == ("b", "n", "m")
    assert GROUPS.layout.stored.names[3].startswith("__ev.")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM (SELECT a, count(*) AS n FROM t GROUP BY a)",
        "SELECT a, count(*) AS n FROM (SELECT a, count(*) AS m FROM t GROUP BY a) GROUP BY a",
        "SELECT a FROM t UNION ALL SELECT count(*) FROM u",
    ],
)
def test_a_group_below_the_root_is_maintained(sql: str) -> None:
    assert not isinstance(shape(sql), FullOnly)
    assert isinstance(shape(sql, "double"), Bag | Keyed)


@pytest.mark.parametrize(
    ("sql", "function"),
    [
        ("SELECT DISTINCT sum(a) AS s FROM t GROUP BY b", "sum(...) over floating-point"),
        ("SELECT DISTINCT s FROM (SELECT avg(a) AS s FROM t)", "avg(...) over floating-point"),
        ("SELECT DISTINCT l FROM (SELECT max_by(a, b) AS l FROM t GROUP BY a)", "max_by(...)"),
        (f"SELECT DISTINCT n FROM ({NUMBERED})", "may tie"),
        ("SELECT DISTINCT sum(a) OVER (PARTITION BY b) AS s FROM t", "sum(...) over a window"),
        ("SELECT DISTINCT lag(a) OVER (PARTITION BY b ORDER BY a) AS s FROM t", "lag(...) over a"),
        (f"SELECT n, count(*) AS c FROM ({NUMBERED}) GROUP BY n", "may tie"),
        (f"SELECT q.a FROM ({NUMBERED}) q JOIN u ON q.n = u.a", "may tie"),
        (
            "SELECT row_number() OVER (PARTITION BY b ORDER BY n) AS m "
            "FROM (SELECT b, row_number() OVER (PARTITION BY a ORDER BY b) AS n FROM t)",
            "may tie",
        ),
    ],
)
def test_an_old_value_that_need_not_repeat_is_full(sql: str, function: str) -> None:
    found = shape(sql, "double")
    assert isinstance(found, FullOnly)
    assert function in found.reason


@pytest.mark.parametrize("call", ["collect_list(a)", "stddev(a)", "count(DISTINCT a)", "mode(a)"])
def test_any_function_at_the_root_is_kept_by_group(call: str) -> None:
    found = shape(f"SELECT b, {call} AS x, count(*) AS n FROM t GROUP BY b")
    assert isinstance(found, Keyed)
    assert found.layout.key == ("b",)
    assert len(found.view.recomputed) == 1
    assert "all rows of a group" in found.view.reasons[0]


def test_groups_that_fail_having_are_stored_and_not_shown() -> None:
    found = shape("SELECT b, stddev(a) AS s FROM t GROUP BY b HAVING count(*) > 1", "double")
    assert isinstance(found, Keyed)
    assert found.layout.key == ("b",)
    assert found.layout.stored.names[:2] == ("b", "s")
    assert found.layout.tail == Tail(shown="__ev.s0_shown")
    assert "__ev.s0_shown" in found.layout.stored.names


def test_recomputing_touched_groups_is_counted_as_reading() -> None:
    given = facts(GROUPS, source("t", PLUS, MINUS))
    spread = shape("SELECT b, stddev(a) AS s FROM t GROUP BY b")
    few, many = (
        choose(given, some, full=False).estimates()["incremental: groups"]["bytes_read"]
        for some in (GROUPS, spread)
    )
    assert many == few + LOCATED_SHARE * given.source("t").at_new.bytes


@pytest.mark.parametrize(
    "call",
    [
        "rank() OVER (PARTITION BY b ORDER BY a)",
        "avg(a) OVER (PARTITION BY b)",
        "sum(a) OVER (PARTITION BY b ORDER BY a)",
        "count(1) OVER (PARTITION BY b)",
        "max(a + 1) OVER (PARTITION BY b)",
    ],
)
def test_a_window_whose_values_repeat_is_maintained(call: str) -> None:
    assert not isinstance(shape(f"SELECT b, {call} AS x FROM t"), FullOnly)


@pytest.mark.parametrize(
    ("sql", "key", "names"),
    [
        (NUMBERED, ("b",), ("a", "b", "n")),
        (f"SELECT n, a FROM ({NUMBERED}) WHERE n = 1", ("__ev.h0_b",), ("n", "a", "__ev.h0_b")),
        ("SELECT b, sum(a) OVER (PARTITION BY a + 1) AS s FROM t", None, None),
        (
            "SELECT b, lag(s) OVER (PARTITION BY b ORDER BY a) AS l "
            "FROM (SELECT a, b, sum(a) AS s FROM t GROUP BY a, b)",
            ("b",),
            ("b", "l"),
        ),
        (
            "SELECT max(s) AS m FROM (SELECT a, b, sum(a) AS s FROM t GROUP BY a, b) GROUP BY b",
            ("__ev.h0_b",),
            ("m", "__ev.h0_b"),
        ),
    ],
)
def test_rows_are_kept_by_the_key_that_all_groupings_share(
    sql: str, key: tuple[str, ...] | None, names: tuple[str, ...] | None
) -> None:
    found = shape(sql, "double")
    assert isinstance(found, Grouped)
    assert found.layout.kind is LayoutKind.GROUPED
    if key is not None:
        assert (found.layout.key, found.layout.stored.names) == (key, names)
    assert len(found.layout.key) == 1


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT b, sum(a) AS s FROM t GROUP BY b HAVING sum(a) > 1", "pass a condition on sum"),
        (f"SELECT a FROM ({NUMBERED}) WHERE n = a", "pass a condition on n"),
        (
            f"SELECT a FROM (SELECT * FROM ({NUMBERED}) WHERE a > 1) WHERE n = 1",
            "pass a condition on n",
        ),
        (f"SELECT a FROM (SELECT * FROM ({NUMBERED}) WHERE b > 1) WHERE n = 1", None),
        (
            "SELECT a FROM (SELECT a, row_number() OVER (PARTITION BY b ORDER BY a) AS n, "
            "row_number() OVER (PARTITION BY b ORDER BY a DESC) AS m FROM t) WHERE n = m",
            "pass a condition on",
        ),
        (f"SELECT a FROM ({NUMBERED}) WHERE n + 1 = 2", None),
        (f"SELECT a FROM ({NUMBERED}) WHERE n = 1 AND b > 2", None),
        (
            f"SELECT b, count(*) AS c FROM ({NUMBERED}) GROUP BY b, n",
            "are grouped by n",
        ),
        (
            f"SELECT b, a, count(*) AS c FROM ({NUMBERED}) WHERE n = 1 GROUP BY b, a",
            "are grouped by a",
        ),
    ],
)
def test_a_condition_on_what_need_not_repeat_is_full(sql: str, why: str | None) -> None:
    """Unless it reads numbers alone: as many rows of a key have them, whichever they are."""
    found = shape(sql, "double")
    assert isinstance(found, FullOnly if why else Grouped)
    assert why is None or f"which rows {why}" in found.reason


def test_a_partition_is_not_kept_by_what_cannot_be_compared() -> None:
    assert "VARIANT" in getattr(shape(NUMBERED, "variant"), "reason", "")
    assert "MAP" in getattr(shape(NUMBERED, _MAP), "reason", "")


def test_the_steps_of_partitions() -> None:
    given = facts(PARTITIONS, source("t", PLUS), policy="INCREMENTAL")
    choice = choose(given, PARTITIONS, full=False)
    assert isinstance(choice.strategy, Incremental)
    assert choice.strategy.method.name == "incremental: partitions"
    names = [s.name for s in program(choice, PARTITIONS).steps]
    assert names == ["changes", "rows", "write", "commit"]
    read = choice.strategy.cost.bytes_read
    assert read > LOCATED_SHARE * 200_000_000, "the partitions are read at NEW"


GROUPED = "(SELECT a, b, max(a) AS m, sum(a) AS s FROM t GROUP BY a, b)"
ORDERED = "OVER (PARTITION BY b ORDER BY a)"
BY_ROWS = ORDERED.replace(")", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)")


@pytest.mark.parametrize(
    "call",
    [
        f"row_number() {ORDERED}",
        f"ntile(3) {ORDERED}",
        f"lag(m) {ORDERED}",
        f"lead(m, 2, 0) {ORDERED}",
        f"lag(m) IGNORE NULLS {ORDERED}",
        f"first_value(m) {ORDERED}",
        f"last_value(m) {ORDERED}",
        f"nth_value(m, 2) {ORDERED}",
        f"sum(s) {BY_ROWS}",
        f"count(1) {BY_ROWS}",
        f"first(m) {BY_ROWS}",
        "row_number() OVER (PARTITION BY a ORDER BY m, b)",
    ],
)
def test_a_window_whose_rows_a_key_orders_is_maintained(call: str) -> None:
    assert isinstance(shape(f"SELECT a, b, {call} AS x FROM {GROUPED}"), Bag)
    # The same over rows that no key tells apart, and where the order does not hold the key.
    several = GROUPED.replace(" GROUP BY a, b", "").replace("max(a)", "a").replace("sum(a)", "a")
    assert isinstance(shape(f"SELECT a, b, {call} AS x FROM {several}"), Grouped)
    less = call.replace("ORDER BY a", "ORDER BY m").replace("ORDER BY m, b", "ORDER BY m")
    assert isinstance(shape(f"SELECT a, b, {less} AS x FROM {GROUPED}"), Grouped)


@pytest.mark.parametrize(
    ("call", "function"),
    [
        (f"sum(m) {BY_ROWS}", "sum(...) over a window"),
        (f"stddev(m) {ORDERED}", "stddev(...) over a window"),
        (f"collect_set(m) {BY_ROWS}", "collect_set(...) over a window"),
    ],
)
def test_what_does_not_repeat_in_a_total_order_is_full(call: str, function: str) -> None:
    grouped = GROUPED.replace(", sum(a) AS s", "")
    found = shape(f"SELECT DISTINCT a, b, {call} AS x FROM {grouped}", "double")
    assert isinstance(found, FullOnly)
    assert function in found.reason


def test_rows_of_partners_are_ordered_by_the_key_of_one_side() -> None:
    partners = "(SELECT a, max(c) AS c FROM u GROUP BY a)"
    joined = (
        f"(SELECT t.a, t.b, c FROM (SELECT DISTINCT a, b FROM t) t JOIN {partners} u ON t.a = u.a)"
    )
    call = "lag(c) OVER (PARTITION BY b ORDER BY a)"
    assert isinstance(shape(f"SELECT a, b, {call} AS x FROM {joined}"), Bag)
    other = joined.replace("t.a = u.a", "t.a > u.a")
    assert isinstance(shape(f"SELECT a, b, {call} AS x FROM {other}"), Grouped)


def test_a_plan_that_is_too_large_is_full() -> None:
    joins = "".join(f" JOIN u u{i} ON t.a = u{i}.a" for i in range(50))
    found = shape(f"SELECT t.a FROM t{joins}")
    assert isinstance(found, FullOnly)
    assert "operators" in found.reason


_MAP = '{"type": "map", "keyType": "string", "valueType": "long"}'


@pytest.mark.parametrize(
    ("sql", "type_", "why"),
    [
        ("SELECT a FROM t", "variant", "VARIANT"),
        ("SELECT a, count(*) AS n FROM t GROUP BY a", "variant", "MAP or VARIANT"),
        ("SELECT a, count(*) AS n FROM t GROUP BY a", _MAP, "MAP or VARIANT"),
        (
            "SELECT a, count(*) AS n FROM t GROUP BY a",
            f'{{"type": "struct", "fields": [{{"name": "f", "type": {_MAP}}}]}}',
            "MAP or VARIANT",
        ),
        ("SELECT max(a) AS m FROM t", "variant", "VARIANT"),
    ],
)
def test_what_cannot_be_compared_is_full(sql: str, type_: str, why: str) -> None:
    found = shape(sql, type_)
    assert isinstance(found, FullOnly)
    assert why in found.reason


@pytest.mark.parametrize("name", ["map", "variant", "a variant", "decimal", "{"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t",
        "SELECT a, count(*) AS n FROM t GROUP BY a",
        "SELECT a, row_number() OVER (PARTITION BY a ORDER BY b) AS n FROM t",
        "SELECT max(a) AS m FROM t",
    ],
)
def test_the_name_of_a_field_is_not_its_type(sql: str, name: str) -> None:
    found = shape(sql, f'{{"type": "struct", "fields": [{{"name": "{name}", "type": "string"}}]}}')
    assert not isinstance(found, FullOnly), found
