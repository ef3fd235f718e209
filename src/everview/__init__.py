"""Everview: materialized views on Apache Spark that stay fresh by propagating what changed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from everview.version import VERSION as __version__

if TYPE_CHECKING:
    from everview.errors import EverviewError, RefreshFailed, ViewsBehind
    from everview.facts.keys import KeyCheck
    from everview.facts.methods import Method, Variant, Way
    from everview.facts.progress import Progress
    from everview.facts.receipts import Read, Receipt, Verification
    from everview.handles.table import Table
    from everview.handles.view import View
    from everview.scheduler.events import SchedulerStatus
    from everview.scheduler.running import Scheduler
    from everview.session import open
    from everview.settings import Settings
    from everview.views.explanation import Explanation
    from everview.views.status import Status
    from everview.warehouse import Warehouse

__all__ = [
    "EverviewError",
    "Explanation",
    "KeyCheck",
    "Method",
    "Progress",
    "Read",
    "Receipt",
    "RefreshFailed",
    "Scheduler",
    "SchedulerStatus",
    "Settings",
    "Status",
    "Table",
    "Variant",
    "Verification",
    "View",
    "ViewsBehind",
    "Warehouse",
    "Way",
    "__version__",
    "open",
]

# Where the public names are: each is loaded when it is first asked for, so that what needs
# no Spark does not wait for it.
_HOMES = {
    "EverviewError": "everview.errors",
    "Explanation": "everview.views.explanation",
    "KeyCheck": "everview.facts.keys",
    "Method": "everview.facts.methods",
    "Progress": "everview.facts.progress",
    "Read": "everview.facts.receipts",
    "Receipt": "everview.facts.receipts",
    "RefreshFailed": "everview.errors",
    "Scheduler": "everview.scheduler.running",
    "SchedulerStatus": "everview.scheduler.events",
    "Settings": "everview.settings",
    "Status": "everview.views.status",
    "Table": "everview.handles.table",
    "Variant": "everview.facts.methods",
    "Verification": "everview.facts.receipts",
    "View": "everview.handles.view",
    "ViewsBehind": "everview.errors",
    "Warehouse": "everview.warehouse",
    "Way": "everview.facts.methods",
    "open": "everview.session",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
