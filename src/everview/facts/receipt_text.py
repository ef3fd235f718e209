"""Receipts and verifications for people: lines of text, and notebook cards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, assert_never

from everview.cards.card import Badge, Bar, Markup, Tone, bars, card, code, table
from everview.facts.methods import Way
from everview.facts.wording import aligned, counted, seconds_text, size_text

if TYPE_CHECKING:
    from everview.facts.receipts import Outcome, Read, Receipt, Verification

_VERDICTS: dict[Outcome, Tone] = {
    "exact": "good",
    "consistent": "good",
    "wrong": "bad",
    "not comparable": "idle",
}


def tone(way: Way) -> Tone:
    """The colour of the badge that names the way."""
    match way:
        case Way.INCREMENTAL:
            return "good"
        case Way.FULL:
            return "slow"
        case Way.SKIPPED | Way.ALREADY_DONE | Way.MOVED:
            return "idle"
        case _:
            assert_never(way)


# Receipts


def receipt_text(receipt: Receipt) -> str:
    """The line of the refresh, its reason, and the lines of the views below."""
    lines = receipt_lines((receipt,))
    reason = _reason(receipt)
    lines += [f"  {reason}"] if reason else []
    return "\n".join([*lines, *(f"  first {line}" for line in receipt_lines(receipt.below))])


def receipt_lines(receipts: Sequence[Receipt]) -> list[str]:
    """One line per receipt, their columns below each other."""
    cells = [_cells(r) for r in receipts]
    return aligned(cells) if cells else []


def _cells(receipt: Receipt) -> tuple[str, ...]:
    way = receipt.way
    if way.is_skipped:
        return receipt.view, way.word, "", way.why_skipped, "", ""
    return (
        receipt.view,
        way.word,
        seconds_text(receipt.total_seconds),
        changed_text(receipt),
        f"read {read_text(receipt.read)}" if receipt.read else "",
        _recompute(receipt),
    )


def changed_text(receipt: Receipt) -> str:
    """`31 of 200 rows changed`, with how many are new or gone if any are; those that are gone
    count among the 200. Of a full refresh that was compared, how many differ.
    """
    if receipt.is_full and not receipt.compared:
        return f"{counted(receipt.rows_inserted, 'row')} written"
    kinds = (
        (receipt.rows_inserted, "new"),
        (receipt.rows_updated, "updated"),
        (receipt.rows_deleted, "gone"),
    )
    number = sum(n for n, _ in kinds)
    known = (receipt.rows or 0) + receipt.rows_deleted
    of = f" of {known:,}" if receipt.rows is not None and known else ""
    changed = "differ" if receipt.is_full else "changed"
    if not number:
        return f"none{of} rows {changed}" if of else f"no rows {changed}"
    said = ", ".join(f"{n:,} {word}" for n, word in kinds if n)
    only_updates = number == receipt.rows_updated
    rows = "row" if not of and number == 1 else "rows"
    return f"{number:,}{of} {rows} {changed}{'' if only_updates else f' ({said})'}"


def read_text(read: Mapping[str, Read]) -> str:
    """`10,055 changes + 1,000 stores rows`: changes of all sources, then the rows of each."""
    parts = []
    if read and all(r.changes is not None for r in read.values()):
        changes = sum(r.changes or 0 for r in read.values())
        parts += [counted(changes, "change")] if changes else []
    for name, r in read.items():
        if r.rows is None or r.changes is None:
            parts.append(f"{size_text(r.bytes)} of {name}")
        elif r.rows > r.changes:
            parts.append(f"{r.rows - r.changes:,} {name} rows")
    return " + ".join(parts) or "nothing"


def versions_text(before: Mapping[str, int], after: Mapping[str, int]) -> str:
    """`sales v41 -> v44, stores v7`."""
    parts = []
    for name, version in after.items():
        old = before.get(name)
        moved = f"v{old} -> v{version}" if old is not None and old != version else f"v{version}"
        parts.append(f"{name} {moved}")
    return ", ".join(parts)


def shared_text(receipt: Receipt) -> str:
    """`changes of sales once for by_store, by_item`; of the view that came second, `changes of
    sales from the refresh of by_store`.
    """
    made: dict[str, list[str]] = {}
    taken: dict[str, list[str]] = {}
    for rows in receipt.shared:
        if rows.by == receipt.view:
            made.setdefault(rows.what, [receipt.view]).extend(rows.views)
        else:
            taken.setdefault(rows.what, []).append(rows.by)
    said = [f"{what} once for {_each(views)}" for what, views in made.items()]
    said += [f"{what} from the refresh of {_each(views)}" for what, views in taken.items()]
    return ", ".join(said)


def _each(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _recompute(receipt: Receipt) -> str:
    known = receipt.recompute_seconds
    return "" if known is None else f"(recompute: {seconds_text(known)})"


def _reason(receipt: Receipt) -> str:
    """Why it was done this way, what was estimated, and the versions it is exact at."""
    if receipt.way.is_skipped and receipt.watermark_before == receipt.watermark_after:
        return ""
    why = receipt.reason if receipt.reason != receipt.way.why_skipped else ""
    exact = versions_text(receipt.watermark_before, receipt.watermark_after)
    how = "" if receipt.replaced is None else str(receipt.replaced)
    after = "" if receipt.compacted is None else str(receipt.compacted)
    shared = shared_text(receipt)
    parts = (why + _estimated(receipt), shared, how, after, f"exact at {exact}" if exact else "")
    return " · ".join(filter(None, parts))


def _estimated(receipt: Receipt) -> str:
    """The two estimates that were compared, where two were."""
    known = {k: e.get("seconds") for k, e in receipt.estimates.items()}
    own = known.pop(receipt.method.name, None)
    if own is None or len(known) != 1:
        return ""
    (other,) = known.values()
    way = Way.INCREMENTAL if receipt.is_full else Way.FULL  # one is weighed against the other
    return f" (estimated {seconds_text(own)}, {way.word} {seconds_text(other)})"


def receipt_card(receipt: Receipt) -> str:
    badge = Badge(receipt.method.name, tone(receipt.way))
    is_skipped = receipt.way.is_skipped
    steps = " · ".join(f"{name} {seconds_text(s)}" for name, s in receipt.seconds.items())
    rows = (
        ("why", f"{receipt.reason or receipt.way.why_skipped}{_estimated(receipt)}"),
        ("read", "" if is_skipped else read_text(receipt.read)),
        ("shared", shared_text(receipt)),
        ("stored rows", _replaced(receipt)),
        ("steps", steps),
        ("exact at", versions_text(receipt.watermark_before, receipt.watermark_after)),
    )
    parts = _against_recompute(receipt)
    if receipt.below:
        head = ("first", "how", "took", "rows", "read", "")
        parts.append(table(head, [_cells(r) for r in receipt.below]))
    took = f"{changed_text(receipt)} in {seconds_text(receipt.total_seconds)}"
    return card(receipt.view, badge, rows, parts, "" if is_skipped else took)


def _replaced(receipt: Receipt) -> str:
    said = [f"{how}: {how.reason}" for how in (receipt.replaced, receipt.compacted) if how]
    return "; ".join(said)


def _against_recompute(receipt: Receipt) -> list[Markup]:
    """The seconds taken beside those of the last full refresh."""
    full = receipt.recompute_seconds
    if full is None or receipt.way is not Way.INCREMENTAL:
        return []
    own = receipt.total_seconds
    most = max(own, full, 1e-9)
    return [
        bars(
            (
                Bar("this refresh", seconds_text(own), own / most, "good"),
                Bar("last recompute", seconds_text(full), full / most, "slow"),
            )
        )
    ]


# Verifications


def verification_text(found: Verification) -> str:
    """One line if it is exact; else what was compared, what differs, and what to do."""
    at = versions_text({}, found.watermark)
    took = f"  {seconds_text(found.seconds)}" if found.seconds else ""
    if found.outcome == "not comparable":
        return f"{found.view}  {_verdict(found)}  {found.why_not}{took}"
    if found.ok:
        rows = counted(found.rows, "row")
        line = f"{found.view}  {_verdict(found)}  {rows}, recomputed at {at}{took}"
        return "\n".join([line, *_extent(found)])
    lines = [f"{found.view}  {_verdict(found)}  {_differences(found)}, at {at}{took}"]
    lines += [f"  missing     {row}" for row in found.missing_sample]
    lines += [f"  unexpected  {row}" for row in found.unexpected_sample]
    return "\n".join([*lines, *_extent(found), f"  {_remedy(found)}"])


def _verdict(found: Verification) -> str:
    """Exact is said only where every column was compared."""
    match found.outcome:
        case "exact" | "not comparable":
            return found.outcome
        case "wrong":
            return "WRONG"
        case "consistent":
            number = len(found.compared)
            whole = number + len(found.possible) + len(found.left_out)
            return f"consistent: {number:,} of {counted(whole, 'column')} compared"
        case _:
            assert_never(found.outcome)


def _differences(found: Verification) -> str:
    return f"{counted(found.missing, 'row')} missing, {found.unexpected:,} unexpected"


def _extent(found: Verification) -> list[str]:
    """What was compared, where that is not all, and what was not."""
    said = (
        ("compared", found.how),
        (_ORDER, ", ".join(found.possible)),
        ("not compared", ", ".join(found.left_out)),
        (_AS_NOW, ", ".join(found.as_now)),
    )
    return [f"  {title}: {text}" for title, text in said if text]


_ORDER = "order decides, one of the possible answers is stored"
_AS_NOW = "without versions, read as it is now"


def _remedy(found: Verification) -> str:
    return f"wh.view({found.view!r}).refresh(full=True) rebuilds it."


def verification_card(found: Verification) -> str:
    badge = Badge(_verdict(found), _VERDICTS[found.outcome])
    compared = found.how or f"{counted(found.rows, 'row')} stored, both ways, copies counted"
    rows = (
        ("why not", found.why_not),
        ("compared", "" if found.outcome == "not comparable" else compared),
        ("recomputed at", versions_text({}, found.watermark)),
        (_ORDER, ", ".join(found.possible)),
        ("not compared", ", ".join(found.left_out)),
        (_AS_NOW, ", ".join(found.as_now)),
        ("to repair it", "" if found.ok else _remedy(found)),
    )
    samples = [f"- {row}" for row in found.missing_sample]
    samples += [f"+ {row}" for row in found.unexpected_sample]
    title = "- missing from the stored view, + stored but not in the recomputation"
    parts = [code("\n".join(samples), title)] if samples else []
    lead = counted(found.rows, "row") if found.ok else _differences(found)
    took = f" in {seconds_text(found.seconds)}" if found.seconds else ""
    return card(found.view, badge, rows, parts, f"{lead}{took}")
