"""Changes by key at hand for the steps that apply them."""

from __future__ import annotations

from dataclasses import dataclass

from everview.algebra.relations import Project, Rel
from everview.algebra.scalars import Column, Ref
from everview.errors import InvariantViolated
from everview.facts.checks import REMEDY, ROWS_MISCOUNTED
from everview.facts.files import TableFile
from everview.optimize.select import files_with_keys
from everview.run.refresh.work import Work
from everview.run.rows.staging import Staged
from everview.run.rows.write import Written
from everview.sql.write.door import local_names


@dataclass(frozen=True, slots=True)
class TouchedKeys:
    """Staged changes by key, and the stored files whose ranges admit one of the keys."""

    staged: Staged
    files: tuple[TableFile, ...]


def stage_by_key(work: Work, changes: Rel, columns: tuple[Column, ...], keys: int) -> TouchedKeys:
    """Compute the changes once, under the columns that the plans of the apply step know; the first
    so many are the key.
    """
    pairs = zip(columns, changes.columns, strict=True)
    renamed = Project(changes, tuple((c, Ref(own.id)) for c, own in pairs))
    staged = work.staged(renamed, local_names(columns), "changes")
    return TouchedKeys(staged, _files(work, staged, local_names(columns[:keys])))


def _files(work: Work, staged: Staged, names: tuple[str, ...]) -> tuple[TableFile, ...]:
    files = work.facts.stored.snapshot.files
    if not staged.is_small:
        return files
    keys = staged.columns(list(names)) if names else []
    if keys is None:
        return files
    return files_with_keys(files, work.facts.stored.record.layout.key, keys)


def check_counts(written: Written, touched: tuple[TableFile, ...], view: str) -> None:
    """|V'| = |V| + inserted - deleted, over the files that were written anew."""
    before, gone, come = (_rows(files) for files in (touched, written.minus, written.plus))
    expected = before - gone + come
    if written.count() != expected:
        raise InvariantViolated(
            f"{ROWS_MISCOUNTED.found}: {before} stored rows of which {gone} go, and {come} that "
            f"come, should give {expected} rows, not {written.count()}.",
            where=view,
            remedy=REMEDY,
        )


def _rows(files: tuple[TableFile, ...]) -> int:
    return sum(f.rows or 0 for f in files)
