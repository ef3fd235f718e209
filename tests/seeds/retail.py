"""The retail view of seed 001, examples 1.1 and 5.4, with tables and a day of sales made for it."""

from __future__ import annotations

from everview.algebra.meaning.plans import Row
from tests.seeds.worked import Example, Table

V = """
    SELECT c.custId, c.name, c.score, s.itemNo, s.quantity
    FROM customer c, sales s
    WHERE c.custId = s.custId AND s.quantity != 0 AND c.score = "High"
"""
CUSTOMER = Table(
    "custId name address score",
    ((1, "ann", "x", "High"), (2, "bob", "y", "Low"), (3, "eve", "z", "High")),
)
SALES = Table(
    "custId itemNo quantity salesPrice",
    ((1, 7, 2, 10), (1, 7, 2, 10), (2, 8, 1, 5), (1, 9, 0, 1), (3, 7, 4, 10)),
)

HOURS = 24
BOB, EVE = (2, "bob", "y"), (3, "eve", "z")
# In these hours a customer's score is updated.
SCORES = {8: (EVE, "High", "Low"), 15: (EVE, "Low", "High"), 20: (BOB, "Low", "High")}


def sold_in(hour: int) -> Row:
    return (1 + hour % 3, 7 + hour % 2, hour % 5, 10)


def hourly(tables: dict[str, Table], hour: int) -> dict[str, Table]:
    """The tables of the hour before, and what happens in this one: a sale, and in every fifth hour
    the sale of two hours ago is undone.
    """
    customer, sales = (Table(t.columns, t.new) for t in (tables["customer"], tables["sales"]))
    undone = (sold_in(hour - 2),) if hour % 5 == 0 else ()
    sales = Table(sales.columns, sales.rows, deleted=undone, inserted=(sold_in(hour),))
    if hour in SCORES:
        who, before, after = SCORES[hour]
        customer = Table(
            customer.columns, customer.rows, deleted=((*who, before),), inserted=((*who, after),)
        )
    return {"customer": customer, "sales": sales}


def day() -> list[Example]:
    """The hours of a day, each with what happens in it."""
    tables = {"customer": CUSTOMER, "sales": SALES}
    hours = []
    for hour in range(1, HOURS + 1):
        tables = hourly(tables, hour)
        hours.append(Example(tables))
    return hours


def whole(hours: list[Example]) -> Example:
    """All that happened in these hours at once, as a log tells it: what came and went included."""

    def table(name: str) -> Table:
        some = [hour.tables[name] for hour in hours]
        deleted, inserted = (
            tuple(row for t in some for row in getattr(t, part)) for part in ("deleted", "inserted")
        )
        return Table(some[0].columns, some[0].rows, deleted, inserted)

    return Example({"customer": table("customer"), "sales": table("sales")})
