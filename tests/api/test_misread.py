"""Were the binder wrong about a text, the comparison at creation would say so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

import everview as ev
from everview.algebra.relations import Filter, Join, Project, Rel
from everview.algebra.scalars import Compare, Ref
from everview.run.understand import define
from everview.sql.bind.query import Lowered
from tests.api.bags import assert_exact, bag, frame

SQL = "SELECT s.id, s.store, s.amount, c.boss FROM s JOIN c ON s.store = c.id WHERE s.amount > 10"


def lost_predicate(rel: Rel) -> Rel:
    return rel.input if isinstance(rel, Filter) else rel


def wrong_side(rel: Rel) -> Rel:
    """The join compares another column of the right side."""
    if not isinstance(rel, Join) or not isinstance(rel.condition, Compare):
        return rel
    other = rel.right.columns[1]
    return replace(rel, condition=Compare("=", rel.condition.left, Ref(other.id)))


def swapped_columns(rel: Rel) -> Rel:
    if not isinstance(rel, Project) or len(rel.outputs) != 4:
        return rel
    (a, one), (b, two), *rest = rel.outputs
    return Project(rel.input, ((a, two), (b, one), *rest))


def other_type(rel: Rel) -> Rel:
    if not isinstance(rel, Project) or len(rel.outputs) != 4:
        return rel
    *rest, (column, _) = rel.outputs
    return Project(rel.input, (*rest, (column, Compare("=", Ref(1), Ref(1)))))


def everywhere(rel: Rel, change: Callable[[Rel], Rel]) -> Rel:
    return change(rel.over(tuple(everywhere(i, change) for i in rel.inputs)))


@pytest.fixture
def wh(spark_or_connect: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> ev.Warehouse:
    opened = ev.open(str(tmp_path_factory.mktemp("misread")), spark=spark_or_connect)
    sales = frame(opened.spark, "id bigint, store bigint, amount bigint",
                  (1, 1, 20), (2, 2, 5), (3, 2, 30), (4, 3, 40))  # fmt: skip
    stores = frame(opened.spark, "id bigint, boss bigint", (1, 2), (2, 3), (3, 9))
    opened.create_table("s", sales)
    opened.create_table("c", stores)
    return opened


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lost_predicate, "other rows than Spark's"),
        (wrong_side, "other rows than Spark's"),
        (swapped_columns, "other rows than Spark's"),
        (other_type, "we read its columns as"),
    ],
)
def test_a_misreading_is_found_at_creation(
    wh: ev.Warehouse, monkeypatch: pytest.MonkeyPatch, change: Callable[[Rel], Rel], word: str
) -> None:
    original = define.lower

    def mutated(*args: object, **named: object) -> object:
        found = original(*args, **named)  # type: ignore[arg-type]
        assert isinstance(found, Lowered)
        rel = everywhere(found.rel, change)
        assert rel != found.rel, "the mutation changes nothing"
        return replace(found, rel=rel)

    monkeypatch.setattr(define, "lower", mutated)
    wh.create_materialized_view("v", SQL)
    monkeypatch.undo()
    assert_exact(wh, "v", SQL)
    wh.sql("INSERT INTO s VALUES (5, 1, 50)")
    assert word in str(wh.view("v").explain())
    wh.refresh("v")
    assert_exact(wh, "v", SQL)
    assert sum(bag(wh.view("v").to_df()).values()) == 4


def test_read_as_it_is_written_the_view_is_incremental(wh: ev.Warehouse) -> None:
    wh.create_materialized_view("v", SQL, policy="INCREMENTAL STRICT")
    assert_exact(wh, "v", SQL)
