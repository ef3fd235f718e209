"""A view that is only recomputed is told what would make it incremental."""

from __future__ import annotations

import pytest

from everview.facts.refusals import RefusalKind
from everview.shape.advice import advice
from everview.shape.shape import FullOnly
from tests.views.shop import shape

REFUSED = {
    "SELECT city FROM stores LIMIT 3": "query that reads the view",
    "SELECT sum(amount) AS s FROM (SELECT amount FROM sales ORDER BY 1 LIMIT 3)": "query that",
    "SELECT city, current_date() AS d FROM stores": "query that reads the view",
    "SELECT city, rand() AS d FROM stores": "query that reads the view",
    "SELECT row_number() OVER (ORDER BY city) AS n FROM stores": "query that reads the view",
    "SELECT DISTINCT first(city) AS c FROM stores GROUP BY store_id": "of its own",
}


@pytest.mark.parametrize("sql", REFUSED)
def test_what_helps(sql: str) -> None:
    found = shape(sql)
    assert isinstance(found, FullOnly), found
    assert REFUSED[sql] in advice(found.kind), found.reason


def test_what_is_advised_is_incremental() -> None:
    for sql in (
        "SELECT city FROM stores GROUP BY city",
        "SELECT city FROM stores UNION ALL SELECT city FROM stores",
        "SELECT amount FROM sales JOIN stores USING (store_id)",
        "SELECT amount FROM sales WHERE EXISTS (SELECT 1 FROM stores)",
        "WITH c AS (SELECT city FROM stores UNION ALL SELECT city FROM stores) "
        "SELECT city FROM c GROUP BY city",
    ):
        assert not isinstance(shape(sql), FullOnly), sql


def test_a_view_over_a_view_with_a_limit_is_not_told_to_leave_out_what_it_does_not_have() -> None:
    assert "without LIMIT" in advice(RefusalKind.CUT_SOURCE)


# Names that hold words of other refusals.
NAMES = ("start_time", "star", "LIMIT", "OFFSET", "MAP", "VARIANT", "operators")


@pytest.mark.parametrize("name", NAMES)
def test_a_name_in_a_reason_is_not_what_it_is_about(name: str) -> None:
    found = shape(f"SELECT `{name}` FROM stores")
    assert isinstance(found, FullOnly)
    assert name in found.reason
    assert advice(found.kind) == ""


def test_a_star_that_is_not_understood() -> None:
    found = shape("SELECT * REPLACE (1 AS city) FROM stores")
    assert isinstance(found, FullOnly)
    assert advice(found.kind) == "name the columns"


def test_every_kind_has_its_advice_or_none() -> None:
    assert {kind for kind in RefusalKind if not advice(kind)} == {
        RefusalKind.UNREAD,
        RefusalKind.SETTING,
        RefusalKind.MISREAD,
        RefusalKind.UNKNOWN,
    }
