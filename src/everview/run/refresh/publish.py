"""The one commit that publishes a refresh: rows, hidden values, watermark and token together."""

from __future__ import annotations

from everview.facts.tables import Commit
from everview.facts.watermarks import SELF, source_app
from everview.run.refresh.work import Work


def publish(work: Work) -> int:
    """Commit on top of the version that was planned on; nothing is visible before."""
    commit = _commit(work)
    return work.actions.timed("commit", lambda: work.table.commit(commit))


def _commit(work: Work) -> Commit:
    """The commit; without rows it is of the watermark and the receipt alone, no change for views
    above.
    """
    base = work.facts.stored.snapshot.version
    written = work.written
    transactions = tuple((source_app(s.id), s.new) for s in work.facts.sources)
    has_change_files = bool(written and written.plus + written.minus)
    return Commit(
        base=base,
        operation="REFRESH",
        token=work.token,
        adds=written.rows if written else (),
        removes=work.removed,
        minus=written.minus if written else (),
        plus=written.plus if written else (),
        has_change_files=has_change_files or bool(written and work.removed and work.staged),
        transactions=(*transactions, (SELF, base + 1)),
        metadata={"receipt": work.receipt().to_dict()},
        shape=work.rebuild.shape if work.rebuild is not None else None,
    )
