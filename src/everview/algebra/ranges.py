"""Ranges in which the values of a column lie."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` to `high`, both included; or NULL, if `null`."""

    low: Any
    high: Any
    null: bool = False

    def holds(self, value: Any) -> bool:
        return self.null if value is None else bool(self.low <= value <= self.high)

    def hull(self, other: Range) -> Range:
        """The smallest range around both."""
        return Range(min(self.low, other.low), max(self.high, other.high), self.null or other.null)

    def cut(self, other: Range) -> Range:
        """The values in both; an empty range ends before it begins."""
        return Range(max(self.low, other.low), min(self.high, other.high), self.null and other.null)

    def without_null(self) -> Range:
        return replace(self, null=False)

    def __str__(self) -> str:
        values = str(self.low) if self.low == self.high else f"{self.low} to {self.high}"
        return f"{values} or NULL" if self.null else values
