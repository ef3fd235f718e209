"""Applying a change table to the stored files of a keyed view."""

from __future__ import annotations

from dataclasses import replace
from functools import partial, reduce

from pyspark.sql import DataFrame

from everview.algebra.relations import Rel
from everview.apply.keyed import CHANGES, LOST, ApplyKeyed
from everview.apply.lines import ACTION, PART
from everview.program.programs import GroupsSteps
from everview.run.refresh.by_driver import (
    Located,
    change_of_groups,
    change_of_lines,
    locate_groups,
    replace_by_driver,
)
from everview.run.refresh.overwrite import clustered
from everview.run.refresh.replaced import Replaced
from everview.run.refresh.touched import TouchedKeys, check_counts, stage_by_key
from everview.run.refresh.work import Work
from everview.run.rows.read import packed
from everview.run.rows.staging import Staged
from everview.run.rows.write import write_lines
from everview.spark.engine import EACH_FILE, whole
from everview.sql.write.door import local_names

_CERTAIN = ("removed", "overflowed")  # deltas that alone say that a group must be recomputed


def change_groups(work: Work, steps: GroupsSteps) -> Replaced:
    """Stage the change table, look for groups that the changes cannot tell, and apply it."""
    apply = steps.stage.apply
    with work.during(steps.stage.name):
        columns = apply.changes.columns
        touched = stage_by_key(work, steps.stage.changes, columns, len(apply.view.keys))
    if not touched.staged.rows:
        return Replaced()
    first = steps.write if steps.find is None else steps.find
    with work.during(first.name):
        located = locate_groups(work, touched)
        change = None
        if isinstance(located, Located):
            merge = partial(change_of_groups, apply, touched, located)
            change = work.actions.timed("merge", merge)
    if change is not None and isinstance(located, Located):
        with work.during(steps.write.name):
            return replace_by_driver(work, located.found(change))
    work = work.holding(CHANGES, touched.staged).reading(touched.files)
    if isinstance(located, Located):
        work = work.reading_rows(located.rows)
    recompute = _certain(apply, touched.staged)
    if steps.find is not None:
        with work.during(steps.find.name):
            lost = find_lost(work, apply, touched.staged)
        if lost is not None and lost.rows:
            work, recompute = work.holding(LOST, lost), apply.fetched()
    lines = apply.lines(recompute)
    with work.during(steps.write.name):
        if isinstance(located, Located):
            made = reduce(DataFrame.unionAll, (_query(work, line) for line in lines))
            table = work.actions.submit("merge", made.toArrow)
            return replace_by_driver(work, located.found(change_of_lines(located, table)))
        return replace(replace_groups(work, lines, touched), how=located)


def find_lost(work: Work, apply: ApplyKeyed, staged: Staged) -> Staged | None:
    """The keys of groups that lost their extreme; None if no deletion can have taken one."""
    lost_keys = apply.lost()
    if lost_keys is None or not _any(staged, apply, ("deleted_copies", *_CERTAIN)):
        return None
    names = local_names(apply.fetched().columns)
    return work.staged(lost_keys, names, "lost")


def replace_groups(work: Work, lines: tuple[Rel, ...], touched: TouchedKeys) -> Replaced:
    """Write the touched files anew, each row in its file, new keys in a file of their own.

    A change that is not small is joined as Spark sees fit, and the rows are clustered again.
    """
    stored = work.facts.stored
    if touched.staged.is_small:
        with work.engine.settings(EACH_FILE, stored.record.settings):
            frames = [_query(work, lines[0])]
            frames += [_query(work, line).coalesce(1) for line in lines[1:]]
            return _write(work, _packed(work, frames), touched)
    with work.engine.settings(whole(stored.snapshot.bytes), stored.record.settings):
        frames = [_query(work, line) for line in lines]
        return _write(work, clustered(_packed(work, frames), stored.record), touched)


def _query(work: Work, lines: Rel) -> DataFrame:
    return work.query(lines, (PART, ACTION, *work.facts.stored.record.layout.stored.names))


def _packed(work: Work, frames: list[DataFrame]) -> DataFrame:
    stored = work.facts.stored.record.layout.stored
    return packed(reduce(DataFrame.unionAll, frames), stored, PART, ACTION)


def _write(work: Work, lines: DataFrame, touched: TouchedKeys) -> Replaced:
    written = write_lines(lines, work.table, work.token, work.actions)
    check_counts(written, touched.files, work.facts.view)
    return Replaced(written, touched.files, with_changes=True)


def _certain(apply: ApplyKeyed, staged: Staged) -> Rel | None:
    """The groups to recompute that need no look at the stored rows, if there are any now."""
    if apply.always or _any(staged, apply, _CERTAIN):
        return apply.certain()
    return None


def _any(staged: Staged, apply: ApplyKeyed, functions: tuple[str, ...]) -> bool:
    """Whether some group has deletions of this kind, told from the staged files' bounds."""
    columns = [c for c, a in apply.view.work_deltas() if a.function in functions]
    return any((staged.most(name) or 0) > 0 for name in local_names(tuple(columns)))
