"""The law of rewrites: over every random tree each of them keeps the rows, and the changes."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from everview.algebra.meaning.plans import State
from everview.algebra.relations import At, Filter, Join, Rel
from everview.algebra.scalars import TRUE, Compare, Ref, all_of
from everview.optimize.passes import When, improved
from tests.improve import joined_by_keys, simplified
from tests.laws.evaluate import Evaluator
from tests.laws.key_law import TYPES, KeyTrees
from tests.laws.law import Seen
from tests.laws.pass_law import check_rewritten
from tests.laws.tables import random_tables
from tests.laws.tree_law import random_case
from tests.laws.trees import Trees
from tests.plan_text import plan_text


def check_rewrites(seed: int, seen: Seen, off: frozenset[str] = frozenset()) -> None:
    """A random tree and its changes after every pass, but for those that are off; and one in
    which much has a key, without what keys make needless.
    """
    rel, state, changed = random_case(seed)
    check_rewritten(rel, state, changed, off)
    _check_simplified(seed)
    _check_filtered_join(seed, off)
    _check_chain(seed, off)
    seen.met("rewritten")


def _check_filtered_join(seed: int, off: frozenset[str]) -> None:
    """Conditions above a join of any kind, those that read one side alone among them."""
    rng = Random(seed)
    state, _ = random_tables(rng)
    trees = Trees(rng, state)
    left, right = trees.tree(1), trees.tree(1)
    join = Join(rng.choice(("inner", "left", "right", "full", "semi", "anti")), left, right, TRUE)
    join = replace(join, condition=trees._between(left, right))
    sides = [s for s in (left.columns, right.columns, join.columns) if set(s) <= set(join.columns)]
    some = (trees.scalars.condition(rng.choice(sides)) for _ in range(rng.choice((1, 2, 3))))
    _require_same(Filter(join, all_of(tuple(some))), state, off)


def _check_chain(seed: int, off: frozenset[str]) -> None:
    """Tables of one or two columns, listed before the conditions that connect them."""
    rng = Random(seed)
    state, _ = random_tables(rng)
    trees = Trees(rng, state)
    leaves = [trees._cut(leaf, leaf.columns[:2]) for leaf in (trees._leaf() for _ in range(3))]
    leaves = [trees._cut(leaf, leaf.columns[: rng.choice((1, 2))]) for leaf in leaves]
    chain = Join("cross", leaves[0], Join("cross", leaves[1], leaves[2]))
    if rng.random() < 0.5:
        chain = Join("cross", Join("cross", leaves[0], leaves[1]), leaves[2])
    pairs = [(leaves[0], leaves[2]), (leaves[1], leaves[2]), (leaves[0], leaves[1])]
    firsts = [
        Compare("=", Ref(a.columns[0].id), Ref(b.columns[-1].id))
        for a, b in rng.sample(pairs, rng.choice((2, 3)))
    ]
    own = [trees.scalars.condition(rng.choice(leaves).columns) for _ in range(rng.choice((0, 1)))]
    _require_same(Filter(chain, all_of((*firsts, *own))), state, off)


def _require_same(rel: Rel, state: State, off: frozenset[str]) -> None:
    """A definition whose filters went below its joins has the same rows at both snapshots."""
    known = Evaluator(state)
    plan = joined_by_keys(rel, off)
    for snapshot in At:
        mine, whole = known.at(plan, snapshot), known.at(rel, snapshot)
        assert known.rows(mine) == known.rows(whole), f"{plan_text(plan)}\nof\n{plan_text(rel)}"


def _check_simplified(seed: int) -> None:
    rng = Random(seed)
    state, _ = random_tables(rng)
    trees = KeyTrees(rng, state)
    rel = trees.tree(rng.choice((1, 1, 2, 3)))
    types = {c: TYPES[kind] for c, kind in trees.scalars.kinds.items()}
    known = Evaluator(state)
    for plan in (simplified(rel, types), improved(When.BOUND, rel).plan):
        for snapshot in At:
            mine, whole = known.at(plan, snapshot), known.at(rel, snapshot)
            assert known.rows(mine) == known.rows(whole), f"{plan_text(plan)}\nof\n{plan_text(rel)}"
