"""Cards of what a warehouse holds: views, tables, and the warehouse itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from everview.algebra.types import is_nested, type_of
from everview.cards.card import Badge, Markup, card, folded, table
from everview.facts.receipt_text import versions_text
from everview.facts.schema import Schema
from everview.facts.self_maintenance import UNKNOWN, SelfMaintenance, self_maintenance_rows
from everview.facts.tables import CommitInfo, Snapshot
from everview.facts.wording import ago, counted, size_text

if TYPE_CHECKING:
    from everview.views.status import Status

MOST_SHOWN = 30


def status_card(status: Status, row: tuple[str, ...], parts: Sequence[Markup] = ()) -> str:
    """One view; `row` are its cells in the status table."""
    _, fresh, behind, policy, last, readable = row
    rows = (
        ("about", status.comment),
        ("fresh as of", fresh),
        ("error" if status.error else "behind", behind if behind != "-" else "nothing"),
        ("what to do", status.error["remedy"] if status.error else ""),
        ("exact at", versions_text({}, status.exact_at)),
        ("kept", status.kept),
        ("policy", policy),
        ("last refresh", last),
        ("readable by others", readable),
    )
    lead = "" if status.rows is None else counted(status.rows, "row")
    return card(status.view, _badge(status), rows, parts, lead)


def _badge(status: Status) -> Badge:
    if status.error:
        return Badge("error", "bad")
    if status.next_full:
        return Badge("full at next refresh", "slow")
    if status.clock:
        return Badge("depends on the clock", "slow")
    if status.is_up_to_date:
        return Badge("up to date", "good")
    commits = sum(n or 0 for n in status.behind.values())
    return Badge(f"{counted(commits, 'commit')} behind", "slow")


def definition_parts(sql: str, columns: Schema) -> tuple[Markup, ...]:
    """The columns and the text of a view."""
    return _columns(columns), folded("definition", sql.strip("\n"))


def self_maintenance_part(found: SelfMaintenance | None) -> Markup:
    """Which sources are read besides the changes, by the source that changed and how."""
    if found is None:
        return table((), (), f"sources read besides the changes: {UNKNOWN}")
    head, *lines = self_maintenance_rows(found)
    return table(head, lines, "sources read besides the changes")


def _columns(columns: Schema) -> Markup:
    return table(
        ("column", "type"),
        [(f.name, _type(f.type)) for f in columns.fields[:MOST_SHOWN]],
        _more(len(columns.fields), "column"),
    )


def _type(type_: str) -> str:
    """A nested type's JSON says more than fits a cell."""
    return "nested" if is_nested(type_of(type_)) else type_


def _more(number: int, word: str) -> str:
    return f"the first {MOST_SHOWN} of {counted(number, word)}" if number > MOST_SHOWN else ""


def table_card(
    name: str, kind: str, snapshot: Snapshot, commits: Sequence[CommitInfo], now_ms: int
) -> str:
    """One table: its size, columns and latest commits."""
    rows = (
        ("version", f"{snapshot.version}"),
        ("size", f"{size_text(snapshot.bytes)} in {counted(len(snapshot.files), 'file')}"),
        ("partitioned by", ", ".join(snapshot.partition_by)),
        ("where", snapshot.uri),
    )
    latest = table(
        ("version", "when", "operation", "rows"),
        [(f"{c.version}", ago(c.timestamp, now_ms), *_commit(c)) for c in commits],
    )
    lead = "" if snapshot.rows is None else counted(snapshot.rows, "row")
    parts = (_columns(snapshot.schema), latest) if commits else (_columns(snapshot.schema),)
    return card(name, Badge(kind, "idle"), rows, parts, lead)


_DONE = {"insert": "inserted", "update": "updated", "delete": "deleted"}


def _commit(commit: CommitInfo) -> tuple[str, str]:
    counts = dict(commit.metadata.get("rows", {}))
    said = ", ".join(f"{n:,} {_DONE.get(word, word)}" for word, n in counts.items() if n)
    return str(commit.metadata.get("operation", commit.operation)).lower(), said


def warehouse_card(
    path: str, views: Sequence[tuple[str, ...]], tables: Sequence[tuple[str, ...]]
) -> str:
    """The views as a status table (header first) and the tables: name, kind, version, rows."""
    parts = []
    if len(views) > 1:
        parts.append(table(views[0], views[1 : MOST_SHOWN + 1], _more(len(views) - 1, "view")))
    if tables:
        head = ("table", "kind", "version", "rows", "size")
        parts.append(table(head, tables[:MOST_SHOWN], _more(len(tables), "table")))
    held = f"{counted(len(tables), 'table')}, {counted(max(0, len(views) - 1), 'view')}"
    return card("warehouse", None, (("where", path),), parts, held)


def plain_card(title: str, badge: str, text: str) -> str:
    """A card for what cannot be shown, and why."""
    return card(title, Badge(badge, "bad"), (("", text),))
