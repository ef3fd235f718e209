"""A side of a join is broadcast while what is known of its size says that it is small."""

from __future__ import annotations

from everview.algebra.notation.plans import Node, plan_tree
from everview.algebra.relations import (
    At,
    Changes,
    Filter,
    Join,
    Local,
    Rel,
    Scan,
    Touched,
    UnionAll,
)
from everview.algebra.scalars import Column, Compare, IsNull, Ref
from everview.algebra.walk import walk_plan
from everview.optimize.small_sides import MOST_ROWS, with_small_sides, without_broadcast

A, B, C = Column(1, "a"), Column(2, "b"), Column(3, "c")
D_A = Changes("a", (A,))
SCAN_B, SCAN_C = Scan("b", At.NEW, (B,)), Scan("c", At.NEW, (C,))


def join(left: Rel, right: Rel) -> Join:
    same = Compare("=", Ref(left.columns[0].id), Ref(right.columns[0].id))
    return Join("inner", left, right, same, "left")


def sides(rel: Rel, sizes: dict[str, tuple[int, int]]) -> list[str | None]:
    """Of each join, root first, which side is broadcast; sizes are rows read and rows in all."""

    def rows(leaf: Rel) -> tuple[int, int] | None:
        return sizes.get(getattr(leaf, "table", ""))

    hinted = with_small_sides(rel, rows)
    return [r.broadcast for r in walk_plan(hinted) if isinstance(r, Join)]


def test_small_changes_are_broadcast_all_the_way() -> None:
    chain = join(join(D_A, SCAN_B), SCAN_C)
    sizes = {"a": (10, 10**6), "b": (1000, 1000), "c": (1000, 1000)}
    assert sides(chain, sizes) == ["left", "left"]


def test_a_changed_dimension_meets_many_rows_of_a_fact_table() -> None:
    chain = join(join(D_A, SCAN_B), SCAN_C)
    sizes = {"a": (10, 100), "b": (10**7, 10**7), "c": (1000, 1000)}
    assert sides(chain, sizes) == [None, "left"]


def test_large_changes_are_not_broadcast() -> None:
    many = MOST_ROWS + 1
    assert sides(join(D_A, SCAN_B), {"a": (many, many), "b": (10, 10)}) == [None]


def test_what_is_not_known_is_not_broadcast() -> None:
    assert sides(join(D_A, SCAN_B), {"b": (10, 10)}) == [None]
    chain = join(join(D_A, SCAN_B), SCAN_C)
    assert sides(chain, {"a": (10, 10), "c": (10, 10)}) == [None, "left"]
    assert sides(join(Local("x", (A,)), SCAN_B), {"b": (10, 10)}) == [None]


def test_filters_and_unions_pass_their_sizes_on() -> None:
    both = UnionAll((D_A, Filter(D_A, IsNull(Ref(1)))), (A,))
    assert sides(join(both, SCAN_B), {"a": (MOST_ROWS // 2, 10**7), "b": (10, 10)}) == ["left"]
    assert sides(join(both, SCAN_B), {"a": (MOST_ROWS, 10**7), "b": (10, 10)}) == [None]


def test_a_cross_join_multiplies() -> None:
    cross = Join("cross", D_A, SCAN_B, broadcast="left")
    sizes = {"a": (1000, 1000), "b": (1000, 1000), "c": (1, 1)}
    assert sides(join(cross, SCAN_C), sizes) == [None, "left"]


def test_a_side_that_is_small_by_construction_stays() -> None:
    kept = Join("inner", D_A, SCAN_B, Compare("=", Ref(1), Ref(2)), "right")
    assert sides(kept, {}) == ["right"]


def test_all_choices_can_be_left_to_spark() -> None:
    chain = without_broadcast(join(join(D_A, SCAN_B), SCAN_C))
    assert [r.broadcast for r in walk_plan(chain) if isinstance(r, Join)] == [None, None]


SMALL = {"a": (10, 10**6), "b": (10**6, 10**6), "c": (10**6, 10**6)}


def plan(rel: Rel) -> list[str]:
    """The operators of the hinted plan, as a person would draw it."""

    def draw(node: Node, depth: int = 0) -> list[str]:
        below = [line for child in node.children for line in draw(child, depth + 1)]
        return ["  " * depth + node.label, *below]

    rows = with_small_sides(rel, lambda leaf: SMALL.get(getattr(leaf, "table", "")))
    return draw(plan_tree(rows))


def test_a_large_side_that_is_tested_is_cut_to_the_keys_of_the_small_one() -> None:
    for kind, symbol in (("semi", "⋉"), ("anti", "▷"), ("left", "⟕")):
        join = Join(kind, D_A, SCAN_B, Compare("=", Ref(1), Ref(2)))  # type: ignore[arg-type]
        assert plan(join) == [
            f"{symbol} a = b",
            "  Δa",
            "  ⋉ b = a · broadcast",
            "    b_new",
            "    touched a · broadcast",
            "      π a",
            "        Δa",
        ]


def test_without_an_equality_nothing_is_cut() -> None:
    join = Join("anti", D_A, SCAN_B, Compare("<", Ref(1), Ref(2)))
    assert with_small_sides(join, lambda leaf: SMALL[leaf.table]) == join  # type: ignore[union-attr]


def test_a_side_that_is_not_large_is_left_to_spark() -> None:
    join = Join("anti", D_A, SCAN_B, Compare("=", Ref(1), Ref(2)))
    assert with_small_sides(join, lambda _: (10, 10)) == join


def test_touched_keys_are_broadcast() -> None:
    keys = Touched(Changes("b", (B,)), (B,))
    join = Join("semi", Scan("a", At.OLD, (A,)), keys, Compare("<=>", Ref(1), Ref(2)))
    few = {"a": (10**6, 10**6), "b": (10, 10**6)}
    assert sides(join, few) == ["right"]
    assert sides(join, few | {"b": (10**6, 10**6)}) == [None]
