"""Columns that nothing looks at are left out; that no row changes by it, the laws say."""

from __future__ import annotations

import pytest

from everview.algebra.relations import Project, Scan
from everview.algebra.walk import walk_plan
from everview.facts.schema import Field, Schema
from everview.optimize.needed_columns import without_needless_columns
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query

SOURCES = {
    "sales": Schema(tuple(Field(n, "long") for n in ("id", "store", "item", "amount", "note"))),
    "stores": Schema(tuple(Field(n, "long") for n in ("number", "city", "opened"))),
}


def read(sql: str) -> dict[str, str]:
    """By table the columns that are left right above its scan; all of them where none is."""
    found = bind(parse_query(sql), SOURCES)
    assert isinstance(found, Lowered)
    plan = without_needless_columns(found.rel)
    assert plan.columns == found.rel.columns
    scans = {
        some.table: " ".join(c.name for c in some.columns)
        for some in walk_plan(plan)
        if isinstance(some, Scan)
    }
    above = {
        some.input.table: " ".join(str(s.name) for s in some.columns)
        for some in walk_plan(plan)
        if isinstance(some, Project) and isinstance(some.input, Scan)
    }
    return scans | above


@pytest.mark.parametrize(
    ("sql", "sales", "stores"),
    [
        (
            "SELECT id, city FROM sales LEFT JOIN stores ON store = number",
            "id store",
            "number city",
        ),
        (
            "SELECT id FROM sales WHERE amount > 3 AND EXISTS "
            "(SELECT 1 FROM stores WHERE number = store AND opened > 5)",
            "id store amount",
            "number opened",
        ),
        (
            "SELECT city, max(amount) AS most FROM sales JOIN stores ON store = number "
            "GROUP BY city",
            "store amount",
            "number city",
        ),
        (
            "SELECT id FROM (SELECT id, amount FROM sales UNION ALL SELECT number, city FROM "
            "stores) WHERE id NOT IN (SELECT 1)",
            "id",
            "number",
        ),
        ("SELECT count(*) AS n FROM sales FULL JOIN stores ON TRUE", "id", "number"),
        # Whole rows are told apart, so all columns of them are looked at.
        (
            "SELECT count(*) AS n FROM (SELECT DISTINCT id, note FROM sales) "
            "LEFT JOIN stores ON TRUE",
            "id note",
            "number",
        ),
    ],
)
def test_what_is_left_of_tables(sql: str, sales: str, stores: str) -> None:
    assert read(sql) == {"sales": sales, "stores": stores}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id, city FROM sales JOIN stores ON store = number WHERE amount > 3",
        "SELECT id FROM sales UNION ALL SELECT number FROM stores",
    ],
)
def test_a_definition_whose_rows_are_not_compared_stays(sql: str) -> None:
    found = bind(parse_query(sql), SOURCES)
    assert isinstance(found, Lowered)
    assert without_needless_columns(found.rel) is found.rel
