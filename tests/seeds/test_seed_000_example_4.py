"""Example 4 of seed 000: the derivation of V1, V2', V2, V3' and V3, with θ and U at each step."""

from __future__ import annotations

import pytest

from everview.facts.schema import Field, Schema
from everview.shape.derivation import derivation
from everview.shape.derived import Derived
from tests.views.shop import shape

SCHEMAS = {
    "stores": Schema((Field("storeID", "long"), Field("city", "string"), Field("state", "string"))),
    "items": Schema((Field("itemID", "long"), Field("category", "string"))),
    "sales": Schema(
        (
            Field("storeID", "long"),
            Field("itemID", "long"),
            Field("date", "date"),
            Field("price", "long"),
        )
    ),
}
SI_SALES = """
    SELECT storeID, itemID, sum(price) AS SumSISales, count(*) AS NumSISales
    FROM sales WHERE date > DATE'1995-01-01' GROUP BY storeID, itemID
"""
CITY_SALES = f"""
    SELECT city, sum(SumSISales) AS SumCiSales, sum(NumSISales) AS NumCiSales
    FROM ({SI_SALES}) AS SISales, stores
    WHERE SISales.storeID = stores.storeID GROUP BY city
"""
CATEGORY_SALES = f"""
    SELECT category, sum(SumSISales) AS SumCaSales, sum(NumSISales) AS NumCaSales
    FROM ({SI_SALES}) AS SISales, items
    WHERE SISales.itemID = items.itemID GROUP BY category
"""


@pytest.mark.parametrize(
    ("sql", "other", "theta", "joined", "sums"),
    [
        (
            CITY_SALES,
            "stores",
            ("city",),
            ("storeID", "itemID", "storeID", "city", "state"),
            ("SumCiSales", "NumCiSales"),
        ),
        (
            CATEGORY_SALES,
            "items",
            ("category",),
            ("storeID", "itemID", "itemID", "category"),
            ("SumCaSales", "NumCaSales"),
        ),
    ],
)
def test_example_4(
    sql: str, other: str, theta: tuple[str, ...], joined: tuple[str, ...], sums: tuple[str, ...]
) -> None:
    """V2 and V3 store a count of their own: the printed one is the sum of counts, which is the
    same number, and a column that a user may leave out.
    """
    v2 = derivation(shape(sql, SCHEMAS))
    assert v2 is not None
    (v2_joined,) = v2.inputs
    v1, dimension = v2_joined.inputs
    (selected,) = v1.inputs
    si_sales = ("SumSISales", "NumSISales")
    assert [_told(one) for one in (v2, v2_joined, v1)] == [
        ("change table", "Gupta & Mumick, table 4, row 6", theta, ("count", *sums)),
        ("change table", "Gupta & Mumick, table 4, row 4", joined, si_sales),
        ("change table", "Gupta & Mumick, 5.1", ("storeID", "itemID"), si_sales),
    ]
    assert {area.update for one in (v2, v2_joined, v1) for area in one.areas} == {"+"}
    assert (selected.hands_up, str(selected.rule)) == ("rows", "delta/filter.py")
    assert (dimension.operator, dimension.hands_up) == (other, "rows")
    assert not any(one.singular for one in (v2, v2_joined, v1, selected))


def _told(one: Derived) -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    assert one.rule is not None
    return one.hands_up, one.rule.printed, one.key, tuple(area.column for area in one.areas)
