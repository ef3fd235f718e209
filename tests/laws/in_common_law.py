"""The law of common parts: plans that read rows of each other's parts give the same changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from random import Random

from everview.algebra.derive.same_rows import SameRows
from everview.algebra.fresh import Fresh
from everview.algebra.meaning.plans import CountedBag, State
from everview.algebra.relations import Local, Rel, Shared
from everview.algebra.walk import walk_plan
from everview.optimize.in_common import InCommon, PlanOfChanges, in_common
from everview.optimize.passes import When, improved
from tests.improve import changes_of
from tests.laws.evaluate import Evaluator
from tests.laws.law import Seen
from tests.laws.rewrite_examples import examples_of
from tests.laws.tables import random_tables
from tests.laws.trees import Trees
from tests.optimize import test_in_common
from tests.plan_text import plan_text

Plans = Mapping[str, Rel]
EXAMPLES = dict(examples_of(test_in_common))


def check_in_common(seed: int, seen: Seen) -> None:
    """Several definitions with a random tree in common, each with ids of its own."""
    rng = Random(seed)
    state, changed = random_tables(rng)
    views = rng.choice((2, 2, 3))
    pairs = [_definition(seed, view, state) for view in range(views)]
    known = Evaluator(state)
    assert len(set(_numbers(core for core, _ in pairs))) == 1, "one tree with other ids is another"
    plans = {}
    for view, (_, rel) in enumerate(pairs):
        changes = changes_of(rel, changed)
        if changes is not None:
            plans[f"view{view}"] = improved(When.CHANGES, changes).plan
    _check_numbers(plans, known, seen)
    found = in_common({v: PlanOfChanges(plan, _table) for v, plan in plans.items()})
    for view, divided in found.items():
        _check_divided(view, plans[view], divided, known)
    seen.met("a part in common", when=found)
    _count(found, seen)


def check_example(seed: int, seen: Seen) -> None:
    """One example of each test of what is found, which no row shows."""
    for name, examples in EXAMPLES.items():
        examples[seed % len(examples)]()
        seen.met(name)


def _definition(seed: int, view: int, state: State) -> tuple[Rel, Rel]:
    """The tree that all have, and the definition of one view over it."""
    trees = Trees(Random(seed), state)
    trees.fresh = Fresh(1000 * view)
    core = trees.tree(trees.rng.choice((1, 2, 2, 3)))
    trees.rng = trees.scalars.rng = Random(f"{seed} {view}")
    rel: Rel = Shared("core", core) if trees.rng.random() < 0.3 else core
    for _ in range(trees.rng.choice((0, 1, 1, 2))):
        make = trees.rng.choice((trees._filter, trees._project, trees._aggregate, trees._distinct))
        if trees.rng.random() < 0.5:
            rel = trees._of_two(rel, trees._read(Shared("leaf", trees._leaf())))
        else:
            rel = trees._tried(lambda make=make, below=rel: make(below), rel)  # type: ignore[misc]
    return core, rel


def _table(leaf: Rel) -> Hashable:
    return getattr(leaf, "table", None)


def _numbers(plans: object) -> list[int]:
    given: dict[Hashable, int] = {}
    return [SameRows(_table, given).number(rel) for rel in plans]  # type: ignore[attr-defined]


def _check_numbers(plans: Plans, known: Evaluator, seen: Seen) -> None:
    """Operators of one number give the same rows."""
    given: dict[Hashable, int] = {}
    rows: dict[int, CountedBag] = {}
    met: dict[int, set[str]] = defaultdict(set)
    for view, plan in plans.items():
        same = SameRows(_table, given)
        for some in walk_plan(plan):
            number = same.number(some)
            found = known.rows(some)
            assert rows.setdefault(number, found) == found, plan_text(some)
            met[number].add(view)
    seen.met("a number of several", when=any(len(views) > 1 for views in met.values()))
    seen.met("a number of one", when=any(len(views) == 1 for views in met.values()))


def _check_divided(view: str, plan: Rel, found: InCommon, known: Evaluator) -> None:
    """The plan over the parts of whoever came first."""
    for common in found.parts:
        part = common.part
        assert view in common.views
        assert len(common.views) > 1
        if not known.is_kept(part.name):
            known.keep(part.name, part.rel)
        kept = known.rows(part.local())
        assert known.rows(part.rel) == kept, f"{part.name}:\n{plan_text(part.rel)}"
    assert found.rest.columns == plan.columns
    story = f"{plan_text(found.rest)}\nof\n{plan_text(plan)}"
    assert known.rows(found.rest) == known.rows(plan), story


def _count(found: Mapping[str, InCommon], seen: Seen) -> None:
    parts = {c.part.name: c for divided in found.values() for c in divided.parts}
    read = [r for c in parts.values() for r in walk_plan(c.part.rel)]
    seen.met("a part within a part", when=any(isinstance(r, Local) for r in read))
    seen.met("a part of three", when=any(len(c.views) == 3 for c in parts.values()))
    seen.met("a part of two of three", when=len({c.views for c in parts.values()}) > 1)
    for common in parts.values():
        seen.met(f"of {len(common.views)}: {type(common.part.rel.inputs[0]).__name__}")
