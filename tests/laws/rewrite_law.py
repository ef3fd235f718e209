"""The law of rewrites: over every random tree each of them keeps the rows, and the changes."""

from __future__ import annotations

from random import Random

from everview.algebra.relations import At
from everview.rewrite.project_merge import project_merge
from everview.rewrite.rules import rewrite, simplified
from tests.laws.evaluate import Evaluator
from tests.laws.key_law import TYPES, KeyTrees
from tests.laws.law import Seen
from tests.laws.tables import random_tables
from tests.laws.tree_law import check_rewritten, random_case
from tests.plan_text import plan_text


def check_rewrites(seed: int, seen: Seen) -> None:
    """A random tree and its changes, rewritten, netted, tidied, narrowed and in parts; and one in
    which much has a key, without what keys make needless.
    """
    rel, state, changed = random_case(seed)
    check_rewritten(rel, state, changed)
    _check_simplified(seed)
    seen.met("rewritten")


def _check_simplified(seed: int) -> None:
    rng = Random(seed)
    state, _ = random_tables(rng)
    trees = KeyTrees(rng, state)
    rel = trees.tree(rng.choice((1, 1, 2, 3)))
    types = {c: TYPES[kind] for c, kind in trees.scalars.kinds.items()}
    known = Evaluator(state)
    for plan in (simplified(rel, types), rewrite(rel, (project_merge,))):
        for snapshot in At:
            mine, whole = known.at(plan, snapshot), known.at(rel, snapshot)
            assert known.rows(mine) == known.rows(whole), f"{plan_text(plan)}\nof\n{plan_text(rel)}"
