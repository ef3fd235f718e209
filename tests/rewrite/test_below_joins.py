"""Filters go below the joins that keep their rows, and tables are joined by what connects them."""

from __future__ import annotations

import pytest

from everview.algebra.joins import JoinKind
from everview.algebra.relations import At, Changes, Filter, Join, Rel, Scan
from everview.algebra.scalars import (
    TRUE,
    Column,
    Compare,
    IsNull,
    Or,
    Ref,
    Scalar,
    all_of,
    integer,
)
from everview.rewrite.connected_joins import connected_joins
from everview.rewrite.filter_join_transpose import filter_join_transpose
from everview.rewrite.filter_outer_join import filter_outer_join
from everview.rewrite.join_order import join_order
from tests.plan_text import plan_text

A = Scan("a", At.NEW, (Column(1, "x"),))
B = Scan("b", At.NEW, (Column(2, "y"),))
C = Scan("c", At.NEW, (Column(3, "z"),))
ON = Compare("=", Ref(1), Ref(2))
OF_A, OF_B = Compare(">", Ref(1), integer(0)), Compare(">", Ref(2), integer(0))


@pytest.mark.parametrize("kind", ["left", "semi", "anti"])
def test_a_filter_on_the_kept_side_goes_below(kind: JoinKind) -> None:
    moved = filter_join_transpose(Filter(Join(kind, A, B, ON), OF_A))
    assert moved == Join(kind, Filter(A, OF_A), B, ON)


def test_of_a_right_join_the_right_side_is_kept() -> None:
    moved = filter_join_transpose(Filter(Join("right", A, B, ON), OF_B))
    assert moved == Join("right", A, Filter(B, OF_B), ON)


@pytest.mark.parametrize(
    ("kind", "condition"), [("left", OF_B), ("right", OF_A), ("full", OF_A), ("inner", OF_A)]
)
def test_a_filter_on_what_is_padded_stays(kind: JoinKind, condition: Scalar) -> None:
    rel = Filter(Join(kind, A, B, ON), condition)
    assert filter_join_transpose(rel) is rel


def test_what_reads_both_sides_stays_above() -> None:
    both = Compare("<", Ref(1), Ref(2))
    moved = filter_join_transpose(Filter(Join("left", A, B, ON), all_of((OF_A, both))))
    assert moved == Filter(Join("left", Filter(A, OF_A), B, ON), both)


@pytest.mark.parametrize(
    ("kind", "condition", "left_of_it"),
    [
        ("left", OF_B, "inner"), ("right", OF_A, "inner"), ("full", OF_A, "left"),
        ("full", OF_B, "right"), ("full", all_of((OF_A, OF_B)), "inner"), ("left", ON, "inner"),
    ],
)  # fmt: skip
def test_rows_that_a_filter_leaves_out_are_not_padded(
    kind: JoinKind, condition: Scalar, left_of_it: JoinKind
) -> None:
    found = filter_outer_join(Filter(Join(kind, A, B, ON), condition))
    assert found == Filter(Join(left_of_it, A, B, ON), condition)


@pytest.mark.parametrize(
    ("kind", "condition"),
    [
        ("left", OF_A), ("left", IsNull(Ref(2))), ("full", Compare("<=>", Ref(1), Ref(2))),
        ("inner", OF_A), ("semi", OF_A), ("full", Or((OF_A, OF_B))),
    ],
)  # fmt: skip
def test_rows_that_a_filter_may_keep_stay_padded(kind: JoinKind, condition: Scalar) -> None:
    rel = Filter(Join(kind, A, B, ON), condition)
    assert filter_outer_join(rel) is rel


def connected(rel: Rel, *conditions: Scalar) -> str:
    return plan_text(connected_joins(Filter(rel, all_of(conditions))))


def test_tables_are_joined_by_what_connects_them() -> None:
    """FROM a, b, c WHERE x = z AND z = y AND x > 0: c comes before b, and each filter where it can
    be.
    """
    links = (Compare("=", Ref(1), Ref(3)), Compare("=", Ref(3), Ref(2)), OF_A)
    for chain in (
        Join("cross", Join("cross", A, B), C),
        Join("cross", A, Join("cross", B, C)),
    ):
        assert connected(chain, *links) == plan_text(
            connected_joins(Filter(Join("cross", Join("cross", A, B), C), all_of(links)))
        )
        assert connected(chain, *links).count("cross join") == 0
    assert "filter" in connected(Join("cross", Join("cross", A, B), C), *links)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_product_on_either_side_is_found(side: str) -> None:
    """The join at the top has an equality, one below has none."""
    product = Join("cross", A, B)
    link, rest = Compare("=", Ref(1), Ref(3)), Compare("=", Ref(2), Ref(3))
    left, right = (product, C) if side == "left" else (C, product)
    assert "cross join" not in connected(Join("inner", left, right, link), rest)


def test_a_condition_on_all_columns_is_kept() -> None:
    """Changes are joined first, by a condition that reads every column there is."""
    changes = Changes("a", A.columns)
    ordered = join_order(Join("inner", changes, B, ON))
    assert isinstance(ordered, Join)
    assert ordered.condition == ON


def test_an_outer_join_is_a_leaf_of_the_chain() -> None:
    """What pads rows is not taken apart."""
    outer = Join("left", A, B, TRUE)
    chain = Join("inner", outer, C, Compare("=", Ref(1), Ref(3)))
    assert connected_joins(chain) == chain
