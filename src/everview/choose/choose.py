"""Choosing how to refresh: list the strategies and refusals, estimate, take the cheapest."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from everview.algebra.relations import At, Changes, Rel, Scan
from everview.algebra.walk import walk_plan
from everview.choose.changes import changed_files, changes_of, context_of, known_of
from everview.choose.cost import FEW_CHANGES, LOCATED_SHARE, MOST_REWRITTEN, Cost
from everview.choose.netting import netted_by_query, netting_text
from everview.choose.strategies import Choice, Full, Incremental, Move, Refusal, Strategy
from everview.choose.unchanged import must_be_full, require_full_allowed, unchanged
from everview.choose.variants import (
    AppendRows,
    Applied,
    ChangeGroups,
    ChangeRows,
    ReplacePartitions,
)
from everview.facts.methods import Way
from everview.facts.refreshes import RefreshFacts
from everview.facts.tables import Lost, TableChanges
from everview.optimize.passes import When, improved
from everview.optimize.select import files_within
from everview.shape.grouped import Grouped
from everview.shape.shape import FullOnly, Keyed, Shape


def choose(facts: RefreshFacts, shape: Shape, *, full: bool) -> Choice:
    """The strategy for this refresh under the view's policy, with what was netted before."""
    choice = _chosen(facts, shape, full=full)
    told = (choice.reason, netting_text(facts), _above_text(choice.strategy))
    return replace(choice, reason="; ".join(filter(None, told)))


def _above_text(strategy: Strategy) -> str:
    if not isinstance(strategy, Full) or not strategy.read_by:
        return ""
    return f"read by {', '.join(strategy.read_by)}, so only what differs is told"


def _chosen(facts: RefreshFacts, shape: Shape, *, full: bool) -> Choice:
    moment = shape.moment if isinstance(shape, FullOnly) else None
    idle = unchanged(facts, moment, full=full)
    if idle is not None:
        return idle
    forced = must_be_full(facts, moment, full=full)
    moved = [s for s in facts.sources if s.old != s.new]
    if not forced and not any(s.changed for s in facts.sources):
        names = ", ".join(s.name for s in moved)
        return Choice(Move(), f"new versions of {names} hold no change of rows")
    if forced:
        return recomputed(facts, forced)
    recompute = _full(facts)
    incremental = _incremental(facts, shape)
    if isinstance(incremental, Refusal):
        return _fall_back(facts, recompute, incremental)
    return _cheaper(facts, incremental, recompute)


def recomputed(facts: RefreshFacts, reason: str) -> Choice:
    """A full recompute, whatever the policy and the costs are."""
    return Choice(_full(facts), reason)


def _incremental(facts: RefreshFacts, shape: Shape) -> Incremental | Refusal:
    for source in facts.sources:
        if isinstance(source.changes, Lost):
            return Refusal(Way.INCREMENTAL, f"{source.name}: {source.changes.reason}")
    changed = frozenset(s.name for s in facts.sources if s.changed)
    if isinstance(shape, FullOnly):
        place = shape.place
        where = f" (line {place.line}, column {place.column})" if place else ""
        return Refusal(Way.INCREMENTAL, f"{shape.reason}{where}")
    changes = changes_of(shape, changed, known_of(facts, changed), facts.passes_off)
    gone = _gone(facts, changes.plan)
    if gone:
        return Refusal(Way.INCREMENTAL, gone)
    context = replace(context_of(facts), netted=netted_by_query(facts, changes.plan))
    better = improved(When.CHANGES, changes.plan, context)
    plan = better.plan
    first = better.queries.parts
    read = (*(part.rel for part in first), plan, *_read_again(shape))
    leaves = {leaf: leaf_bytes(facts, leaf) for leaf in walk_plan(plan) if not leaf.inputs}
    parts = improved(When.PARTS, plan, replace(context, leaf_bytes=leaves))
    return Incremental(
        applied=changes.applied,
        changes=plan,
        changed=changed,
        insert_only=changes.insert_only,
        cost=_cost(facts, read, changes.applied, len(first) + len(parts.queries.parts)),
        first=first,
        leaf_bytes=leaves,
        passes_off=facts.passes_off,
        ran=changes.ran + better.ran + parts.ran,
    )


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


def _read_again(shape: Shape) -> tuple[Rel, ...]:
    """What is read besides the changes, whatever they are, to recompute what they touch."""
    match shape:
        case Keyed(view, _) if view.recomputed:
            return (view.input,)
        case Grouped(view, _, _):
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
    return Cost(read, stored or read // 4, 1, guessed)


def leaf_bytes(facts: RefreshFacts, leaf: Rel) -> int:
    """The bytes of the files behind a leaf of the plan."""
    match leaf:
        case Scan(table, at, _):
            files = files_within(facts.source(table).at(at).files, leaf.ranges())
            return sum(f.size for f in files)
        case Changes(table, _):
            return changed_files(facts, table).bytes
        case _:
            return 0


def _cost(facts: RefreshFacts, plans: tuple[Rel, ...], applied: Applied, parts: int) -> Cost:
    """Every leaf is read once; of the stored view, as many files as there may be touched.

    Where changes are few the driver locates the rows in some columns of these files: it marks them
    or writes small files anew, and appends the rows that come. Else Spark writes the files anew.
    """
    read = sum(leaf_bytes(facts, leaf) for plan in plans for leaf in walk_plan(plan))
    stored = facts.stored.snapshot
    rows = [s.changes.rows for s in facts.sources if isinstance(s.changes, TableChanges)]
    known = [r for r in rows if r is not None]
    touched = stored.bytes * facts.touched_files() // max(1, len(stored.files))
    share = min(1.0, sum(known) / max(1, stored.rows or 1))
    come = int(share * stored.bytes)
    few = len(known) == len(rows) and sum(known) <= FEW_CHANGES
    looked_at, written = touched, touched
    if few:
        looked_at = int(touched * LOCATED_SHARE)
        written = come if touched > MOST_REWRITTEN else touched
    match applied:
        case AppendRows():
            return Cost(read, come, parts + 1, ("rows appended",))
        case ChangeGroups():
            return Cost(read + looked_at, written, parts + (1 if few else 2), ("files touched",))
        case ChangeRows():
            return Cost(read + looked_at, written, parts + (1 if few else 3), ("files touched",))
        case ReplacePartitions():
            return Cost(read + looked_at, written, parts + (2 if few else 3), ("files touched",))
        case _:
            assert_never(applied)
