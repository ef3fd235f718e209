"""Groups with what stands above them have the same rows as the groups that are stored instead."""

from __future__ import annotations

import pytest

from everview.algebra.meaning.plans import State, rows
from everview.algebra.relations import At
from everview.rewrite.group_form.form import GroupForm
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


def test_what_is_not_shown_is_not_computed() -> None:
    body = "SELECT store, total, total % n AS rest, 7 AS seven FROM {t} WHERE n > 1"
    form = formed(body)
    assert isinstance(form, GroupForm)
    groups = shown_groups(form.plan(), types_of(form.aggregate))
    assert groups is not None
    kinds = [type(scalar).__name__ for _, scalar in groups.rows.outputs]
    assert kinds == ["Ref", "Ref", "Case", "Constant"]
