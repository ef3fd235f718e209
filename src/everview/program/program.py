"""From a choice to the steps that carry it out."""

from __future__ import annotations

from typing import assert_never

from everview.algebra.relations import Rel
from everview.apply.grouped import ApplyGrouped
from everview.apply.keyed import ApplyKeyed
from everview.choose.strategies import Choice, Full, Incremental, Move, Skip
from everview.choose.variants import (
    AppendRows,
    ChangeGroups,
    ChangeRows,
    RecomputeGroups,
    ReplacePartitions,
)
from everview.optimize.in_common import InCommon
from everview.optimize.passes import PassContext, When, improved
from everview.program.programs import (
    AppendSteps,
    FullSteps,
    GroupsSteps,
    Incrementally,
    MoveSteps,
    NoSteps,
    PartitionsSteps,
    Program,
    RowsSteps,
)
from everview.program.steps import (
    Append,
    CompareRows,
    FindCopies,
    FindKeys,
    FindLost,
    Keep,
    Overwrite,
    Publish,
    Recompute,
    RewriteBag,
    RewriteGrouped,
    RewriteKeyed,
    StageGroups,
    StageRows,
)
from everview.shape.bag import Bag
from everview.shape.grouped import Grouped
from everview.shape.shape import FullOnly, Keyed, Shape

NET_FIRST = "net the changes of a table that was written anew"
WITH_OTHERS = "compute once what other views read too"
VIEW = "__ev_view"  # the name of the stored view's own scan in plans


def program(choice: Choice, shape: Shape) -> Program:
    """The steps of a refresh, in order; steps that begin with "if" depend on the data."""
    match choice.strategy:
        case Skip():
            return NoSteps()
        case Move():
            return MoveSteps(Publish())
        case Full(_, read_by):
            compare = CompareRows(read_by) if read_by else None
            return FullSteps(Overwrite(_recomputed(shape)), compare, Publish())
        case Incremental():
            return _incremental(choice.strategy)
        case _:
            assert_never(choice.strategy)


def _incremental(strategy: Incremental) -> Incrementally:
    """The steps of the variant; of its changes, parts that several queries read come first."""
    known = PassContext(leaf_bytes=strategy.leaf_bytes, off=strategy.passes_off)
    common = InCommon((), strategy.changes) if strategy.in_common is None else strategy.in_common
    plan = improved(When.PARTS, common.rest, known).queries
    first = tuple(Keep(part, always=True, title=NET_FIRST) for part in strategy.first)
    others = tuple(Keep(c.part, common=c, title=WITH_OTHERS) for c in common.parts)
    keep, changes = (*first, *others, *map(Keep, plan.parts)), plan.rest
    match strategy.applied:
        case AppendRows():
            return AppendSteps(keep, Append(changes), Publish())
        case ChangeRows():
            return RowsSteps(keep, StageRows(changes), FindCopies(), RewriteBag(), Publish())
        case ChangeGroups(view, may_lose):
            apply = ApplyKeyed(view, VIEW)
            find = FindLost(apply) if may_lose and apply.lost() is not None else None
            stage = StageGroups(changes, apply)
            return GroupsSteps(keep, stage, find, RewriteKeyed(apply), Publish())
        case RecomputeGroups(view):
            apply = ApplyKeyed(view, VIEW, from_rows=True)
            stage = StageGroups(changes, apply)
            return GroupsSteps(keep, stage, None, RewriteKeyed(apply), Publish())
        case ReplacePartitions(view):
            by_key = ApplyGrouped(view, VIEW)
            keys, rows = FindKeys(changes, by_key), Recompute(by_key)
            return PartitionsSteps(keep, keys, rows, RewriteGrouped(by_key), Publish())
        case _:
            assert_never(strategy.applied)


def _recomputed(shape: Shape) -> Rel | None:
    """The plan of all stored rows; None where the user's own text is run."""
    match shape:
        case Keyed(view, _):
            return view.full()
        case Grouped(view, _, _):
            return view.full()
        case Bag():
            return shape.stored
        case FullOnly():
            return None
        case _:
            assert_never(shape)
