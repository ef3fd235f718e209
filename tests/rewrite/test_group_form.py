"""Which definitions are stored as groups, what a change table gets past on its way to them, and at
which operator that ends; that rows stay is tested by the laws.
"""

from __future__ import annotations

import pytest

from everview.aggregates.one_row import OfOneRow, of_one_row
from everview.algebra.derive.typed import typed
from everview.algebra.relations import Aggregate, Filter, Join, Rel, Scan, Values
from everview.algebra.scalars import Cast, ColumnId, Ref, Types, conjuncts
from everview.algebra.walk import bottom_up, walk_plan
from everview.facts.schema import Field, Schema
from everview.optimize.passes import When, improved
from everview.rewrite.group_form.form import GroupForm, NoForm
from everview.rewrite.group_form.group_form import group_form
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query

SALES = {"store": "long", "item": "long", "day": "date", "price": "decimal(10,2)", "tax": "double"}
MAP = '{"type":"map","keyType":"string","valueType":"long","valueContainsNull":true}'
TABLES = {
    "sales": Schema(tuple(Field(n, t) for n, t in SALES.items())),
    "visits": Schema((Field("store", "long"), Field("people", "integer"), Field("rate", "double"))),
    "marked": Schema((Field("store", "long"), Field("marks", MAP))),
}
NAMED = {
    "t": "(SELECT store, sum(price) AS total, count(*) AS n FROM sales GROUP BY store) t",
    "i": "(SELECT store, item, sum(price) AS total FROM sales GROUP BY store, item) i",
    "p": "(SELECT store, max(people) AS most FROM visits GROUP BY store) p",
    "d": "(SELECT DISTINCT store FROM visits) d",
    "f": "(SELECT store, first(price) AS f FROM sales GROUP BY store) f",
    "s": "SELECT store, sum(item) AS n FROM sales GROUP BY store",
    "x": "(SELECT store, sum(tax) AS tax FROM sales GROUP BY store) x",
}


def formed(body: str, *, typed: bool = True) -> GroupForm | NoForm:
    rel = lowered(body)
    return group_form(rel, types_of(rel) if typed else {})


def lowered(body: str) -> Rel:
    text = body.format_map(NAMED)
    query = text if text.startswith("SELECT") else f"SELECT * FROM {text}"
    found = bind(parse_query(query), TABLES)
    assert isinstance(found, Lowered)
    return improved(When.BOUND, found.rel).plan


def types_of(rel: Rel) -> Types:
    """Those of the tables, and of extremes and sums over them, as Spark says."""
    found: dict[ColumnId, str] = {}
    for operator in bottom_up(rel):
        if isinstance(operator, Scan):
            found |= {c.id: TABLES[operator.table][c.name].type for c in operator.columns}
        if isinstance(operator, Values):
            found |= {c.id: "long" for c in operator.columns}
        if isinstance(operator, Aggregate):
            below = typed(operator, found)
            for column, call in operator.calls:
                match of_one_row(call, below):
                    case OfOneRow(Cast(_, type_)):
                        found[column.id] = type_
                    case OfOneRow(Ref(arg)):
                        found[column.id] = below[arg]
    return found


def past(body: str) -> str:
    """What a change table gets past, from the groups up; in front the keys of the groups, their
    functions and the conditions below them, and behind those that decide which groups are shown.
    """
    form = formed(body)
    assert isinstance(form, GroupForm), form.reason
    told = [passed.how.name.lower() for passed in form.passed if passed.how.name != "COLUMNS"]
    below = [
        c
        for r in walk_plan(form.aggregate)
        if isinstance(r, Filter | Join)
        for c in conjuncts(r.condition)
    ]
    numbers = len(form.keys), len(form.aggregate.calls), len(below)
    return f"{' '.join(map(str, numbers))}: {' '.join(told)}: {len(form.shown)}"


