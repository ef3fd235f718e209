"""Applying a change table to the stored files of a keyed view."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame

from everview.algebra.relations import Project, Rel
from everview.algebra.scalars import Column, Ref
from everview.apply.keyed import CHANGES, LOST, ApplyKeyed
from everview.apply.lines import ACTION, PART
from everview.errors import InvariantViolated
from everview.facts.checks import REMEDY, ROWS_MISCOUNTED
from everview.facts.files import TableFile
from everview.optimize.select import files_with_keys
from everview.program.steps import FindLost, RewriteKeyed
from everview.run.refresh.overwrite import clustered
from everview.run.refresh.work import Work
from everview.run.rows.read import packed
from everview.run.rows.staging import Staged
from everview.run.rows.write import Written, write_lines
from everview.spark.engine import EACH_FILE, whole
from everview.sql.write.door import local_names

_CERTAIN = ("removed", "overflowed")  # deltas that alone say that a group must be recomputed


def stage_keyed(work: Work, changes: Rel, apply: ApplyKeyed) -> Staged:
    """Compute the change table once, under the columns that the plans of the apply step know."""
    pairs = zip(apply.changes.columns, changes.columns, strict=True)
    renamed = Project(changes, tuple((c, Ref(own.id)) for c, own in pairs))
    frame = work.query(renamed, local_names(apply.changes.columns))
    staged = work.staging.stage(frame, "changes", work.actions)
    work.frames.local[CHANGES] = staged
    keys = apply.changes.columns[: len(apply.view.keys)]
    work.frames.stored_files = touched_files(work, staged, keys)
    return staged


def touched_files(work: Work, staged: Staged, columns: tuple[Column, ...]) -> tuple[TableFile, ...]:
    """The stored files whose ranges admit a touched key."""
    files = work.facts.stored.snapshot.files
    if not staged.is_small:
        return files
    names = local_names(columns)
    keys = staged.columns(list(names)) if names else []
    return files_with_keys(files, work.facts.stored.record.layout.key, keys)


def find_lost(work: Work, step: FindLost) -> None:
    """Fetch the keys of groups that lost their extreme, if any deletion could have taken one."""
    assert work.staged is not None
    apply = step.apply
    lost_keys = apply.lost()
    if lost_keys is None or not _any(work.staged, apply, ("deleted_copies", *_CERTAIN)):
        return
    names = local_names(apply.fetched().columns)
    lost = work.staging.stage(work.query(lost_keys, names), "lost", work.actions)
    if lost.rows:
        work.frames.local[LOST] = lost
        work.recompute = apply.fetched()


def rewrite_keyed(work: Work, step: RewriteKeyed) -> None:
    """Write the touched files anew, each row in its file, new keys in a file of their own.

    A change that is not small is joined as Spark sees fit, and the rows are clustered again.
    """
    assert work.staged is not None
    lines = step.apply.lines(work.recompute or _certain(work, step.apply))
    stored = work.facts.stored
    if work.staged.is_small:
        with work.engine.settings(EACH_FILE, stored.record.settings):
            frames = [_query(work, lines[0])]
            frames += [_query(work, line).coalesce(1) for line in lines[1:]]
            _write(work, frames)
        return
    with work.engine.settings(whole(stored.snapshot.bytes), stored.record.settings):
        _write(work, [_query(work, line) for line in lines])


def _query(work: Work, lines: Rel) -> DataFrame:
    return work.query(lines, (PART, ACTION, *work.facts.stored.record.layout.stored.names))


def _write(work: Work, frames: list[DataFrame]) -> None:
    assert work.staged is not None
    record = work.facts.stored.record
    whole = packed(reduce(DataFrame.unionAll, frames), record.layout.stored, PART, ACTION)
    if not work.staged.is_small:
        whole = clustered(whole, record)
    work.written = write_lines(whole, work.table, work.token, work.actions)
    work.removed = work.frames.stored_files
    check_counts(work.written, work.removed, work.facts.view)


def _certain(work: Work, apply: ApplyKeyed) -> Rel | None:
    """The groups to recompute that need no look at the stored rows, if there are any now."""
    assert work.staged is not None
    if apply.view.recomputed or _any(work.staged, apply, _CERTAIN):
        return apply.certain()
    return None


def _any(staged: Staged, apply: ApplyKeyed, functions: tuple[str, ...]) -> bool:
    """Whether some group has deletions of this kind, told from the staged files' bounds."""
    columns = [c for c, a in apply.view.work_deltas() if a.function in functions]
    return any((staged.most(name) or 0) > 0 for name in local_names(tuple(columns)))


def check_counts(written: Written, touched: tuple[TableFile, ...], view: str) -> None:
    """|V'| = |V| + inserted - deleted, over the files that were written anew."""
    changed = written.changed or {}
    before = sum(f.rows or 0 for f in touched)
    expected = before + changed.get("insert", 0) - changed.get("delete", 0)
    if written.count() != expected:
        raise InvariantViolated(
            f"{ROWS_MISCOUNTED.found}: {before} stored rows, {changed} should give {expected} "
            f"rows, not {written.count()}.",
            where=view,
            remedy=REMEDY,
        )
