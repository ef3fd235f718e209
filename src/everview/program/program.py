"""From a choice to the steps that carry it out."""

from __future__ import annotations

from typing import assert_never

from everview.delta.apply_keyed import ApplyKeyed
from everview.delta.grouped import ApplyGrouped
from everview.plan.grouped import Grouped
from everview.plan.shape import Bag, FullOnly, Keyed, Shape
from everview.plan.strategies import Choice, Full, Incremental, Move, Skip
from everview.program.steps import (
    Append,
    FindCopies,
    FindKeys,
    FindLost,
    Overwrite,
    Program,
    Publish,
    Recompute,
    RewriteBag,
    RewriteGrouped,
    RewriteKeyed,
    Stage,
)

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
        case Incremental(variant="append"):
            return Append(choice.strategy.changes), Publish()
        case Incremental(variant="rows"):
            return Stage(choice.strategy.changes), FindCopies(), RewriteBag(), Publish()
        case Incremental(variant="partitions"):
            return _partitions(choice.strategy, shape)
        case Incremental():
            return _groups(choice.strategy, shape)
        case _:
            assert_never(choice.strategy)


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


def _groups(strategy: Incremental, shape: Shape) -> Program:
    assert isinstance(shape, Keyed)
    apply = ApplyKeyed(shape.view, VIEW)
    checks = not strategy.insert_only and apply.lost() is not None
    find = (FindLost(apply),) if checks else ()
    return Stage(strategy.changes, apply), *find, RewriteKeyed(apply), Publish()


def _partitions(strategy: Incremental, shape: Shape) -> Program:
    assert isinstance(shape, Grouped)
    apply = ApplyGrouped(shape.view, VIEW)
    return FindKeys(strategy.changes, apply), Recompute(apply), RewriteGrouped(apply), Publish()
