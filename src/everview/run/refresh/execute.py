"""Carrying out the steps of a refresh."""

from __future__ import annotations

from typing import assert_never

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
    Step,
)
from everview.run.refresh.bag import append_insertions, find_copies, rewrite_bag, stage_bag
from everview.run.refresh.grouped import find_keys, recompute_rows, rewrite_grouped
from everview.run.refresh.keep import keep
from everview.run.refresh.keyed import find_lost, rewrite_keyed, stage_keyed
from everview.run.refresh.overwrite import overwrite
from everview.run.refresh.publish import publish
from everview.run.refresh.work import Work
from everview.spark.engine import SMALL, whole
from everview.spark.log import logged


def execute(steps: Program, work: Work) -> int:
    """Carry out the steps and give the version published; the old view stays until the last one."""
    is_whole = any(isinstance(s, Overwrite) for s in steps)
    settings = whole(work.facts.source_bytes()) if is_whole else SMALL
    version = work.facts.stored.snapshot.version
    try:
        with work.engine.settings(settings, work.facts.stored.record.settings):
            for step in steps:
                work.step = step.name
                work.probe(f"refresh: {step.name}")
                with logged(work.facts.view, step.name):
                    if isinstance(step, Publish):
                        if work.rebuild is not None:
                            work.rebuild.check(work)
                        version = publish(work)
                    elif not (work.staged is not None and work.staged.rows == 0):
                        _carry_out(step, work)
    finally:
        work.staging.remove()
    work.probe("refresh: committed")
    return version


def _carry_out(step: Step, work: Work) -> None:
    match step:
        case Keep(part):
            keep(work, part)
        case Stage(changes, apply):
            staged = (
                stage_bag(work, changes) if apply is None else stage_keyed(work, changes, apply)
            )
            work.staged = staged
        case FindLost():
            find_lost(work, step)
        case FindCopies():
            find_copies(work)
        case FindKeys():
            find_keys(work, step)
        case Recompute():
            recompute_rows(work, step)
        case RewriteGrouped():
            rewrite_grouped(work, step)
        case RewriteKeyed():
            rewrite_keyed(work, step)
        case RewriteBag():
            rewrite_bag(work)
        case Append(changes):
            append_insertions(work, changes)
        case Overwrite():
            overwrite(work, step)
        case Publish():
            raise AssertionError("published by execute")
        case _:
            assert_never(step)
