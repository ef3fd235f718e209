"""The one commit that publishes a refresh: rows, hidden values, watermark and token together."""

from __future__ import annotations

from everview.facts.tables import Commit
from everview.facts.watermarks import SELF, source_app
from everview.run.refresh.receipt import receipt_of
from everview.run.refresh.replaced import Replaced
from everview.run.refresh.work import Work


def publish(work: Work, replaced: Replaced) -> int:
    """Commit on top of the version that was planned on; nothing is visible before."""
    commit = _commit(work, replaced)
    return work.actions.timed("commit", lambda: work.table.commit(commit))


def _commit(work: Work, replaced: Replaced) -> Commit:
    """The commit; without rows it is of the watermark and the receipt alone, no change for views
    above.
    """
    base = work.facts.stored.snapshot.version
    transactions = tuple((source_app(s.id), s.new) for s in work.facts.sources)
    return Commit(
        base=base,
        operation="REFRESH",
        token=work.token,
        adds=replaced.written.rows,
        removes=replaced.removed,
        minus=replaced.written.minus,
        plus=replaced.written.plus,
        has_change_files=replaced.has_change_files,
        transactions=(*transactions, (SELF, base + 1)),
        metadata={"receipt": receipt_of(work, replaced).to_dict()},
        marks=replaced.marks,
        shape=work.rebuild.shape if work.rebuild is not None else None,
    )
