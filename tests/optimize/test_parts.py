"""Which parts of a plan get a query of their own; that rows stay the same is tested by the laws."""

from __future__ import annotations

from everview.algebra.relations import Aggregate, Local, Rel, Shared
from everview.algebra.walk import tables, walk_plan
from everview.optimize.parts import operators, parted
from everview.optimize.passes import When, improved
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query
from tests.improve import changes_of
from tests.sql.schemas import SOURCES

LEFT_JOINS = "SELECT t.a FROM t" + "".join(
    f" LEFT JOIN (SELECT a, count(*) AS n FROM u GROUP BY a) u{i} ON t.a = u{i}.a" for i in range(6)
)


def changes(sql: str) -> Rel:
    found = bind(parse_query(sql), SOURCES)
    assert isinstance(found, Lowered)
    plan = changes_of(found.rel, tables(found.rel))
    assert plan is not None
    return improved(When.CHANGES, plan).plan


def test_a_small_plan_is_one_query() -> None:
    plan = changes("SELECT a, count(*) AS n FROM t GROUP BY a")
    assert parted(plan).parts == ()
    assert parted(plan).rest is plan


def test_parts_are_computed_before_what_reads_them() -> None:
    found = parted(changes(LEFT_JOINS))
    names = [part.name for part in found.parts]
    assert len(names) > 1
    for place, query in enumerate(found.queries()):
        read = {r.name for r in walk_plan(query) if isinstance(r, Local)}
        assert read <= set(names[:place])


def test_plans_grow_with_the_text_and_not_with_its_depth() -> None:
    plan = changes(f"SELECT DISTINCT a FROM ({LEFT_JOINS})")
    assert operators(plan) > 1500  # as Spark would read it
    assert parted(plan).largest() < 200


def test_what_a_relation_holds_is_not_a_part() -> None:
    """Only changes are few; a snapshot is read where it is cut to what is touched."""
    plan = changes(f"WITH w AS ({LEFT_JOINS}) SELECT x.a FROM w x JOIN w y ON x.a = y.a")
    states = [r for r in walk_plan(plan) if isinstance(r, Shared) and r.name == "w"]
    parts = [part.rel for part in parted(plan, repeated=0).parts]
    assert not any(part is state.input for part in parts for state in states)


def test_one_row_may_be_a_part() -> None:
    plan = changes("SELECT t.a FROM t WHERE t.a > (SELECT max(a) FROM u)")
    found = parted(plan, repeated=1)
    assert any(isinstance(part.rel, Aggregate) for part in found.parts)


def test_a_part_with_one_reader_is_written_where_it_is_read() -> None:
    plan = changes("SELECT t.a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)")
    shared = [r for r in walk_plan(plan) if isinstance(r, Shared)]
    assert [r.name for r in shared] == ["tested"]


def test_parts_of_one_name_are_numbered() -> None:
    plan = changes("SELECT DISTINCT a FROM (SELECT a, count(*) AS n FROM t GROUP BY a)")
    names = [r.name for r in walk_plan(plan) if isinstance(r, Shared)]
    assert sorted(names) == ["touched1", "touched2"]
