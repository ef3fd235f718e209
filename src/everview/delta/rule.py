"""Where the rule stands by which the changes of an operator come about."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeltaRule:
    """The file that has a rule, and its number in print, "" for none."""

    file: str
    printed: str = ""

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.printed, self.file)))
