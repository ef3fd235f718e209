"""The one commit that publishes a refresh: rows, hidden values, watermark and token together."""

from __future__ import annotations

from everview.facts.tables import Commit
from everview.facts.watermarks import SELF, source_app
from everview.run.work import Work


def publish(work: Work) -> int:
    """Commit on top of the version that was planned on; nothing is visible before."""
    commit = _commit(work)
    if commit is None:
        return work.facts.stored.snapshot.version
    return work.actions.timed("commit", lambda: work.table.commit(commit))


def _commit(work: Work) -> Commit | None:
    """The commit, None if only the watermark would move and it need not yet."""
    base = work.facts.stored.snapshot.version
    written = work.written
    transactions = tuple((source_app(s.id), s.new) for s in work.facts.sources)
    if written is None and not _watermark_is_old(work):
        return None
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
    )


_MOST_VERSIONS = 10
_MOST_MILLISECONDS = 24 * 3600 * 1000


def _watermark_is_old(work: Work) -> bool:
    """Whether the recorded watermark lags so far that log cleanup could outrun it."""
    stored = work.facts.stored
    behind = max(
        (s.new - stored.watermark.get(s.name, s.new) for s in work.facts.sources), default=0
    )
    return behind >= _MOST_VERSIONS or work.now - stored.moved_at > _MOST_MILLISECONDS
