"""What operators say of themselves holds over random trees, and a wrong answer is noticed."""

from __future__ import annotations

import os
from random import SystemRandom
from typing import Any, get_args

import pytest

from everview.algebra.operator import ONE_ROW, passed, same
from everview.algebra.relations import (
    Aggregate,
    Distinct,
    Except,
    Filter,
    Generate,
    Join,
    Negate,
    Project,
    Rel,
    TopK,
    Touched,
    UnionAll,
    Unpivot,
    Window,
)
from tests.laws.answer_law import NotSo, check_answers
from tests.laws.law import Seen

ASKED = os.environ.get("EVERVIEW_FUZZ_CASES")
CASES = int(ASKED or 150)
FIRST = SystemRandom().randrange(2**48) if ASKED else 0  # other cases every time, if asked for more
LEAVES = ("Scan", "Changes", "Local", "Values", "TableFunction")
MOST = 300

# An operator, a question, and a wrong answer.
WRONG: dict[str, tuple[type, str, Any]] = {
    "a window looks at each row by itself": (
        Window, "separate_by", property(lambda rel: (same(rel.input.columns),)),
    ),
    "a limit looks at each row by itself": (
        TopK, "separate_by", property(lambda rel: (same(rel.input.columns),)),
    ),
    "no side is padded": (
        Join, "_unpadded", lambda join: (join.left.columns, join.right.columns),
    ),
    "the rows of a union are those of its first input": (
        UnionAll, "origins", property(lambda rel: dict(zip(
            (c.id for c in rel.columns),
            passed(rel.inputs[0].columns, rel.inputs[0]).values(),
            strict=True,
        ))),
    ),
    "a difference needs one input alone": (
        Except, "separate_by", property(lambda rel: ({}, {
            c.id: rel.right.columns[0].id for c in rel.columns
        })),
    ),
    "an element is there once": (Generate, "told_apart_by", ONE_ROW),
    "an unpivot gives a row for each": (Unpivot, "told_apart_by", ONE_ROW),
    "rows are groups": (Project, "groups", property(lambda rel: rel.columns)),
    "a negation keeps signs": (Negate, "keeps_signs", True),
    "a filter reads nothing": (Filter, "reads", frozenset()),
    "distinct rows are those of some columns": (Distinct, "reads", frozenset()),
    "a projection has no scalars": (Project, "scalars", ()),
    "a condition stays as it is": (Filter, "with_scalars", lambda rel, _: rel),
    "touched keys are all columns": (
        Touched, "separate_by", property(lambda rel: (
            {c.id: rel.changes.columns[0].id for c in rel.columns},
        )),
    ),
    "a window needs no partition more": (Window, "keeping", lambda rel, _: rel),
    "an aggregate needs no group more": (Aggregate, "keeping", lambda rel, _: rel),
}  # fmt: skip


@pytest.mark.fuzz
def test_what_operators_say_holds_of_their_rows() -> None:
    seen = Seen()
    for seed in range(FIRST, FIRST + CASES):
        check_answers(seed, seen)
    met = {what.split(":")[0].split()[0] for what, count in seen.counts.items() if count}
    inner = {operator.__name__ for operator in get_args(Rel)} - set(LEAVES)
    assert inner <= met, f"never met: {inner - met}"


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    operator, question, answer = WRONG[name]
    monkeypatch.setattr(operator, question, answer)
    with pytest.raises(NotSo):
        _check_many()


def _check_many() -> None:
    for seed in range(MOST):
        check_answers(seed, Seen())
