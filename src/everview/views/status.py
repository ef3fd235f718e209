"""How fresh a view is, how far behind, and how it was refreshed last: a value, lines, a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, assert_never

from everview.facts.methods import Way, stored_method
from everview.facts.readers import EVERYTHING, Readers
from everview.facts.refreshes import StoredFacts
from everview.facts.self_maintenance import SelfMaintenance
from everview.facts.views import HIDDEN, Layout, LayoutKind, ViewRecord
from everview.facts.when import OnDemand
from everview.facts.wording import ago, counted, seconds_text
from everview.lake.catalog import Entry
from everview.views.outlook import Outlook
from everview.views.schedules import schedule_text
from everview.views.status_card import status_card

HEADER = ("view", "fresh as of", "behind", "policy", "last refresh", "readable by others")


@dataclass(frozen=True, slots=True)
class Status:
    """How things stand with one view.

    Times are milliseconds since the epoch. `fresh_as_of` is the last commit in which a refresh
    published or checked the view, `asked_at` when this was asked. `last_refresh` is the receipt of
    the last refresh that published rows. `behind` is None for a source whose commits cannot be
    counted: it is another table now, say. `next_full` says why the next refresh must be full, and
    `clock` which expression makes the rows depend on when they are computed: such a view is never
    up to date. `rows` is how many a reader sees; of a view with LIMIT more are stored. `error`
    says why the view cannot be refreshed or followed: code, title, what, where, remedy; what else
    is known is then as of the last refresh. `behind_since` is when the oldest commit was made that
    the view, or a view below it, has not seen. `readers` says what a reader of its folder must
    know. `schedule` says when it is refreshed. `failing` says that the refreshes of a scheduler
    fail: `tries` since one went well, `at` the last, `next_try`, and its `error`. `beside` says
    for each source and kind of change which sources a refresh reads besides that change; None of a
    view that an earlier version built.
    """

    view: str
    policy: str
    comment: str
    exact_at: Mapping[str, int]
    behind: Mapping[str, int | None]  # source -> commits not yet seen
    rows: int | None
    kept: str  # how it is maintained, or why only in full
    last_refresh: Mapping[str, Any] | None
    readable_by_others: bool = True
    readable_reason: str = ""
    fresh_as_of: int | None = None
    asked_at: int = 0
    next_full: str = ""
    error: Mapping[str, Any] | None = None
    clock: str = ""
    behind_since: int | None = None
    readers: Readers = EVERYTHING
    schedule: str = str(OnDemand())
    failing: Mapping[str, Any] | None = None
    beside: SelfMaintenance | None = None

    @property
    def is_behind(self) -> bool:
        """Whether a source has commits that the view has not seen, or that nobody can count, or
        the clock moves it.
        """
        return any(commits != 0 for commits in self.behind.values()) or bool(self.clock)

    @property
    def is_up_to_date(self) -> bool:
        """Whether a refresh has nothing to do, and nothing keeps one from being done."""
        return not (self.is_behind or self.next_full or self.error)

    def is_older_than(self, milliseconds: int) -> bool:
        """Whether what the view shows is older: it lacks a commit that was made before then."""
        return self.behind_since is not None and self.asked_at - self.behind_since > milliseconds

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "readable_by": str(self.readers)}

    def __str__(self) -> str:
        _, fresh, behind, policy, last, readable = status_row(self, self.asked_at)
        rows = "" if self.rows is None else counted(self.rows, "row")
        late = "up to date" if self.is_up_to_date else f"behind: {behind}"
        late = behind if self.error else late
        shared = f"readable by others: {readable}"
        parts = (self.view, rows, f"fresh as of {fresh}", late, policy, last, shared)
        return " · ".join(filter(None, parts))

    def _repr_html_(self) -> str:
        return status_card(self, status_row(self, self.asked_at))


def status_table(statuses: Sequence[Status], now_ms: int) -> list[tuple[str, ...]]:
    """The header, then one row of texts per view."""
    return [HEADER, *(status_row(s, now_ms) for s in statuses)]


def status_row(status: Status, now_ms: int) -> tuple[str, ...]:
    """The cells of a view in the order of HEADER."""
    fresh = "never" if status.fresh_as_of is None else ago(status.fresh_as_of, now_ms)
    return (
        status.view,
        fresh,
        _behind(status),
        _how_and_when(status),
        _last(status.last_refresh, fresh, now_ms),
        _readable(status),
    )


def _how_and_when(status: Status) -> str:
    """The policy, and when it is refreshed unless that is on demand."""
    on_demand = status.schedule == str(OnDemand())
    return status.policy if on_demand else f"{status.policy}, {status.schedule}"


def _behind(status: Status) -> str:
    if status.error:
        return f"{status.error['code']}: {status.error['what']}"
    late = ", ".join(f"{n} +{counted(v, 'commit')}" for n, v in status.behind.items() if v)
    clock = f"depends on the clock: {status.clock}" if status.clock else ""
    why = f"next refresh in full: {status.next_full}" if status.next_full else ""
    failing = _failing(status.failing) if status.failing else ""
    return "; ".join(filter(None, (late, clock, why, failing))) or "-"


def _failing(told: Mapping[str, Any]) -> str:
    error, tries = told["error"], told["tries"]
    times = "once" if tries == 1 else f"{tries:,} times"
    return f"failed {times}: {error['code']}: {str(error['what']).splitlines()[0]}"


def _last(receipt: Mapping[str, Any] | None, fresh: str, now_ms: int) -> str:
    """How the last refresh was done, why if it was full, and when if that is not said already."""
    if receipt is None:
        return "-"
    way = stored_method(receipt).way
    took = seconds_text(sum(receipt["seconds"].values()))
    when = ago(receipt["timestamp"], now_ms) if "timestamp" in receipt else fresh
    at = "" if when == fresh else f" {when}"
    why = f": {receipt['reason']}" if way is Way.FULL and receipt["reason"] else ""
    return f"{way.word} {took}{at}{why}"


def _readable(status: Status) -> str:
    said, mark = ("yes", ",") if status.readable_by_others else ("no", ":")
    return f"{said}{mark} {status.readable_reason}" if status.readable_reason else said


def status_of(
    entry: Entry,
    stored: StoredFacts,
    ahead: Outlook,
    receipts: Sequence[Mapping[str, Any]],
    now_ms: int,
) -> Status:
    """The status that what is stored, the next refresh and the receipts, newest first, give; how
    the view is kept is as it was recorded.
    """
    published = [r for r in receipts if not stored_method(r).way.is_skipped]
    tail, rows = stored.record.layout.tail, stored.seen_rows
    return Status(
        view=entry.name,
        policy=entry.policy,
        comment=entry.comment,
        exact_at=dict(stored.watermark),
        behind=dict(ahead.behind),
        rows=rows if tail is None or rows is None else tail.left(rows),
        kept=recorded_as(stored.record),
        last_refresh=published[0] if published else None,
        readable_by_others=tail is None,
        readable_reason=_readable_reason(stored, stored.snapshot.rows),
        readers=stored.readers,
        fresh_as_of=receipts[0]["timestamp"] if receipts else None,
        asked_at=now_ms,
        next_full=ahead.next_full,
        error=None if ahead.error is None else ahead.error.to_dict(),
        clock="" if stored.record.moment is None else str(stored.record.moment),
        schedule=schedule_text(entry),
        beside=stored.record.beside,
    )


def _readable_reason(stored: StoredFacts, rows: int | None) -> str:
    """What a reader of the folder finds there that the view does not show, and must know."""
    layout = stored.record.layout
    if layout.tail is not None:
        held = "more rows" if rows is None else counted(rows, "row")
        return f"its folder holds {held}, {layout.tail} is applied on read"
    hidden = any(n.startswith(HIDDEN) for n in layout.stored.names)
    more = f"with a column {HIDDEN} beside its own" if hidden else ""
    must = "" if stored.readers.is_everything else str(stored.readers)
    return "; ".join(filter(None, (more, must)))


def recorded_as(record: ViewRecord) -> str:
    """How the view is maintained by its record alone: what was written there when it was created,
    or, of a view older than that, what its layout tells.
    """
    if record.kept:
        return record.kept
    if record.full_only:
        return f"recomputed in full: {record.full_only}"
    public = [name for name in record.layout.key if not name.startswith(HIDDEN)]
    hidden = len(record.layout.key) - len(public)
    key = ", ".join([*public, *([counted(hidden, "hidden key")] if hidden else [])])
    return f"incremental, {_laid_out(record.layout.kind, key)}{read_with(record.layout)}"


def read_with(layout: Layout) -> str:
    return "" if layout.tail is None else f"; read with {layout.tail}"


def _laid_out(kind: LayoutKind, key: str) -> str:
    match kind:
        case LayoutKind.KEYED:
            return f"keyed by {key}" if key else "one row"
        case LayoutKind.GROUPED:
            return f"rows by {key or 'key'}"
        case LayoutKind.BAG:
            return "a bag of rows"
        case LayoutKind.ROWS:
            return "rows"
        case _:
            assert_never(kind)
