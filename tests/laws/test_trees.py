"""The law of row changes over random trees of all operators, and what those trees met."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from random import Random, SystemRandom

import pytest

from everview.algebra.calls import AggregateCall
from everview.algebra.meaning.plans import State, rows
from everview.algebra.relations import Aggregate, At, Distinct, Filter, Join, Rel, Scan
from everview.algebra.scalars import Column, Compare, Ref, integer
from everview.algebra.walk import bottom_up
from everview.delta.context import Known
from everview.delta.propagate import delta, deltas
from tests.laws import tree_law
from tests.laws.broken import Broken
from tests.laws.evaluate import Evaluator
from tests.laws.law import Seen
from tests.laws.line_law import Delta
from tests.laws.met import EVENTS, LEAVES, OPERATORS, SIGNED
from tests.laws.tables import Batch, batches, in_two, one_by_one, random_tables
from tests.laws.told import TOLD
from tests.laws.tree_law import check_rows, check_tree, random_case

ASKED = os.environ.get("EVERVIEW_FUZZ_CASES")
CASES = int(ASKED or 2000)
FIRST = SystemRandom().randrange(2**48) if ASKED else 0  # other cases every time, if asked for more
SEEN = Seen()

# Operators that need no rule, because a view with one is refused or stored below it.
REFUSED = frozenset({"TopK", "Window without partition"})

# What a share of the cases must have met, else they tested less than they say.
SHARES = {
    **dict.fromkeys(EVENTS, 0.003),
    **dict.fromkeys(OPERATORS, 0.015),
    **dict.fromkeys(LEAVES, 0.02),
    **{f"told {how}": 0.1 for how in TOLD},
    "rewritten": 0.05,
    **{f"{kind}: {what} alone": 0.003 for kind in SIGNED for what in ("insertions", "deletions")},
    "several tables changed": 0.3,
    "lines cancel": 0.3,
    "a table is empty at OLD": 0.1,
    "a table is empty at NEW": 0.1,
    "a key is NULL": 0.2,
    "a row has copies": 0.3,
}


@pytest.mark.fuzz
def test_changes_are_the_difference_at_every_operator() -> None:
    """All cases run, so that each operator with a wrong rule is named, with one case of it."""
    broken: dict[str, str] = {}
    for seed in range(FIRST, FIRST + CASES):
        try:
            check_tree(seed, SEEN)
        except Broken as problem:
            if problem.kind not in broken:
                broken[problem.kind] = f"seed {seed}: {problem}"
        SEEN.met("cases")
    assert not broken, "\n\n".join(broken.values())


@pytest.mark.fuzz
def test_the_trees_met_everything() -> None:
    """Runs after the one above: pytest keeps the order of a file."""
    if not SEEN.counts:
        pytest.fail("run the whole file: this test counts what the other met")
    rare = {k: SEEN.counts[k] for k, share in SHARES.items() if SEEN.counts[k] < share * CASES}
    assert not rare, f"of {CASES} cases too few met {rare}"


@pytest.mark.fuzz
def test_every_operator_has_a_rule() -> None:
    missing = {kind: n for kind, n in SEEN.counts.items() if kind.startswith("missing: ") and n}
    unknown = {k: n for k, n in missing.items() if k.removeprefix("missing: ") not in REFUSED}
    assert not unknown, unknown


# That the law itself can be trusted


def test_computing_each_operator_once_is_the_meaning() -> None:
    for seed in range(60):
        rel, state, changed = random_case(seed)
        assert Evaluator(state).rows(rel) == rows(rel, state)
        changes = delta(rel, changed)
        if changes is not None:
            assert Evaluator(state).rows(changes) == rows(changes, state)


def test_ids_are_unique_but_for_shared_relations() -> None:
    for seed in range(200):
        rel, _, _ = random_case(seed)
        made: Counter[int] = Counter()
        for operator in bottom_up(rel):
            below = {c.id for i in operator.inputs for c in i.columns}
            made.update({c.id for c in operator.columns} - below)
        assert set(made.values()) == {1}


@pytest.mark.parametrize("tell", [one_by_one, in_two])
def test_batches_lead_from_old_to_new(tell: Callable[[Random, State], list[Batch]]) -> None:
    for seed in range(50):
        rng = Random(seed)
        state, _ = random_tables(rng)
        *_, (last, _) = batches(state, tell(rng, state))
        for name in state.changes:
            assert Counter(last.tables[name, At.NEW]) == Counter(state.tables[name, At.NEW])


def test_a_wrong_rule_is_named_over_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A semi join that does not look at the changes of its right side, in the midst of others."""
    left, right = (
        Scan(t, At.NEW, (Column(i, "k"), Column(i + 1, "v"))) for t, i in (("r", 1), ("s", 3))
    )
    few = Filter(right, Compare("<", Ref(4), integer(9)))
    semi = Join("semi", left, Distinct(few), Compare("=", Ref(1), Ref(3)))
    rel = Aggregate(semi, (Column(1, "k"),), ((Column(9, "n"), AggregateCall("count", ())),))

    def wrong(rel: Rel, changed: frozenset[str], told: Known) -> Delta:
        right = deltas(rel, changed, told)

        def of(some: Rel) -> Rel | None:
            semi = isinstance(some, Join) and some.kind == "semi"
            return right(some.left if semi else some)

        return of

    monkeypatch.setattr(tree_law, "deltas", wrong)
    old, new = ((1, 1), (2, 2), (3, 3)), ((1, 1), (2, 2), (3, 3), (3, 4))
    state = State(
        {("r", At.OLD): old, ("r", At.NEW): new, ("s", At.OLD): old, ("s", At.NEW): old[1:]},
        {"r": (((3, 4), 1),), "s": (((1, 1), -1),)},
    )
    with pytest.raises(Broken) as caught:
        check_rows(rel, state, frozenset("rs"), Seen())
    assert caught.value.kind == "Join semi"
    assert str(caught.value).startswith(SMALL)


SMALL = """\
Join semi: changes {}, should be {(1, 1): -1}; too many {(1, 1): 1}
semi join on (k#1 = k#3)
  scan r new: k#1, v#2
  scan cut1 new: k#3, v#4
cut1 at OLD (changed): [(1, 1)]
cut1 changes: [((1, 1), -1)]
r at OLD (changed): [(1, 1)]
r changes: []
"""
