"""Ranges in which the values of a column lie."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

MOST_VALUES = 100_000


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` to `high`, both included; or NULL, if `null`. Where `values` is given, these alone
    of what lies between; `low` and `high` are None where there are none.
    """

    low: Any
    high: Any
    null: bool = False
    values: frozenset[Any] | None = None

    @staticmethod
    def of_values(values: frozenset[Any], *, null: bool) -> Range:
        """These values and no others, which have one order."""
        low, high = (min(values), max(values)) if values else (None, None)
        return Range(low, high, null, values)

    @property
    def has_no_value(self) -> bool:
        """Whether there is nothing between its ends, NULL at most."""
        return self.values is not None and not self.values

    def holds(self, value: Any) -> bool:
        if value is None:
            return self.null
        if self.values is not None:
            return value in self.values
        return bool(self.low <= value <= self.high)

    def hull(self, other: Range) -> Range:
        """The smallest range around both; their values while they are not too many."""
        null = self.null or other.null
        if self.values is not None and other.values is not None:
            values = self.values | other.values
            if len(values) <= MOST_VALUES:
                return Range.of_values(values, null=null)
        known = [r for r in (self, other) if not r.has_no_value]
        return Range(min(r.low for r in known), max(r.high for r in known), null)

    def cut(self, other: Range) -> Range:
        """The values in both; an empty range of no known values ends before it begins."""
        null = self.null and other.null
        for few, rest in ((self, other), (other, self)):
            if few.values is not None:
                common = _held_by(rest, few, few.values)
                if len(common) == len(few.values):
                    return replace(few, null=null)
                return Range.of_values(common, null=null)
        return Range(max(self.low, other.low), min(self.high, other.high), null)

    def without_null(self) -> Range:
        return replace(self, null=False)

    def __str__(self) -> str:
        if self.has_no_value:
            return "NULL" if self.null else "none"
        values = str(self.low) if self.low == self.high else f"{self.low} to {self.high}"
        return f"{values} or NULL" if self.null else values


def _held_by(rest: Range, few: Range, values: frozenset[Any]) -> frozenset[Any]:
    """Those of the values that lie in another range; they may be many, and it is asked often."""
    if rest.values is not None:
        return values & rest.values
    if not values or (rest.low <= few.low and few.high <= rest.high):
        return values
    return frozenset(v for v in values if rest.low <= v <= rest.high)
