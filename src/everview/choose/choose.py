"""Choosing how to refresh: list the strategies and refusals, estimate, take the cheapest."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import assert_never

from everview.algebra.relations import At, Rel, Scan
from everview.algebra.walk import walk_plan
from everview.choose.asked import not_applicable, require_applicable
from everview.choose.changes import changed_files, changes_of, context_of, known_of
from everview.choose.cost import FEW_CHANGES, LOCATED_SHARE, MOST_REWRITTEN, Cost
from everview.choose.fetching import bytes_to_read, known_changes, leaf_bytes
from everview.choose.netting import netted_by_query, netting_text
from everview.choose.strategies import Choice, Full, Incremental, Move, Refusal, Strategy
from everview.choose.unchanged import must_be_full, require_full_allowed, unchanged
from everview.choose.variants import (
    AppendRows,
    Applied,
    ChangeGroups,
    ChangeRows,
    RecomputeGroups,
    ReplacePartitions,
)
from everview.facts.asked_strategy import AskedStrategy
from everview.facts.methods import Way
from everview.facts.refreshes import RefreshFacts
from everview.facts.tables import Lost, TableChanges
from everview.optimize.no_rows import has_no_rows
from everview.optimize.passes import When, improved
from everview.shape.shape import FullOnly, Shape


def choose(
    facts: RefreshFacts, shape: Shape, *, full: bool, asked: AskedStrategy = AskedStrategy.AUTO
) -> Choice:
    """The strategy for this refresh under the view's policy, with what was netted before; or the
    one that is asked for, whatever policy and costs say. StrategyNotApplicable if it does not
    apply.
    """
    choice = replace(_chosen(facts, shape, full=full, asked=asked), asked=asked)
    told = (choice.reason, netting_text(facts), _above_text(choice.strategy))
    return replace(choice, reason="; ".join(filter(None, told)))


def _above_text(strategy: Strategy) -> str:
    if not isinstance(strategy, Full) or not strategy.read_by:
        return ""
    return f"read by {', '.join(strategy.read_by)}, so only what differs is told"


def _chosen(facts: RefreshFacts, shape: Shape, *, full: bool, asked: AskedStrategy) -> Choice:
    moment = shape.moment if isinstance(shape, FullOnly) else None
    idle = unchanged(facts, moment, full=full)
    if idle is not None:
        return idle
    forced = must_be_full(facts, moment, full=full)
    moved = [s for s in facts.sources if s.old != s.new]
    if not forced and not any(s.changed for s in facts.sources):
        names = ", ".join(s.name for s in moved)
        return Choice(Move(), f"new versions of {names} hold no change of rows")
    if forced and asked.is_by_changes:
        raise not_applicable(facts.view, None, asked, forced)
    if forced:
        return recomputed(facts, forced)
    require_applicable(facts.view, shape, asked)
    recompute = _full(facts)
    incremental = _incremental(facts, shape, asked)
    if isinstance(incremental, Refusal):
        if asked.is_by_changes:
            raise not_applicable(facts.view, None, asked, incremental.reason)
        return _fall_back(facts, recompute, incremental)
    if isinstance(incremental, Move):
        names = ", ".join(s.name for s in facts.sources if s.changed)
        return Choice(incremental, f"no changed row of {names} passes the view's conditions")
    if asked.is_by_changes:
        return Choice(incremental, f"{asked.value} was asked for", recompute)
    return _cheaper(facts, incremental, recompute)


def recomputed(facts: RefreshFacts, reason: str) -> Choice:
    """A full recompute, whatever the policy and the costs are."""
    return Choice(_full(facts), reason)


def _incremental(
    facts: RefreshFacts, shape: Shape, asked: AskedStrategy
) -> Incremental | Move | Refusal:
    for source in facts.sources:
        if isinstance(source.changes, Lost):
            return Refusal(Way.INCREMENTAL, f"{source.name}: {source.changes.reason}")
    changed = frozenset(s.name for s in facts.sources if s.changed)
    if isinstance(shape, FullOnly):
        place = shape.place
        where = f" (line {place.line}, column {place.column})" if place else ""
        return Refusal(Way.INCREMENTAL, f"{shape.reason}{where}")
    changes = changes_of(shape, changed, known_of(facts, changed), facts.passes_off, asked)
    if has_no_rows(changes.plan, partial(_told_changes, facts)):
        return Move()
    gone = _gone(facts, changes.plan)
    if gone:
        return Refusal(Way.INCREMENTAL, gone)
    context = replace(context_of(facts), netted=netted_by_query(facts, changes.plan))
    better = improved(When.CHANGES, changes.plan, context)
    plan = better.plan
    first = better.queries.parts
    read = (*(part.rel for part in first), plan)
    size, alone = bytes_to_read(facts, read)
    again, _ = bytes_to_read(facts, _read_again(changes.applied), whole_groups=True)
    leaves = {leaf: leaf_bytes(facts, leaf) for leaf in walk_plan(plan) if not leaf.inputs}
    parts = improved(When.PARTS, plan, replace(context, leaf_bytes=leaves))
    number = len(first) + len(parts.queries.parts)  # of parts that are actions unless fetched
    return Incremental(
        applied=changes.applied,
        changes=plan,
        changed=changed,
        insert_only=changes.insert_only,
        cost=_cost(facts, size + again, changes.applied, 0 if alone else number),
        first=first,
        leaf_bytes=leaves,
        passes_off=facts.passes_off,
        ran=changes.ran + better.ran + parts.ran,
    )


def _told_changes(facts: RefreshFacts, name: str) -> TableChanges | None:
    """The changes of a source whose files tell what changed of the rows that are read: of a view
    with LIMIT, rows come and go because of others.
    """
    source = facts.source(name)
    is_told = source.tail is None and isinstance(source.changes, TableChanges)
    return changed_files(facts, name) if is_told else None


def _gone(facts: RefreshFacts, plan: Rel) -> str:
    """Why a snapshot that the plan reads cannot be read any more, "" if all can.

    The rows before the changes are those after them without the changes, where rows can be
    compared; then the plan does not read that snapshot.
    """
    for leaf in walk_plan(plan):
        if isinstance(leaf, Scan) and leaf.at is At.OLD:
            source = facts.source(leaf.table)
            if source.at_old is None:
                return (
                    f"{source.name}: version {source.old} cannot be read any more, and its rows "
                    "are not told by the changes because they cannot be compared"
                )
    return ""


def _read_again(applied: Applied) -> tuple[Rel, ...]:
    """What is read besides the changes, whatever they are, to recompute what they touch."""
    match applied:
        case ChangeGroups(view, _) if view.recomputed:
            return (view.input,)
        case RecomputeGroups(view):
            return (view.input,)
        case ReplacePartitions(view):
            return (view.base,)
        case _:
            return ()


def _fall_back(facts: RefreshFacts, recompute: Full, refusal: Refusal) -> Choice:
    require_full_allowed(facts.view, facts.policy, refusal.reason)
    reason = "the policy is FULL" if facts.policy == "FULL" else refusal.reason
    return Choice(recompute, reason, None, (refusal,))


def _cheaper(facts: RefreshFacts, incremental: Incremental, recompute: Full) -> Choice:
    if facts.policy == "FULL":
        return Choice(recompute, "the policy is FULL", incremental)
    few, many = incremental.cost, recompute.cost
    if facts.policy == "AUTO" and many.seconds < few.seconds:
        return Choice(recompute, f"cheaper: {many.advantage(few)}", incremental)
    if facts.policy != "AUTO":
        return Choice(incremental, f"the policy is {facts.policy}", recompute)
    return Choice(incremental, few.advantage(many), recompute)


def _full(facts: RefreshFacts) -> Full:
    """A full recompute; rows that others read are compared with the stored ones, if there are."""
    if not facts.stored.built or not facts.read_by:
        return Full(_full_cost(facts))
    return Full(_full_cost(facts).with_comparison(facts.stored.snapshot.bytes), facts.read_by)


def _full_cost(facts: RefreshFacts) -> Cost:
    stored = facts.stored.snapshot.bytes
    read = sum(s.at_new.bytes for s in facts.sources)
    guessed = () if stored else ("bytes written: a quarter of the sources",)
    return Cost(read, stored or read // 4, 1, guessed, facts.pace.full)


def _cost(facts: RefreshFacts, read: int, applied: Applied, parts: int) -> Cost:
    """What is read of the sources, and of the stored view as many files as there may be touched.

    Where changes are few the driver locates the rows in some columns of these files: it marks them
    or writes small files anew, and appends the rows that come. Else Spark writes the files anew.
    """
    stored = facts.stored.snapshot
    known = known_changes(facts)
    touched = stored.bytes * facts.touched_files() // max(1, len(stored.files))
    share = min(1.0, sum(known or ()) / max(1, stored.rows or 1))
    come = int(share * stored.bytes)
    few = known is not None and sum(known) <= FEW_CHANGES
    looked_at, written = touched, touched
    if few:
        looked_at = int(touched * LOCATED_SHARE)
        written = come if touched > MOST_REWRITTEN else touched
    cost = Cost(read + looked_at, written, parts, ("files touched",), facts.pace.incremental)
    match applied:
        case AppendRows():
            return replace(
                cost, bytes_read=read, bytes_written=come, actions=parts + 1, guessed=_APPENDED
            )
        case ChangeGroups(view, may_lose):
            loses = may_lose and any(kept.area.lost for kept in view.areas)
            actions = parts + (1 if few else 2) + (1 if loses else 0)  # extremes are looked for
            return replace(cost, actions=actions)
        case ChangeRows():
            return replace(cost, actions=parts + (1 if few else 3))
        case RecomputeGroups():
            return replace(cost, actions=parts + (2 if few else 3))
        case ReplacePartitions():
            return replace(cost, actions=parts + (2 if few else 3))
        case _:
            assert_never(applied)


_APPENDED = ("rows appended",)
