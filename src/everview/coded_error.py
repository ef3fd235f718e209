"""An error with a code: what happened, where, and what to do instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a SQL text: 1-based line and column, and how many characters it covers."""

    line: int
    column: int
    length: int
    source_line: str

    def __str__(self) -> str:
        caret = " " * (self.column - 1) + "^" * max(1, self.length)
        return f"line {self.line}, column {self.column}:\n      {self.source_line}\n      {caret}"


class EverviewError(Exception):
    """The root of all errors raised on purpose; one subclass per kind, each with its own code."""

    code: ClassVar[str] = "EV-0000"
    title: ClassVar[str] = "error"

    def __init__(self, what: str, *, where: Place | str | None = None, remedy: str = "") -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(self._text())

    def _text(self) -> str:
        lines = [f"{self.code}  {self.title}"]
        if self.where is not None:
            lines.append(f"  {self.where}")
        lines.append(f"  {self.what}")
        if self.remedy:
            lines.append(f"  {self.remedy}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, object]:
        return {
            "code": self.code,
            "title": self.title,
            "what": self.what,
            "where": None if self.where is None else str(self.where),
            "remedy": self.remedy,
        }
