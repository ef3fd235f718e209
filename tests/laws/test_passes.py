"""The law of passes with each of them off, with all off, and with one that is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everview.algebra.relations import Join, Rel
from everview.algebra.scalars import Compare
from everview.algebra.walk import transformed
from everview.optimize import passes
from everview.optimize.parts import Parted
from everview.optimize.passes import ALL, PASSES, Pass, PassContext, When
from tests.improve import OPTIONAL
from tests.laws.broken import Broken
from tests.laws.law import Seen
from tests.laws.pass_law import check_rewritten
from tests.laws.rewrite_law import check_rewrites
from tests.laws.tree_law import random_case

CASES = 20
# Other cases for each, so that all of them together see more.
STARTS = {off: 1000 * i for i, off in enumerate((*OPTIONAL, ALL))}


@pytest.mark.fuzz
@pytest.mark.parametrize("off", STARTS)
def test_the_law_holds_without(off: str) -> None:
    for seed in range(STARTS[off], STARTS[off] + CASES):
        check_rewrites(seed, Seen(), frozenset({off}))


def _with_other_joins(rel: Rel) -> Rel:
    """The plan with rows that meet where one value is less than the other, not the same."""

    def turned(some: Rel) -> Rel:
        if not isinstance(some, Join) or not isinstance(some.condition, Compare):
            return some
        return replace(some, condition=replace(some.condition, op="<"))

    return transformed(rel, turned)


# Those of a definition as it is read have a law of their own, over trees with keys.
_WITH_LAW = [p for p in PASSES if p.when not in (When.BOUND, When.TYPED)]


def _spoiled(one: Pass) -> Pass:
    def run(rel: Rel, context: PassContext) -> Rel | Parted:
        made = one.run(rel, context)
        if isinstance(made, Parted):
            return replace(made, rest=_with_other_joins(made.rest))
        return _with_other_joins(made)

    return replace(one, run=run)


def _check_many() -> None:
    for seed in range(200):
        check_rewritten(*random_case(seed))


@pytest.mark.parametrize("one", _WITH_LAW, ids=lambda p: p.name)
def test_a_pass_that_gives_other_rows_fails_the_law(
    one: Pass, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = tuple(_spoiled(p) if p is one else p for p in PASSES)
    monkeypatch.setattr(passes, "PASSES", others)
    with pytest.raises(Broken) as caught:
        _check_many()
    named = "in queries" if one.when in (When.PARTS, When.QUERY) else f"{one.name} gives other"
    assert named in str(caught.value)
