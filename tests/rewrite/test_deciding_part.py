"""Which part of an outer join has partners for the same rows as the whole."""

from __future__ import annotations

import pytest

from everview.algebra.joins import JoinKind
from everview.algebra.relations import At, Filter, Join, Project, Rel, Scan
from everview.algebra.scalars import TRUE, Call, Column, Compare, Ref, Scalar, integer
from everview.rewrite.deciding_part import deciding_part

R = Scan("r", At.NEW, (Column(1, "x"), Column(2, "y")))
S = Scan("s", At.NEW, (Column(3, "z"),))
T = Scan("t", At.NEW, (Column(4, "w"),))
ON = Compare("=", Ref(1), Ref(3))


def equal(column: int) -> Scalar:
    return Compare("=", Ref(column), Ref(4))


def part(rel: Rel, condition: Scalar) -> Rel:
    """What decides of a relation, on either side."""
    left = deciding_part(Join("full", rel, T, condition), "left")
    assert deciding_part(Join("left", T, rel, condition), "right") == left
    return left


@pytest.mark.parametrize(
    ("kind", "column", "expected"),
    [
        ("left", 1, R), ("left", 2, R), ("full", 1, R),
        ("right", 3, S), ("full", 3, S),
    ],
)  # fmt: skip
def test_the_side_that_is_read_and_keeps_its_rows(
    kind: JoinKind, column: int, expected: Rel
) -> None:
    assert part(Join(kind, R, S, ON), equal(column)) == expected


@pytest.mark.parametrize(
    ("kind", "condition"),
    [
        ("left", equal(3)), ("right", equal(1)), ("inner", equal(1)),
        ("full", Compare("<=>", Ref(1), Ref(4))), ("left", TRUE),
        ("left", Compare("=", Call("+", (Ref(1), Ref(3))), Ref(4))),
    ],
)  # fmt: skip
def test_both_sides_decide(kind: JoinKind, condition: Scalar) -> None:
    join = Join(kind, R, S, ON)
    assert part(join, condition) is join


def test_all_columns_of_a_side_may_be_read() -> None:
    whole = Compare("=", Call("+", (Ref(1), Ref(2))), Ref(4))
    assert part(Join("left", R, S, ON), whole) == R


def test_below_projections() -> None:
    """What is computed may be a value where what it is made of is NULL."""
    made = Call("coalesce", (Ref(1), integer(0)))
    outputs = ((Column(5, "a"), Ref(1)), (Column(6, "b"), made), (Column(7, "c"), Ref(3)))
    left, full = (Project(Join(k, R, S, ON), outputs) for k in ("left", "full"))
    assert part(left, equal(6)) == Project(R, outputs[1:2])
    assert part(full, equal(5)) == Project(R, outputs[:1])
    for rel in (full, Project(R, outputs[:2])):
        assert part(rel, equal(6)) is rel
    assert part(Project(full, ((Column(8, "d"), Ref(5)),)), equal(8)) == Project(
        Project(R, outputs[:1]), ((Column(8, "d"), Ref(5)),)
    )


def test_other_operators_are_as_they_are() -> None:
    rel = Filter(Join("left", R, S, ON), Compare(">", Ref(1), integer(0)))
    assert part(rel, equal(1)) is rel


def test_through_several_joins() -> None:
    above = Join("full", Join("full", R, S, ON), Scan("u", At.NEW, (Column(9, "v"),)), TRUE)
    assert part(above, equal(3)) == S
