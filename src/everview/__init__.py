"""Everview: materialized views on Apache Spark that stay fresh by propagating what changed."""

from __future__ import annotations

from everview.errors import EverviewError, RefreshFailed
from everview.facts.keys import KeyCheck
from everview.facts.progress import Progress
from everview.facts.receipts import Read, Receipt, Verification
from everview.handles.table import Table
from everview.handles.view import View
from everview.session import open
from everview.settings import Settings
from everview.version import VERSION as __version__
from everview.views.explanation import Explanation
from everview.views.status import Status
from everview.warehouse import Warehouse

__all__ = [
    "EverviewError",
    "Explanation",
    "KeyCheck",
    "Progress",
    "Read",
    "Receipt",
    "RefreshFailed",
    "Settings",
    "Status",
    "Table",
    "Verification",
    "View",
    "Warehouse",
    "__version__",
    "open",
]
