"""What the steps of a refresh read and write, in files, bytes and rows known beforehand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import assert_never

from everview.algebra.relations import At, Changes, Rel, Scan
from everview.algebra.walk import transformed, walk_plan
from everview.facts.refreshes import STORED, RefreshFacts
from everview.facts.tables import Snapshot, TableChanges
from everview.facts.wording import aligned, counted, size_text
from everview.optimize.parts import Part
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
    Step,
)


def step_details(facts: RefreshFacts, step: Step) -> tuple[str, ...]:
    """Lines on what one step reads or writes."""
    match step:
        case (
            Keep(part=Part(rel=rel))
            | StageRows(changes=rel)
            | StageGroups(changes=rel)
            | Append(changes=rel)
            | FindKeys(changes=rel)
        ):
            return _leaves(facts, rel)
        case Recompute(apply):
            return _leaves(facts, apply.recomputed())
        case FindLost() | FindCopies():
            return (f"in {_touched(facts)}",)
        case RewriteKeyed() | RewriteBag() | RewriteGrouped():
            return (_touched(facts),)
        case Overwrite():
            reads = [(f"{s.name} at v{s.new}", _held(s.at_new)) for s in facts.sources]
            return tuple(aligned(reads))
        case CompareRows(read_by):
            return (f"read by {', '.join(read_by)}",)
        case Publish():
            return (f"compare-and-swap on v{facts.stored.snapshot.version}",)
        case _:
            assert_never(step)


def with_view_named(facts: RefreshFacts, rel: Rel) -> Rel:
    """The plan with the view by its own name where its stored rows are asked."""

    def named(some: Rel) -> Rel:
        if isinstance(some, Scan) and some.table == STORED:
            return replace(some, table=facts.view)
        return some

    return transformed(rel, named)


def leaf_read(facts: RefreshFacts, leaf: Scan | Changes) -> tuple[str, str]:
    """What a leaf is called with its versions, and how much it holds."""
    if leaf.table in (STORED, facts.view):
        stored = facts.stored.snapshot
        return f"{facts.view} itself at v{stored.version}", _held(stored)
    source = facts.source(leaf.table)
    if isinstance(leaf, Changes):
        changes = source.changes
        assert isinstance(changes, TableChanges)
        return f"changes of {leaf.table}", _said(len(changes.files), changes.bytes, changes.rows)
    version = source.old if leaf.at is At.OLD else source.new
    return f"{leaf.table} at v{version}", _held(source.at(leaf.at))


def _leaves(facts: RefreshFacts, rel: Rel) -> tuple[str, ...]:
    """Each leaf once, and how often it is read if more than once."""
    leaves = [leaf_read(facts, r) for r in walk_plan(rel) if isinstance(r, Scan | Changes)]
    often = Counter(leaves)
    lines = [(n, f"{held}{_times(often[n, held])}") for n, held in dict.fromkeys(leaves)]
    return tuple(aligned(lines)) if lines else ()


def _times(number: int) -> str:
    return "" if number == 1 else f", read {number} times"


def _held(snapshot: Snapshot) -> str:
    return _said(len(snapshot.files), snapshot.bytes, snapshot.rows)


def _said(files: int, size: int, rows: int | None) -> str:
    known = "" if rows is None else f", {counted(rows, 'row')}"
    return f"{counted(files, 'file')}, {size_text(size)}{known}"


def touched_bytes(facts: RefreshFacts) -> int:
    """The most bytes of stored files that the changes may touch."""
    stored = facts.stored.snapshot
    return stored.bytes * facts.touched_files() // max(1, len(stored.files))


def _touched(facts: RefreshFacts) -> str:
    stored = facts.stored.snapshot
    files, touched = len(stored.files), facts.touched_files()
    size = size_text(touched_bytes(facts))
    most = "" if touched == files == 1 else "at most "
    return f"{most}{touched:,} of {counted(files, 'file')}, {size}"
