"""Read a table that did not change at one snapshot only, so that its reads can be shared."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.relations import At, Rel, Scan
from everview.algebra.walk import inputs, with_inputs


def scan_unchanged(rel: Rel, changed: frozenset[str]) -> Rel:
    """A_old = A_new for a table without changes."""
    if isinstance(rel, Scan) and rel.at is At.OLD and rel.table not in changed:
        return replace(rel, at=At.NEW)
    return with_inputs(rel, tuple(scan_unchanged(i, changed) for i in inputs(rel)))
