"""How fresh a view is, how far behind, and how it was refreshed last: a value, lines, a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, assert_never

from everview.algebra.relations import Project, Rel
from everview.algebra.scalar_notation import scalar_notation
from everview.algebra.scalars import Column
from everview.algebra.walk import inputs
from everview.facts.refreshes import RefreshFacts
from everview.facts.tables import Lost
from everview.facts.views import HIDDEN, Layout, ViewRecord
from everview.facts.wording import ago, counted, seconds_text
from everview.plan.grouped import Grouped
from everview.plan.shape import Bag, FullOnly, Keyed, Shape
from everview.views.status_card import status_card

HEADER = ("view", "fresh as of", "behind", "policy", "last refresh", "readable by others")


@dataclass(frozen=True, slots=True)
class Status:
    """How things stand with one view.

    Times are milliseconds since the epoch. `fresh_as_of` is the last commit in which a refresh
    published or checked the view, `asked_at` when this was asked. `last_refresh` is the receipt of
    the last refresh that published rows. `next_full` says why the next refresh must be full, and
    `clock` which expression makes the rows depend on when they are computed: such a view is never
    up to date. `rows` is how many a reader sees; of a view with LIMIT more are stored. `error`
    says why the view cannot be refreshed or followed: code, title, what, where, remedy; what else
    is known is then as of the last refresh.
    """

    view: str
    policy: str
    comment: str
    exact_at: Mapping[str, int]
    behind: Mapping[str, int]  # source -> commits not yet seen
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

    @property
    def is_behind(self) -> bool:
        """Whether a source has commits that the view has not seen, or the clock moves it."""
        return any(self.behind.values()) or bool(self.clock)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        _, fresh, behind, policy, last, readable = status_row(self, self.asked_at)
        rows = "" if self.rows is None else counted(self.rows, "row")
        late = f"behind: {behind}" if self.is_behind or self.next_full else "up to date"
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
        status.policy,
        _last(status.last_refresh, fresh, now_ms),
        _readable(status),
    )


def _behind(status: Status) -> str:
    if status.error:
        return f"{status.error['code']}: {status.error['what']}"
    late = ", ".join(f"{n} +{counted(v, 'commit')}" for n, v in status.behind.items() if v)
    clock = f"depends on the clock: {status.clock}" if status.clock else ""
    why = f"next refresh in full: {status.next_full}" if status.next_full else ""
    return "; ".join(filter(None, (late, clock, why))) or "-"


def _last(receipt: Mapping[str, Any] | None, fresh: str, now_ms: int) -> str:
    """How the last refresh was done, why if it was full, and when if that is not said already."""
    if receipt is None:
        return "-"
    word = str(receipt["strategy"]).split(":")[0]
    took = seconds_text(sum(receipt["seconds"].values()))
    when = ago(receipt["timestamp"], now_ms) if "timestamp" in receipt else fresh
    at = "" if when == fresh else f" {when}"
    why = f": {receipt['reason']}" if word == "full" and receipt["reason"] else ""
    return f"{word} {took}{at}{why}"


def _readable(status: Status) -> str:
    said, mark = ("yes", ",") if status.readable_by_others else ("no", ":")
    return f"{said}{mark} {status.readable_reason}" if status.readable_reason else said


def status_of(
    facts: RefreshFacts,
    kept: str,
    comment: str,
    receipts: Sequence[Mapping[str, Any]],
    now_ms: int,
) -> Status:
    """The status that the facts and the receipts, newest first, give."""
    stored = facts.stored
    published = [r for r in receipts if not str(r["strategy"]).startswith("skipped")]
    tail, rows = stored.record.layout.tail, stored.snapshot.rows
    return Status(
        view=facts.view,
        policy=facts.policy,
        comment=comment,
        exact_at=dict(stored.watermark),
        behind={s.name: s.new - (s.old or 0) for s in facts.sources},
        rows=rows if tail is None or rows is None else tail.shown(rows),
        kept=kept,
        last_refresh=published[0] if published else None,
        readable_by_others=tail is None,
        readable_reason=_readable_reason(stored.record.layout, rows),
        fresh_as_of=receipts[0]["timestamp"] if receipts else None,
        asked_at=now_ms,
        next_full=_next_full(facts),
        clock="" if stored.record.moment is None else str(stored.record.moment),
    )


def with_moment(facts: RefreshFacts, shape: Shape) -> RefreshFacts:
    """The facts with what makes the view depend on the clock, where only its shape says it."""
    if not isinstance(shape, FullOnly) or shape.moment is None:
        return facts
    record = replace(facts.stored.record, moment=shape.moment)
    return replace(facts, stored=replace(facts.stored, record=record))


def _readable_reason(layout: Layout, rows: int | None) -> str:
    """What a reader of the folder finds there that the view does not show."""
    if layout.tail is not None:
        stored = "more rows" if rows is None else counted(rows, "row")
        return f"its folder holds {stored}, {layout.tail} is applied on read"
    hidden = any(n.startswith(HIDDEN) for n in layout.stored.names)
    return f"with a column {HIDDEN} beside its own" if hidden else ""


def _next_full(facts: RefreshFacts) -> str:
    """Why the stored rows cannot be built on; a view that is always full says so itself, but of
    a source without versions nobody knows whether it changed.
    """
    if facts.stored.record.outside:
        return facts.stored.record.full_only
    if facts.stored.record.full_only or not facts.stored.built:
        return ""
    lost = [f"{s.name}: {s.changes.reason}" for s in facts.sources if isinstance(s.changes, Lost)]
    return facts.stored.distrust or next(iter(lost), "")


def how_kept(shape: Shape) -> str:
    """How the view is maintained, or why only in full."""
    match shape:
        case FullOnly(_, reason, place, _):
            where = f" at line {place.line}, column {place.column}" if place else ""
            return f"recomputed in full: {reason}{where}"
        case Keyed(view, _):
            redone = f"; touched groups are recomputed: {view.reasons[0]}" if view.reasons else ""
            return f"incremental, {stored_as(shape)}{redone}{_read_with(shape.layout)}"
        case Grouped() | Bag():
            return f"incremental, {stored_as(shape)}{_read_with(shape.layout)}"
        case _:
            assert_never(shape)


def recorded_as(record: ViewRecord) -> str:
    """The same from the record alone, for where Spark is not to be asked."""
    if record.full_only:
        return f"recomputed in full: {record.full_only}"
    public = [name for name in record.layout.key if not name.startswith(HIDDEN)]
    hidden = len(record.layout.key) - len(public)
    key = ", ".join([*public, *([counted(hidden, "hidden key")] if hidden else [])])
    how = "rows by" if record.layout.kind == "grouped" else "keyed by"
    kind = f"{how} {key}" if key else _LAYOUTS[record.layout.kind]
    return f"incremental, {kind}{_read_with(record.layout)}"


def _read_with(layout: Layout) -> str:
    return "" if layout.tail is None else f"; read with {layout.tail}"


_LAYOUTS = {"keyed": "one row", "grouped": "rows by key", "bag": "a bag of rows", "rows": "rows"}


def stored_as(shape: Shape) -> str:
    """How the rows are stored, in a few words."""
    match shape:
        case FullOnly():
            return "recomputed in full"
        case Keyed(view, layout):
            keys = _keys(view.input, view.keys, layout)
            return f"keyed by {keys}" if view.keys else "one row"
        case Grouped(view, _, layout):
            return f"rows by {_keys(view.base, view.keys, layout)}"
        case Bag():
            return "a bag of rows"
        case _:
            assert_never(shape)


def _keys(below: Rel, keys: Sequence[Column], layout: Layout) -> str:
    """The keys as the view names them, and those that it does not show as what they are."""
    made = {c.id: s for c, s in below.outputs} if isinstance(below, Project) else {}
    names = {c.id: c.name for i in inputs(below) for c in i.columns}
    said = [scalar_notation(made[key.id], names) if key.id in made else key.name for key in keys]
    pairs = zip(layout.key, said, strict=True)
    return ", ".join(of if name.startswith(HIDDEN) else name for name, of in pairs)
