"""A definition split into what is stored and its tail: together they mean the definition."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from everview.algebra.calls import SortKey
from everview.algebra.meaning.plans import State, rows
from everview.algebra.relations import Aggregate, At, Project, Rel, TopK
from everview.algebra.scalars import Ref, integer
from everview.algebra.walk import walk_plan
from everview.facts.schema import Field, Schema
from everview.facts.views import Layout, LayoutKind, OrderKey, Tail, ViewRecord
from everview.shape.bag import Bag
from everview.shape.shape import FullOnly, Keyed, Shape
from everview.shape.tail import shape_with_tail, split_tail
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query
from tests.pairs import pairs
from tests.sql.schemas import SOURCES

HERE = Path(__file__).parent
CASES = pairs(HERE / "tails.txt")


def bound(sql: str) -> Rel:
    found = bind(parse_query(sql), SOURCES)
    assert isinstance(found, Lowered), found
    return found.rel


def split(sql: str) -> tuple[Rel, Rel, Tail | None, tuple[str, ...]]:
    """The definition, what is stored of it, its tail, and the names of the stored columns."""
    rel = bound(sql)
    public = tuple(c.name for c in rel.columns)
    below, tail = split_tail(rel, public)
    return rel, below, tail, (*public, *(c.name for c in below.columns[len(public) :]))


@pytest.mark.parametrize(("sql", "expected"), CASES)
def test_what_is_stored_and_how_it_is_read(sql: str, expected: str) -> None:
    rel, below, tail, names = split(sql)
    if expected == "-":
        assert tail is None
        assert below is rel
        return
    assert f"{', '.join(names)} | {tail}" == expected
    assert len(set(names)) == len(names)


WITH_MEANING = [
    "SELECT b FROM t ORDER BY a LIMIT 3",
    "SELECT a, b FROM t ORDER BY b DESC NULLS FIRST, a NULLS LAST LIMIT 2 OFFSET 1",
    "SELECT a, b FROM t ORDER BY b DESC, a DESC OFFSET 2",
    "SELECT b FROM t GROUP BY b ORDER BY sum(a) DESC, b LIMIT 2",
    "SELECT b, count(*) AS n FROM t GROUP BY b ORDER BY n DESC, b LIMIT 2 OFFSET 1",
    "SELECT DISTINCT b FROM t ORDER BY b LIMIT 2",
    "SELECT b, b AS again FROM (SELECT a, b FROM t ORDER BY a, b LIMIT 3)",
    "SELECT a FROM t UNION ALL SELECT a FROM t ORDER BY a LIMIT 5",
    "SELECT b FROM t ORDER BY a LIMIT 0",
]


@pytest.mark.parametrize("sql", WITH_MEANING)
def test_read_with_its_tail_it_means_the_definition(sql: str) -> None:
    rel, below, tail, names = split(sql)
    assert tail is not None
    again = _joined(below, tail, names, len(rel.columns))
    rng, seen = Random(sql), 0
    for _ in range(60):
        state = State({("t", At.NEW): _table(rng)})
        wanted = rows(rel, state)
        seen += bool(wanted)
        assert rows(again, state) == wanted
    assert seen > 30 or "LIMIT 0" in sql


def _table(rng: Random) -> tuple[tuple[Any, ...], ...]:
    size = rng.randrange(8)
    return tuple(
        (rng.choice((None, 0, 1, 2, 3)), rng.choice((None, "x", "y", "z"))) for _ in range(size)
    )


def _joined(below: Rel, tail: Tail, names: tuple[str, ...], public: int) -> Rel:
    """The tail as an operator over what is stored."""
    ids = dict(zip(names, (c.id for c in below.columns), strict=True))
    order = tuple(SortKey(ids[k.column], k.descending, k.nulls_first) for k in tail.order)
    limit = None if tail.limit is None else integer(tail.limit)
    cut = TopK(below, order, limit, integer(tail.offset))
    return Project(cut, tuple((c, Ref(c.id)) for c in below.columns[:public]))


def shape(sql: str) -> Shape:
    rel, below, tail, _ = split(sql)
    types = {c.id: "long" for r in walk_plan(below) for c in r.columns}
    public = Schema(tuple(Field(c.name, "long") for c in rel.columns))
    return shape_with_tail(below, tail, types, public)


def test_groups_with_a_tail_are_keyed_and_what_the_order_needs_is_not_kept_twice() -> None:
    found = shape("SELECT b, count(*) AS n FROM t GROUP BY b ORDER BY sum(a) DESC LIMIT 3")
    assert isinstance(found, Keyed)
    assert found.layout.key == ("b",)
    assert found.layout.tail == Tail((OrderKey("__ev.by0_sum", True, False),), 3)
    assert found.layout.stored.names[:3] == ("b", "n", "__ev.by0_sum")
    held = [kept.id for _, kept in found.view.stored]
    assert len(set(held)) == len(held)


def test_a_hidden_group_key_that_the_order_needs_is_the_key_itself() -> None:
    found = shape("SELECT count(*) AS n FROM t GROUP BY b ORDER BY b LIMIT 3")
    assert isinstance(found, Keyed)
    assert found.layout.key == ("__ev.by0_b",)
    assert isinstance(found.view.full().input, Aggregate)  # type: ignore[union-attr]


def test_rows_with_a_tail_are_a_bag_with_the_order_beside() -> None:
    found = shape("SELECT b FROM t ORDER BY a LIMIT 3")
    assert isinstance(found, Bag)
    assert found.layout.stored.names == ("b", "__ev.by0_a")


def test_what_is_only_recomputed_stores_its_public_columns_and_has_no_tail() -> None:
    sql = "SELECT b, rank() OVER (ORDER BY b) AS r FROM t ORDER BY a LIMIT 3"
    found = shape(sql)
    assert isinstance(found, FullOnly)
    assert found.layout == Layout(LayoutKind.ROWS, (), found.layout.stored)
    assert found.layout.stored.names == ("b", "r")


def test_a_tail_says_how_many_rows_it_shows() -> None:
    assert [Tail((), 3, 2).left(n) for n in (0, 1, 2, 3, 5, 9)] == [0, 0, 0, 1, 3, 3]
    assert [Tail((), None, 2).left(n) for n in (1, 5)] == [0, 3]
    assert Tail((), 0).left(5) == 0


def test_a_tail_is_recorded_and_a_record_without_one_is_read() -> None:
    tail = Tail((OrderKey("__ev.by0_a", True, True), OrderKey("b", False, True)), None, 4)
    columns = Schema((Field("b", "long"),))
    record = ViewRecord(
        "SELECT", {}, columns, (), Layout(LayoutKind.BAG, (), columns, tail), "", "0.1.0"
    )
    assert ViewRecord.from_json(record.to_json()) == record
    older = record.to_json().replace('"tail": ', '"other": ')
    assert ViewRecord.from_json(older).layout == Layout(LayoutKind.BAG, (), columns)
