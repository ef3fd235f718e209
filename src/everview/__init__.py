"""Everview: materialized views on Apache Spark that stay fresh by propagating what changed."""

from __future__ import annotations

from everview.errors import EverviewError
from everview.facts.keys import KeyCheck
from everview.facts.receipts import Read, Receipt, Verification
from everview.handles import Table, View
from everview.session import Warehouse, open
from everview.settings import Settings
from everview.version import VERSION as __version__
from everview.views.explanation import Explanation
from everview.views.status import Status

__all__ = [
    "EverviewError",
    "Explanation",
    "KeyCheck",
    "Read",
    "Receipt",
    "Settings",
    "Status",
    "Table",
    "Verification",
    "View",
    "Warehouse",
    "__version__",
    "open",
]
