"""The status of views, some minutes after their last refresh."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from everview.facts.refreshes import RefreshFacts, SourceFacts
from everview.lake.catalog import Entry
from everview.views.outlook import Outlook, why_full
from everview.views.status import Status, status_of
from tests.views.shop import CITY_SALES, SALES, STILL_STORES, facts, shape

NOW = 1_790_000_000_000
MINUTE = 60_000


def receipt(strategy: str, reason: str = "", at: int = NOW - 2 * MINUTE) -> dict[str, Any]:
    seconds = {"changes": 0.4, "write": 0.2}
    return {"strategy": strategy, "reason": reason, "seconds": seconds, "timestamp": at}


def status(*sources: SourceFacts, receipts: tuple[dict[str, Any], ...] = ()) -> Status:
    return told(facts("city_sales", shape(CITY_SALES), *sources), receipts)


def told(given: RefreshFacts, receipts: tuple[dict[str, Any], ...] = ()) -> Status:
    """What status says of these facts, all sources being the tables that the view read."""
    behind = {s.name: s.new - (s.old or 0) for s in given.sources}
    entry = Entry(given.view, "view", "views/1", "for the morning", given.policy)
    return status_of(entry, given.stored, Outlook(behind, why_full(given)), receipts, NOW)


LATE = status(SALES, STILL_STORES, receipts=(receipt("incremental: groups"),))
FULL = replace(
    LATE,
    view="churn",
    behind={"events": 96},
    last_refresh=receipt("full", "rand() at 4:9"),
    readable_by_others=False,
    readable_reason="LIMIT is applied on read",
)
