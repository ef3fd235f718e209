"""How changes reach a view: source by source, the keys that were found, what is left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from everview.algebra.derive.keys import keys
from everview.algebra.derive.signs import WeightSign
from everview.algebra.notation.plans import formula
from everview.algebra.relations import Scan
from everview.algebra.walk import walk_plan
from everview.choose.changes import changes_of, context_of, known_of
from everview.choose.strategies import Incremental
from everview.facts.refreshes import STORED, RefreshFacts
from everview.optimize.passes import When, improved
from everview.shape.bag import Bag
from everview.shape.grouped import Grouped
from everview.shape.shape import FullOnly, Keyed, Shape
from everview.views.reads import with_view_named


@dataclass(frozen=True, slots=True)
class Propagation:
    """What one source's changes alone do to the view, by source; keys as lists of columns; what
    the plan leaves out and why.
    """

    by_source: tuple[tuple[str, tuple[str, ...]], ...] = ()
    keys: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def propagation(facts: RefreshFacts, shape: Shape, strategy: Incremental) -> Propagation:
    """The same for the changes of this refresh; of a single source its plan says it already."""
    changed = sorted(strategy.changed)
    several = changed if len(changed) > 1 else []
    return Propagation(
        by_source=tuple((name, _alone(facts, shape, name)) for name in several),
        keys=_keys(shape),
        left_out=_left_out(facts, strategy),
    )


def _alone(facts: RefreshFacts, shape: Shape, name: str) -> tuple[str, ...]:
    assert not isinstance(shape, FullOnly)
    known = known_of(facts, (name,))
    changes = changes_of(shape, frozenset({name}), known, facts.passes_off)
    plan = improved(When.CHANGES, changes.plan, context_of(facts)).plan
    return formula(facts.view, with_view_named(facts, plan))


def _keys(shape: Shape) -> tuple[str, ...]:
    """The keys of the stored rows, each as a list of columns; "one row" where there is at most
    one.
    """
    match shape:
        case Keyed(view, _):
            return (", ".join(k.name for k in view.keys) or "one row",)
        case Bag(rel, types, _):
            names = {c.id: c.name for c in rel.columns}
            found = [sorted(names[i] for i in key) for key in keys(rel, types)]
            return tuple(sorted(", ".join(key) or "one row" for key in found))
        case Grouped() | FullOnly():
            return ()
        case _:
            assert_never(shape)


def _left_out(facts: RefreshFacts, strategy: Incremental) -> tuple[str, ...]:
    still = [s.name for s in facts.sources if s.name not in strategy.changed]
    found = (
        [f"{', '.join(still)} did not change: no term, and one version is read"] if still else []
    )
    only = known_of(facts, sorted(strategy.changed)).only
    kinds: tuple[tuple[WeightSign, str, str], ...] = (
        (1, "deleted from", "lost"),
        (-1, "inserted into", "gained"),
    )
    for sign, done, what in kinds:
        names = [name for name, known in only.items() if known == sign]
        if names:
            found.append(f"nothing was {done} {', '.join(names)}: what it {what} is not looked for")
    scans = {leaf.table for leaf in walk_plan(strategy.changes) if isinstance(leaf, Scan)}
    if STORED in scans:
        names = [name for name in sorted(strategy.changed) if name not in scans]
        rows = f"the rows of {', '.join(names)}" if names else "some rows"
        found.append(f"{rows}: those of {facts.view} tell which rows had partners")
    if strategy.insert_only:
        found.append("the view only gains rows: no old rows are looked for")
    return tuple(found)
