"""Groups with what stands above them have the same rows as the groups that are stored instead."""

from __future__ import annotations

from itertools import product

import pytest

from everview.algebra.meaning.plans import State, rows
from everview.algebra.meaning.scalars import value
from everview.algebra.relations import At
from everview.algebra.scalars import (
    FALSE,
    TRUE,
    And,
    Call,
    Case,
    Compare,
    Or,
    Ref,
    Scalar,
    integer,
)
from everview.rewrite.group_form.form import GroupForm, in_order
from everview.shape.shown_groups import shown_groups
from tests.rewrite.test_group_form import GROUPS, formed, lowered, types_of

SALES_ROWS = (
    (1, 1, 9, 3, 0), (1, 1, 9, 4, 1), (1, 3, 9, -9, 0), (3, 3, 8, 2, 0), (4, 4, 8, 11, 5),
    (4, 4, 8, 11, 5), (None, 1, 7, 5, 0), (None, 1, 7, 6, 0), (7, None, 7, None, 2),
    (8, 2, 7, 1, 1),
)  # fmt: skip
VISITS_ROWS = (
    (1, 3, 1),
    (3, 3, 0),
    (4, 2, 2),
    (4, 9, 2),
    (5, 5, 1),
    (None, 4, 1),
    (9, 1, 1),
    (2, 4, 1),
)
STATE = State({("sales", At.NEW): SALES_ROWS, ("visits", At.NEW): VISITS_ROWS}, {})
EMPTY = State({("sales", At.NEW): (), ("visits", At.NEW): ()}, {})


@pytest.mark.parametrize("body", [body for body, _ in GROUPS if " + " not in body])
def test_the_rows_of_the_groups(body: str) -> None:
    """Over a few rows, with groups on one side alone, groups of NULL, and groups that do not pass;
    over none there is none, but of a group without keys.
    """
    form = formed(body)
    assert isinstance(form, GroupForm)
    for state in (STATE, EMPTY):
        assert rows(form.plan(), state) == rows(lowered(body), state)


AT_LEAST, FIRST, SECOND = (Compare(">", Ref(i), integer(0)) for i in (1, 2, 3))
COMPUTED = Compare(">", Call("/", (Ref(4), Ref(1))), integer(5))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (And((AT_LEAST, FIRST)), And((AT_LEAST, FIRST))),  # nothing is computed
        (COMPUTED, COMPUTED),
        (
            And((AT_LEAST, COMPUTED)),
            Case(((AT_LEAST, Case(((COMPUTED, TRUE),), FALSE)),), FALSE),
        ),
        (
            Or((And((AT_LEAST, COMPUTED)), SECOND)),
            Case(
                ((Case(((AT_LEAST, Case(((COMPUTED, TRUE),), FALSE)),), FALSE), TRUE),),
                Case(((SECOND, TRUE),), FALSE),
            ),
        ),
    ],
)
def test_conditions_are_computed_one_after_the_other(condition: Scalar, expected: Scalar) -> None:
    found = in_order(condition)
    assert found == expected
    for numbers in product((None, 1, 30), repeat=4):
        row = dict(enumerate(numbers, 1))
        assert (value(found, row) is True) == (value(condition, row) is True), row


def test_what_is_not_shown_is_not_computed() -> None:
    body = "SELECT store, total, total % n AS rest, 7 AS seven FROM {t} WHERE n > 1"
    form = formed(body)
    assert isinstance(form, GroupForm)
    groups = shown_groups(form.plan(), types_of(form.aggregate))
    assert groups is not None
    kinds = [type(scalar).__name__ for _, scalar in groups.rows.outputs]
    assert kinds == ["Ref", "Ref", "Case", "Constant"]
