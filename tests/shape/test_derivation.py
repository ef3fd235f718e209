"""What each operator of a definition hands up, by which rule, and where a change table ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from everview.algebra.relations import Aggregate, Distinct
from everview.algebra.walk import walk_plan
from everview.choose.changes import rows_below
from everview.delta.propagate import rule_of
from everview.shape.derivation import derivation
from everview.shape.derived import Derived
from everview.shape.shape import Bag, FullOnly, Keyed, Shape
from tests.architecture.tree import SOURCES
from tests.choose.test_self_maintenance import VIEWS
from tests.views.shop import CITIES, CITY_SALES, shape

TOTALS = "(SELECT store_id, sum(amount) AS total FROM sales GROUP BY store_id)"
BY_ITEM = "(SELECT store_id, item_id, min(amount) AS least FROM sales GROUP BY store_id, item_id)"
FIRST = "(SELECT store_id, min(city) AS city FROM stores GROUP BY store_id)"


def told(sql: str) -> dict[str, Derived]:
    """The operators by their labels."""
    found = derivation(shape(sql))
    assert found is not None
    return {one.operator: one for one in walk(found)}


def walk(one: Derived) -> Iterator[Derived]:
    yield one
    for below in one.inputs:
        yield from walk(below)


@pytest.mark.parametrize(
    ("sql", "operator", "rule", "key"),
    [
        (CITY_SALES, "γ city, count(*), sum(amount)", "5.1", ("city",)),
        (f"SELECT * FROM {TOTALS} WHERE store_id > 7", "σ store_id > 7", "4, row 1", ("store_id",)),
        (
            f"SELECT total, store_id + 1 AS next FROM {TOTALS}",
            "π sum, store_id + 1",
            "4, row 2",
            ("store_id",),
        ),
        (f"SELECT * FROM {TOTALS} WHERE total > 7", "σ sum > 7", "of_filter.py", ("store_id",)),
        (
            f"SELECT city, sum(total) AS t FROM {TOTALS} CROSS JOIN stores GROUP BY city",
            "×",
            "4, row 3",
            ("store_id", "store_id", "city"),
        ),
        (
            f"SELECT x.store_id, total, least FROM {TOTALS} x JOIN (SELECT store_id, min(amount)"
            " AS least FROM sales GROUP BY store_id) y ON x.store_id = y.store_id",
            "⋈ store_id",
            "4, row 4, rewrite/group_form/same_keys.py",
            ("store_id",),
        ),
        (
            f"SELECT store_id, total FROM {TOTALS} UNION ALL SELECT store_id, 0 FROM {FIRST}",
            "⊎",
            "4, row 5, tagged as in 7",
            ("number of the input", "store_id"),
        ),
        (
            f"SELECT total FROM {TOTALS} WHERE store_id IN (SELECT store_id FROM stores)",
            "⋉ store_id",
            "same_keys.py",
            ("store_id",),
        ),
        (f"SELECT DISTINCT store_id FROM {BY_ITEM}", "δ", "4, row 6", ("store_id",)),
    ],
)  # fmt: skip
def test_a_change_table_gets_past_an_operator(
    sql: str, operator: str, rule: str, key: tuple[str, ...]
) -> None:
    one = told(sql)[operator]
    assert (one.hands_up, one.key, one.singular) == ("change table", key, "")
    assert rule in str(one.rule)
    assert one.areas


@pytest.mark.parametrize(
    ("sql", "operator", "reason"),
    [
        (
            f"SELECT city, sum(total) AS t FROM {TOTALS} JOIN stores USING (store_id)"
            " WHERE total > 5 GROUP BY city",
            "⋈ store_id, sum > 5",
            "it joins by total, which is computed of a group",
        ),
        (
            f"SELECT max(total) AS t FROM (SELECT * FROM {TOTALS} WHERE total > 5)",
            "σ sum > 5",
            "it tests total, which is computed of a group",
        ),
        (VIEWS["inner group"], "γ sum, count(*)", "it groups by total, which is computed"),
        (f"SELECT avg(total) AS a FROM {TOTALS}", "γ avg(sum)", "its avg depends on how many"),
        (
            f"SELECT collect_list(total) AS a FROM {TOTALS}",
            "γ COLLECT_LIST(sum)",
            "it has a function that is asked of all groups",
        ),
        (f"SELECT max(total) AS a FROM {TOTALS}", "γ max(sum)", "its functions are not those"),
        (
            f"SELECT sale_id, total FROM sales JOIN {TOTALS} USING (store_id)",
            "⋈ store_id",
            "a group may find several rows",
        ),
        (
            f"SELECT sale_id FROM sales WHERE store_id IN (SELECT store_id FROM {TOTALS})",
            "⋉ store_id",
            "the groups are on the side that the join pads or tests",
        ),
        (
            f"SELECT count(*) AS n FROM sales LEFT SEMI JOIN {TOTALS} USING (store_id)",
            "⋉ store_id",
            "it only tests whether there is a group",
        ),
        (
            f"SELECT store_id, total FROM {TOTALS} UNION ALL SELECT store_id, 0 FROM stores",
            "⊎",
            "it unites groups with what is none",
        ),
        (
            f"SELECT store_id, total FROM {TOTALS} EXCEPT ALL SELECT store_id, 0 FROM stores",
            "−all",
            "it counts equal rows of both sides",
        ),
        (
            f"SELECT total, row_number() OVER (PARTITION BY total ORDER BY store_id) AS n"
            f" FROM {TOTALS}",
            "ω sum: row_number() by store_id",
            "it looks at all rows of a partition",
        ),
        (
            f"SELECT item_id, least, city FROM {BY_ITEM} x JOIN {FIRST} y"
            " ON x.store_id = y.store_id",
            "⋈ store_id",
            "the groups that are looked up become keys",
        ),
    ],
)  # fmt: skip
def test_a_singularity_point_says_why(sql: str, operator: str, reason: str) -> None:
    found = told(sql)
    assert reason in found[operator].singular
    assert [one.operator for one in found.values() if one.singular] == [operator]
    below = [one for one in found.values() if one.operator.startswith("γ store_id")]
    assert {one.hands_up for one in below} >= {"rows"}


def test_what_is_looked_up_is_of_rows_and_the_groups_go_on() -> None:
    joined = f"{BY_ITEM} x LEFT JOIN {FIRST} y ON x.store_id = y.store_id"
    one = told(f"SELECT item_id, least, city FROM {joined}")["⟕ store_id"]
    assert one.hands_up == "change table"
    assert one.key == ("store_id", "item_id", "store_id", "city")
    assert "table 4, row 7, rewrite/group_form/lookup.py" in str(one.rule)
    assert [below.hands_up for below in one.inputs] == ["change table", "rows"]


def test_rows_come_by_the_rule_of_their_operator() -> None:
    found = told(
        "SELECT sale_id, city FROM sales LEFT JOIN stores USING (store_id) WHERE amount > 3"
    )
    assert str(found["⟕ store_id"].rule) == "Griffin & Kumar, P25 to P28, delta/outer.py"
    assert str(found["σ amount > 3"]) == "rows: delta/filter.py"
    assert str(found["sales"]) == "rows"


def test_what_never_changes_hands_up_nothing() -> None:
    found = told("SELECT store_id FROM stores JOIN VALUES (1), (2) AS v(n) ON store_id = n")
    assert [one.hands_up for one in found.values()] == ["rows"] * 3 + ["nothing"] * 2


def test_distinct_over_a_key_is_left_out() -> None:
    one = told(f"SELECT DISTINCT * FROM {TOTALS}")["δ"]
    assert (one.hands_up, str(one.rule)) == (
        "change table",
        "Vista, 4.2.2, rewrite/distinct_of_key.py",
    )


def test_what_several_read_is_told_once() -> None:
    rollup = "SELECT store_id, sum(amount) AS s FROM sales GROUP BY ROLLUP(store_id)"
    found = derivation(shape(rollup))
    assert found is not None
    assert [one.operator for one in walk(found)].count("sales") == 1
    assert [one.hands_up for one in walk(found) if one.operator[0] in "γ⊎"] == ["change table"] * 3


def test_rows_that_are_replaced_by_key() -> None:
    found = told(VIEWS["rows by key"])
    assert [one.hands_up for one in found.values()] == ["keys", "keys", "rows"]


def test_a_view_that_is_full_only_has_none() -> None:
    assert derivation(shape(CITIES)) is None


@pytest.mark.parametrize("view", [v for v in VIEWS if v != "full"])
def test_it_is_what_the_changes_are_propagated_through(view: str) -> None:
    """A change table reaches the root where one is stored, and only groups that are left below it
    are computed anew.
    """
    kind: Shape = shape(VIEWS[view])
    assert not isinstance(kind, FullOnly)
    found = derivation(kind)
    assert found is not None
    expected = {Keyed: "change table", Bag: "rows"}.get(type(kind), "keys")
    assert found.hands_up == expected
    staying = [r for r in walk_plan(rows_below(kind)) if isinstance(r, Aggregate | Distinct)]
    anew = [one for one in walk(found) if str(one.rule).endswith("delta/groups.py")]
    assert len(anew) == len(staying)


def test_every_rule_is_a_file() -> None:
    told_rules = {one.rule for sql in VIEWS.values() for one in _all(shape(sql))}
    assert len(told_rules) > 8
    assert all((SOURCES / "everview" / r.file).is_file() for r in told_rules if r is not None)
    plans = (rows_below(k) for k in map(shape, VIEWS.values()) if not isinstance(k, FullOnly))
    rules = {rule_of(rel) for plan in plans for rel in walk_plan(plan)} - {None}
    assert all((SOURCES / "everview" / r.file).is_file() for r in rules if r is not None)


def _all(kind: Shape) -> list[Derived]:
    found = derivation(kind)
    return [] if found is None else list(walk(found))
