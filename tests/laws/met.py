"""What a case met at each operator, so that a run that tested nothing is noticed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from everview.algebra.meaning.plans import CountedBag, Row
from everview.algebra.relations import (
    Aggregate,
    Distinct,
    Except,
    Generate,
    Intersect,
    Join,
    Pivot,
    Rel,
    Window,
)
from everview.algebra.scalars import Column
from tests.laws.evaluate import Evaluator
from tests.laws.law import Seen

Columns = tuple[Column, ...]

ROWWISE = ("Scan", "Shared", "Filter", "Project", "UnionAll", "Unpivot", "Generate")
JOINS = ("inner", "cross", "left", "right", "full", "semi", "anti", "mark")
TESTING = ("left", "right", "full", "semi", "anti", "mark")
GROUPED = ("Distinct", "Aggregate", "Pivot", "Window", "Window ordered")
OPERATORS = (
    *ROWWISE,
    "Generate outer",
    *(f"Join {kind}" for kind in JOINS),
    "Except all", "Except distinct", "Intersect all", "Intersect distinct",
    *GROUPED,
    "Aggregate without keys", "Pivot without keys", "Window without partition",
)  # fmt: skip
LEAVES = ("Values", "TableFunction")  # which never change
WAYS = ("insertions", "deletions", "both")
# Operators whose rules are shorter where rows only came, or only went.
SIGNED = (*(f"Join {kind}" for kind in TESTING), "Distinct")
EVENTS = (
    *(f"{operator}: {way}" for operator in OPERATORS for way in WAYS),
    *(f"{operator}: group {what}" for operator in GROUPED for what in ("born", "died", "kept")),
    *(f"Join {kind}: partner {what}" for kind in TESTING for what in ("lost", "found")),
)  # fmt: skip


def kind_of(rel: Rel) -> str:
    """The operator, told apart where the delta rules may differ."""
    match rel:
        case Join(kind):
            return f"Join {kind}"
        case Except() | Intersect():
            return f"{type(rel).__name__} {'all' if rel.all else 'distinct'}"
        case Aggregate(keys=()) | Pivot(keys=()):
            return f"{type(rel).__name__} without keys"
        case Window(partition=()):
            return "Window without partition"
        case Window(calls=calls) if any(call.order for _, call in calls):
            return "Window ordered"
        case Generate(outer=True):
            return "Generate outer"
        case _:
            return type(rel).__name__


def count(rel: Rel, known: Evaluator, seen: Seen) -> None:
    """Count what the operator itself met, whatever becomes of it above."""
    kind = kind_of(rel)
    changes = known.difference(rel)
    seen.changes(kind, changes)
    signs = {n > 0 for n in changes.values()}
    seen.met(f"{kind}: both", when=len(signs) == 2)
    if kind in GROUPED:
        _count_groups(rel, known, seen)
    if isinstance(rel, Join) and rel.kind in TESTING:
        _count_partners(rel, known, seen)


def _count_groups(rel: Rel, known: Evaluator, seen: Seen) -> None:
    old, new = (keys_of(group_keys(rel), rel.columns, some) for some in known.snapshots(rel))
    kind = kind_of(rel)
    seen.met(f"{kind}: group born", when=new - old)
    seen.met(f"{kind}: group died", when=old - new)
    seen.met(f"{kind}: group kept", when=old & new)


def group_keys(rel: Rel) -> Columns:
    """What tells the groups apart that the operator looks at as a whole; nothing if it has none."""
    match rel:
        case Aggregate(keys=keys) | Pivot(keys=keys) | Window(partition=keys):
            return keys
        case Distinct() | Except() | Intersect():
            return rel.columns
        case _:
            return ()


def keys_of(keys: Columns, columns: Columns, some: Iterable[Row]) -> set[Row]:
    """The keys that occur among the rows; none where there are no keys."""
    places = [columns.index(k) for k in keys]
    return {tuple(row[i] for i in places) for row in some} if keys else set()


def _count_partners(join: Join, known: Evaluator, seen: Seen) -> None:
    """Rows that stay, and whose padding, mark or presence changes as their partners do."""
    sides = {
        "left": replace(join, kind="anti", mark=None),
        "right": replace(join, kind="anti", mark=None, left=join.right, right=join.left),
    }
    asked = {"right": ("right",), "full": ("left", "right")}.get(join.kind, ("left",))
    lost, found = False, False
    for side in asked:
        lone = sides[side]
        old, new = known.snapshots(lone)
        stayed = _both(*known.snapshots(lone.left))
        lost |= any(row in stayed and row not in old for row in new)
        found |= any(row in stayed and row not in new for row in old)
    seen.met(f"Join {join.kind}: partner lost", when=lost)
    seen.met(f"Join {join.kind}: partner found", when=found)


def _both(old: CountedBag, new: CountedBag) -> set[Row]:
    return old.keys() & new.keys()
