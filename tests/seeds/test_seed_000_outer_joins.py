"""Section 6 of seed 000, outer joins by the rows of the view, and where its rules are wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest

from everview.algebra.meaning.plans import CountedBag, Row, State, rows
from everview.algebra.relations import At, Net, Scan
from everview.algebra.walk import at, walk_plan
from everview.delta.context import Known
from everview.delta.propagate import delta
from everview.delta.stored_rows import StoredRows
from everview.rewrite.marked_joins import MarkedJoins, marked_joins
from tests.laws.generate import only_of
from tests.seeds.worked import Example, Table, applied

VIEW = "view"
LARGE = "sales"  # the table that is tested for partners, in place of which the view is asked


@dataclass(frozen=True)
class Kept:
    """The public rows of a view before and after, and the tables of which rows were read."""

    old: CountedBag
    new: CountedBag
    read: frozenset[str]


def kept(tables: dict[str, Table], sql: str) -> Kept:
    """A view maintained by its changes and its own rows; it must be what its text gives."""
    example = Example(tables)
    rel = example.plan(sql)
    scans = (s for s in walk_plan(rel) if isinstance(s, Scan))
    types = {c.id: tables[s.table].schema[c.name].type for s in scans for c in s.columns}
    joins = marked_joins(rel, types)
    assert joins is not None
    stored = rows(at(joins.rel, At.OLD), example.state)
    held = {**example.state.tables, (VIEW, At.OLD): tuple(stored.elements())}
    state = State(held, example.state.changes)
    told = Known(
        only_of(state, example.changed), rows={LARGE: 9}, stored=StoredRows(VIEW, joins, joins.rel)
    )
    plan = delta(joins.rel, example.changed, told)
    assert plan is not None
    new = applied(stored, rows(Net(plan), state))
    assert new == rows(at(joins.rel, At.NEW), state)
    read = frozenset(leaf.table for leaf in walk_plan(plan) if isinstance(leaf, Scan))
    return Kept(_public(stored, joins, rel.columns), _public(new, joins, rel.columns), read)


def _public(some: CountedBag, joins: MarkedJoins, columns: tuple[object, ...]) -> CountedBag:
    assert len(joins.rel.columns) > len(columns)
    shown: Counter[Row] = Counter()
    for row, n in some.items():
        shown[row[: len(columns)]] += n
    return shown


STORES = Table("id state", (("S1", "CA"), ("S2", "CA"), ("S3", "NV"), ("S4", None)))
STATES = Table("state area", (("CA", 1), ("CA", 2), ("TX", 3)))
SS_FULL_INFO = """SELECT sales.item, stores.id, states.state, area FROM sales
    FULL JOIN stores ON sales.store = stores.id FULL JOIN states ON stores.state = states.state"""


def test_example_2_insertions_read_no_sale() -> None:
    """One of a store with sales, two of one without, one of no store."""
    new = (("S1", "i3"), ("S3", "i4"), ("S3", "i4"), ("S9", "i5"))
    sales = Table("store item", (("S1", "i1"), ("S1", "i1"), (None, "i2")), inserted=new)
    view = kept({"sales": sales, "stores": STORES, "states": STATES}, SS_FULL_INFO)
    assert view.read == {"stores", "states", VIEW}
    assert view.old["i1", "S1", "CA", 1] == 2
    assert view.old[None, "S3", None, None] == 1
    assert view.new[None, "S3", None, None] == 0
    assert view.new["i4", "S3", None, None] == 2
    assert view.new["i5", None, None, None] == 1


def test_example_2_deletions_read_no_sale() -> None:
    """S2 keeps one of two equal sales; S1 loses its last, and has two rows, as its state has."""
    old = (("S1", "i1"), ("S2", "i2"), ("S2", "i2"), ("S9", "i5"))
    gone = (("S1", "i1"), ("S2", "i2"), ("S9", "i5"))
    sales = Table("store item", old, deleted=gone)
    view = kept({"sales": sales, "stores": STORES, "states": STATES}, SS_FULL_INFO)
    assert view.read == {"stores", "states", VIEW}
    assert view.new["i2", "S2", "CA", 2] == 1
    assert view.new[None, "S1", "CA", 1] == view.new[None, "S1", "CA", 2] == 1
    assert view.new["i5", None, None, None] == 0


# Where the rules in print do not hold


@pytest.mark.parametrize("store", [("S1", None), (None, "CA"), (None, None)])
def test_error_6_a_store_of_nulls_is_no_padding(store: Row) -> None:
    """Padding is told by a hidden column: a store whose columns are NULL stays what it is."""
    sales = Table("store item", (), inserted=(("S7", "i1"), (None, "i2")))
    stores = Table("id state", (store, store, ("S7", "NV")))
    sql = "SELECT sales.item, stores.* FROM sales FULL JOIN stores ON sales.store = stores.id"
    view = kept({"sales": sales, "stores": stores}, sql)
    assert view.new[(None, *store)] == 2
    assert view.new["i1", "S7", "NV"] == view.new["i2", None, None] == 1


def test_error_7_a_sale_without_store_leaves_nothing() -> None:
    sales = Table("store item", (("S9", "i1"), ("S1", "i2")), deleted=(("S9", "i1"),))
    sql = "SELECT sales.*, stores.id FROM sales FULL JOIN stores ON sales.store = stores.id"
    view = kept({"sales": sales, "stores": STORES}, sql)
    assert sum(view.new.values()) == sum(view.old.values()) - 1
    assert view.new[None, None, None] == 0


@pytest.mark.parametrize("kind", ["CROSS JOIN twice", "JOIN twice ON stores.state = twice.state"])
def test_error_9_copies_of_a_row_are_no_partners_of_each_other(kind: str) -> None:
    sales = Table("store item", (("S1", "i1"),), deleted=(("S1", "i1"),))
    twice = Table("state", (("CA",), ("CA",)))
    sql = f"""SELECT sales.item, stores.id FROM stores
        LEFT JOIN sales ON sales.store = stores.id {kind}"""
    view = kept({"sales": sales, "stores": STORES, "twice": twice}, sql)
    assert view.old["i1", "S1"] == view.new[None, "S1"] == 2
    assert LARGE not in view.read


@pytest.mark.parametrize(
    "condition",
    [
        "sales.n < stores.id",
        "sales.n = stores.id OR sales.n IS NULL",
        "sales.n <=> stores.id",
    ],
)
def test_limit_2_any_condition_will_do(condition: str) -> None:
    sales = Table("n", ((1,), (3,), (3,)), deleted=((1,), (3,)), inserted=((None,), (2,)))
    stores = Table("id", ((1,), (2,), (2,), (4,)))
    sql = f"SELECT sales.n, stores.id FROM stores LEFT JOIN sales ON {condition}"
    view = kept({"sales": sales, "stores": stores}, sql)
    assert LARGE not in view.read
