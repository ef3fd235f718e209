"""From a choice to the steps that carry it out."""

from __future__ import annotations

from typing import assert_never

from everview.algebra.relations import Rel
from everview.apply.grouped import ApplyGrouped
from everview.apply.keyed import ApplyKeyed
from everview.choose.strategies import Choice, Full, Incremental, Move, Skip
from everview.optimize.passes import Context, When, improved
from everview.program.steps import (
    Append,
    FindCopies,
    FindKeys,
    FindLost,
    Keep,
    Overwrite,
    Program,
    Publish,
    Recompute,
    RewriteBag,
    RewriteGrouped,
    RewriteKeyed,
    Stage,
)
from everview.shape.grouped import Grouped
from everview.shape.shape import Bag, FullOnly, Keyed, Shape

VIEW = "__ev_view"  # the name of the stored view's own scan in plans


def program(choice: Choice, shape: Shape) -> Program:
    """The steps of a refresh, in order; steps that begin with "if" depend on the data."""
    match choice.strategy:
        case Skip():
            return ()
        case Move():
            return (Publish(),)
        case Full():
            return _full(shape)
        case Incremental():
            strategy = choice.strategy
            known = Context(leaf_bytes=strategy.leaf_bytes, off=strategy.passes_off)
            plan = improved(When.PARTS, strategy.changes, known).queries
            kept = tuple(Keep(part) for part in plan.parts)
            return kept + _incremental(strategy, plan.rest, shape)
        case _:
            assert_never(choice.strategy)


def _incremental(strategy: Incremental, changes: Rel, shape: Shape) -> Program:
    """The steps from the changes on, of which parts may be at hand already."""
    if strategy.variant == "append":
        return Append(changes), Publish()
    if strategy.variant == "rows":
        return Stage(changes), FindCopies(), RewriteBag(), Publish()
    if isinstance(shape, Grouped):
        by_key = ApplyGrouped(shape.view, VIEW)
        return FindKeys(changes, by_key), Recompute(by_key), RewriteGrouped(by_key), Publish()
    assert isinstance(shape, Keyed)
    apply = ApplyKeyed(shape.view, VIEW)
    checks = not strategy.insert_only and apply.lost() is not None
    find = (FindLost(apply),) if checks else ()
    return Stage(changes, apply), *find, RewriteKeyed(apply), Publish()


def _full(shape: Shape) -> Program:
    match shape:
        case Keyed(view, _):
            return Overwrite(view.full()), Publish()
        case Grouped(view, _, _):
            return Overwrite(view.full()), Publish()
        case Bag(rel, _, _):
            return Overwrite(rel), Publish()
        case FullOnly():
            return Overwrite(None), Publish()
        case _:
            assert_never(shape)