GROUPS = [
    ("{t} WHERE store > 3", "1 2 1: groups keys_tested: 0"),
    ("{t} WHERE total > 3", "1 2 0: groups values_tested: 1"),
    ("{t} WHERE store > 3 AND total > 3 AND n < 5", "1 2 1: groups values_tested: 2"),
    ("{i} WHERE store > item", "2 1 1: groups keys_tested: 0"),
    ("{x} WHERE store > 3", "1 1 1: groups keys_tested: 0"),
    (
        "(SELECT tax, count(*) AS n FROM sales GROUP BY tax) WHERE n > 1",
        "1 1 0: groups values_tested: 1",
    ),
    ("(SELECT count(*) AS n FROM sales) WHERE n > 1", "0 1 0: groups values_tested: 1"),
    ("{t} WHERE 1 = 2", "1 2 0: groups values_tested: 1"),
    ("SELECT DISTINCT store, item FROM sales", "2 0 0: distinct: 0"),
    ("SELECT DISTINCT n FROM {t}", "1 0 0: distinct: 0"),
    ("{t} JOIN {p} ON t.store = p.store", "1 5 2: groups groups same_keys: 2"),
    ("{t} JOIN {p} ON t.store <=> p.store", "1 5 0: groups groups same_keys: 2"),
    ("{t} JOIN {p} ON p.store = t.store", "1 5 2: groups groups same_keys: 2"),
    ("{t} LEFT JOIN {p} ON t.store = p.store", "1 5 1: groups groups same_keys: 1"),
    ("{t} RIGHT JOIN {p} ON t.store = p.store", "1 5 1: groups groups same_keys: 1"),
    ("{t} FULL JOIN {p} ON t.store = p.store", "2 5 0: groups groups same_keys: 0"),
    ("{t} FULL JOIN {p} ON t.store <=> p.store", "1 5 0: groups groups same_keys: 0"),
    ("{t} SEMI JOIN {p} ON t.store = p.store", "1 5 2: groups groups same_keys: 2"),
    ("{t} ANTI JOIN {p} ON t.store = p.store", "1 5 1: groups groups same_keys: 2"),
    ("{t} SEMI JOIN visits p ON t.store = p.store", "1 4 2: groups same_keys: 2"),
    ("{t} ANTI JOIN visits p ON t.store = p.store", "1 4 1: groups same_keys: 2"),
    ("{t} JOIN {p} ON t.store = p.store AND t.total > p.most", "1 5 2: groups groups same_keys: 3"),
    ("{t} JOIN {p} ON t.store = p.store AND t.store > 7", "1 5 3: groups groups same_keys: 2"),
    ("{i} JOIN {p} ON i.store = p.store", "4 1 1: groups lookup: 0"),
    ("{i} JOIN {p} ON i.store = p.store AND i.item = p.store", "4 1 2: groups lookup: 0"),
    ("{p} JOIN {i} ON i.store = p.store AND i.item = p.store", "4 1 2: groups lookup: 0"),
    ("{p} JOIN {i} ON i.store = p.store", "4 1 1: groups lookup: 0"),
    ("{i} LEFT JOIN {p} ON i.store = p.store", "4 1 1: groups lookup: 0"),
    ("{p} RIGHT JOIN {i} ON i.store = p.store", "4 1 1: groups lookup: 0"),
    ("{i} LEFT JOIN {p} ON i.store = p.store AND p.most > 3", "4 1 2: groups lookup: 0"),
    (
        "{i} JOIN {p} ON i.store = p.store AND i.total > 3 AND i.item > p.most",
        "4 1 2: groups lookup: 1",
    ),
    ("{i} JOIN {t} ON i.store = t.store", "5 1 1: groups lookup: 0"),
    ("(VALUES (1), (2)) AS v (store) JOIN {i} ON i.store = v.store", "3 1 1: groups lookup: 0"),
    ("{i} JOIN {d} ON i.store = d.store", "3 1 1: groups lookup: 0"),
    (
        "{i} LEFT JOIN {d} ON i.store = d.store AND i.item + i.store > d.store",
        "3 1 2: groups lookup: 0",
    ),
    ("{d} RIGHT JOIN {i} ON i.store = d.store", "3 1 1: groups lookup: 0"),
    ("SELECT total, n + 1 AS m FROM {t}", "1 2 0: groups: 0"),
    ("{x} JOIN {p} ON x.store = p.store", "1 4 2: groups groups same_keys: 2"),
    ("(SELECT count(*) AS n FROM sales) a JOIN {p} ON a.n = p.store", "2 1 1: groups lookup: 0"),
    (
        "SELECT store, total FROM {t} UNION ALL SELECT store, most FROM {p}",
        "2 3 0: groups groups united: 0",
    ),
    (
        "SELECT store, total FROM {t} WHERE n > 1 UNION ALL SELECT store, most FROM {p}",
        "2 3 0: groups values_tested groups united: 1",
    ),
    (
        "(SELECT store, total FROM {t} UNION ALL SELECT store, most FROM {p}) WHERE store > 3",
        "2 3 1: groups groups united keys_tested: 0",
    ),
    (
        "(SELECT store, total FROM {t} UNION ALL SELECT store, most FROM {p}) WHERE total > 3",
        "2 3 0: groups groups united values_tested: 1",
    ),
    (
        "{s} UNION ALL SELECT store, max(people) FROM visits GROUP BY store",
        "2 2 0: groups groups united: 0",
    ),
    (
        "{s} UNION ALL SELECT store, min(item) FROM sales GROUP BY store",
        "2 2 0: groups groups united: 0",
    ),
    (
        "{s} UNION ALL SELECT store, sum(DISTINCT item) FROM sales GROUP BY store",
        "2 2 0: groups groups united: 0",
    ),
    (
        "{s} UNION ALL SELECT item, sum(store) FROM sales GROUP BY item",
        "2 1 0: groups groups united: 0",
    ),
    (
        "(SELECT * FROM {t} WHERE n > 1) t FULL JOIN {p} ON t.store = p.store",
        "2 5 0: groups values_tested groups same_keys: 1",
    ),
    (
        "{p} FULL JOIN (SELECT * FROM {t} WHERE n > 1) t ON t.store = p.store",
        "2 5 0: groups groups values_tested same_keys: 1",
    ),
    (
        "(SELECT * FROM {t} WHERE n > 1) t ANTI JOIN {p} ON t.store = p.store",
        "1 5 1: groups values_tested groups same_keys: 2",
    ),
    (
        "{p} ANTI JOIN (SELECT * FROM {t} WHERE n > 1) t ON t.store = p.store",
        "1 5 1: groups groups values_tested same_keys: 2",
    ),
]
POINTS = {
    "it tests a value of a group that need not come out the same": [
        "(SELECT * FROM {x} WHERE tax > 3) y JOIN visits v ON y.store = v.store",
        "{x} WHERE tax > 3",
        "(SELECT tax, count(*) AS n FROM sales GROUP BY tax) WHERE tax > 0",
        "(SELECT store, max(tax) AS m FROM sales GROUP BY store) WHERE m > 1",
        "{f} WHERE f > 1",
    ],
    "a column is of a type that cannot be a key": [
        "SELECT DISTINCT marks FROM marked",
    ],
    "the groups are on the side that the join pads or tests": [
        "{t} SEMI JOIN visits p ON t.n = p.store",
        "{t} SEMI JOIN visits p ON t.store = p.people",
        "{t} SEMI JOIN visits p ON t.store > p.store",
        "{i} FULL JOIN {p} ON i.store = p.store",
        "{i} SEMI JOIN {p} ON i.store = p.store",
        "{i} ANTI JOIN {p} ON i.store = p.store",
    ],
    "another condition than equal keys decides which groups have a partner": [
        "{t} SEMI JOIN visits p ON t.store = p.store AND p.people > t.n",
        "{t} LEFT JOIN {p} ON t.store = p.store AND t.total > p.most",
    ],
    "a group may find several rows, or is found by what is computed of it": [
        "{t} JOIN {p} ON t.store = p.most",
        "{t} JOIN {p} ON t.n = p.store",
        "{t} JOIN {p} ON t.store > p.store",
        "{p} LEFT JOIN {i} ON i.store = p.store",
        "{i} JOIN {x} ON i.store = x.store",
        "{i} JOIN visits v ON i.store = v.store",
        "{d} LEFT JOIN {i} ON i.store = d.store",
        "(SELECT people FROM visits GROUP BY people) JOIN {t} ON people = t.store",
    ],
    "a cross join has no equal keys that decide": [
        "{t} CROSS JOIN {p}",
    ],
    "a value computed of the groups decides which are padded": [
        "{i} LEFT JOIN {p} ON i.store = p.store AND i.total > 3",
    ],
    "keys that are equal may differ, as 0.0 and -0.0 do": [
        "(SELECT DISTINCT tax FROM sales) JOIN (SELECT DISTINCT rate FROM visits) ON tax = rate",
    ],
    "a function of the groups is asked of all rows of one input alone": [
        "{f} JOIN {p} ON f.store = p.store",
        "{p} JOIN {f} ON f.store = p.store",
    ],
    "its rows are not groups": [
        "SELECT store FROM {t} UNION ALL SELECT store FROM visits",
        "{t} EXCEPT ALL SELECT * FROM {t}",
        "SELECT store, row_number() OVER (PARTITION BY n ORDER BY store) FROM {t}",
        "SELECT store FROM sales",
        "SELECT s.store FROM sales s JOIN visits v ON s.store = v.store",
    ],
    "an aggregate without keys has a row also of no rows": [
        "SELECT store FROM {t} UNION ALL SELECT count(*) FROM visits",
    ],
    "a function of an input is known by its text alone": [
        "SELECT store FROM {t} UNION ALL SELECT first(people) FROM visits GROUP BY store",
    ],
}


@pytest.mark.parametrize(("body", "expected"), GROUPS)
def test_what_a_change_table_gets_past(body: str, expected: str) -> None:
    assert past(body) == expected


@pytest.mark.parametrize(("body", "reason"), [(b, r) for r, some in POINTS.items() for b in some])
def test_where_rows_are_not_groups(body: str, reason: str) -> None:
    form = formed(body)
    assert isinstance(form, NoForm)
    assert form.reason == reason


@pytest.mark.parametrize(
    "body",
    [
        "{t} WHERE total > 3",
        "{t} WHERE store > 3 AND n > 1",
        "{t} JOIN {p} ON t.store = p.store",
        "{i} JOIN {p} ON i.store = p.store",
        "{t} UNION ALL SELECT store, most, 1 FROM {p}",
        "(SELECT DISTINCT store FROM sales)",
    ],
)
def test_what_depends_on_types_that_are_not_known(body: str) -> None:
    assert isinstance(formed(body), GroupForm) or "UNION" in body
    assert isinstance(formed(body, typed=False), NoForm)
