"""Carrying out the steps of a refresh."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

from everview.facts.receipts import Receipt
from everview.program.programs import (
    AppendSteps,
    FullSteps,
    GroupsSteps,
    MoveSteps,
    NoSteps,
    PartitionsSteps,
    RowsSteps,
)
from everview.run.refresh.bag import append_rows, change_rows
from everview.run.refresh.compact import compact_if_due
from everview.run.refresh.grouped import replace_partitions
from everview.run.refresh.keep import kept
from everview.run.refresh.keyed import change_groups
from everview.run.refresh.overwrite import overwrite
from everview.run.refresh.publish import publish
from everview.run.refresh.receipt import receipt_of
from everview.run.refresh.replaced import Replaced
from everview.run.refresh.work import Work
from everview.spark.engine import SMALL, whole


@dataclass(frozen=True, slots=True)
class Published:
    """What a refresh did, and the version that readers see now."""

    receipt: Receipt
    version: int


def execute(work: Work) -> Published:
    """Carry out the steps that are planned; the old view stays until the last one."""
    steps = work.planned.program
    if isinstance(steps, NoSteps):
        return Published(receipt_of(work, Replaced()), work.facts.stored.snapshot.version)
    is_whole = isinstance(steps, FullSteps)
    settings = whole(work.facts.source_bytes()) if is_whole else SMALL
    try:
        with work.engine.settings(settings, work.facts.stored.record.settings):
            replaced = _replaced(work, steps)
            with work.during(steps.publish.name):
                if work.rebuild is not None:
                    work.rebuild.check(work, replaced.written)
                version = publish(work, replaced)
    finally:
        work.staging.remove()
    work.probe("refresh: committed")
    receipt = receipt_of(work, replaced)
    compacted = None if is_whole else compact_if_due(work, replaced, version)
    if compacted is None:
        return Published(receipt, version)
    seconds = {**receipt.seconds, "compact": compacted.seconds}
    receipt = replace(receipt, seconds=seconds, compacted=compacted)
    return Published(receipt, compacted.version)


def _replaced(
    work: Work,
    steps: MoveSteps | FullSteps | AppendSteps | RowsSteps | GroupsSteps | PartitionsSteps,
) -> Replaced:
    """What the steps before the commit make of the stored rows."""
    match steps:
        case MoveSteps():
            return Replaced()
        case FullSteps():
            return overwrite(work, steps)
        case AppendSteps():
            return append_rows(kept(work, steps.keep), steps)
        case RowsSteps():
            return change_rows(kept(work, steps.keep), steps)
        case GroupsSteps():
            return change_groups(kept(work, steps.keep), steps)
        case PartitionsSteps():
            return replace_partitions(kept(work, steps.keep), steps)
        case _:
            assert_never(steps)
