"""What one operator of a definition hands up when a table below it changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from everview.delta.rule import DeltaRule

# Nothing: it never changes. Rows: those that come and go. A change table: by how much each work
# area of a group moves. Keys: whose rows are then computed anew.
HandsUp = Literal["nothing", "rows", "change table", "keys"]

# How a work area is updated: by adding what the change table says, by the better of two extremes
# with the number of its copies, or not at all: the function is computed anew for touched groups.
HowUpdated = Literal["+", "least", "greatest", "computed anew"]


@dataclass(frozen=True, slots=True)
class UpdatedColumn:
    """A work area: the column whose value it keeps, and how the value is updated."""

    column: str
    update: HowUpdated

    def __str__(self) -> str:
        return f"{self.column} ({self.update})"


COUNT = UpdatedColumn("count", "+")  # of the rows of a group, with every change table


@dataclass(frozen=True, slots=True)
class Derived:
    """An operator, what it hands up, its key and work areas, and the rule; `singular` says why no
    change table gets past it, of an operator at which one ends.
    """

    operator: str
    hands_up: HandsUp
    rule: DeltaRule | None = None
    key: tuple[str, ...] = ()
    areas: tuple[UpdatedColumn, ...] = ()
    singular: str = ""
    inputs: tuple[Derived, ...] = ()

    def __str__(self) -> str:
        """`change table by city of count (+), total (+): Gupta & Mumick, table 4, row 6`"""
        by = f" by {', '.join(self.key)}" if self.key else ""
        by = by or (" of one row" if self.hands_up == "change table" else "")
        of = f" of {', '.join(map(str, self.areas))}" if self.areas else ""
        rule = f": {self.rule}" if self.rule is not None else ""
        ends = f"; no change table gets past it: {self.singular}" if self.singular else ""
        return f"{self.hands_up}{by}{of}{rule}{ends}"
