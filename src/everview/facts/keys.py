"""Whether what was declared of a table holds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class KeyCheck:
    """One declared constraint of a table against its rows at one version."""

    table: str
    version: int
    constraint: str
    ok: bool
    violations: int  # keys that occur twice, rows with NULL, rows that refer to nothing
    sample: str = ""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.ok:
            return f"{self.table}  {self.constraint}  holds at version {self.version}"
        return (
            f"{self.table}  {self.constraint}  VIOLATED  {self.violations:,} times at version "
            f"{self.version}, for example {self.sample}"
        )
