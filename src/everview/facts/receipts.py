"""What a refresh did, and what a verification found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of one source: rows (None if the log does not say) and bytes of its files."""

    rows: int | None
    bytes: int

    def __add__(self, other: Read) -> Read:
        unknown = self.rows is None or other.rows is None
        rows = None if unknown else (self.rows or 0) + (other.rows or 0)
        return Read(rows, self.bytes + other.bytes)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one refresh did and why.

    `strategy` begins with skipped, incremental or full; a variant may follow. `seconds` are per
    step. `below` are the receipts of the views that were refreshed first.
    """

    view: str
    strategy: str
    reason: str
    watermark_before: Mapping[str, int]
    watermark_after: Mapping[str, int]
    rows_inserted: int = 0
    rows_updated: int = 0
    rows_deleted: int = 0
    read: Mapping[str, Read] = field(default_factory=dict)
    actions: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)
    estimates: Mapping[str, Any] = field(default_factory=dict)
    below: tuple[Receipt, ...] = ()

    @property
    def total_seconds(self) -> float:
        return sum(self.seconds.values())

    @property
    def changed(self) -> bool:
        return bool(self.rows_inserted or self.rows_updated or self.rows_deleted)

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "below": [r.to_dict() for r in self.below]}

    @staticmethod
    def from_dict(raw: Mapping[str, Any]) -> Receipt:
        read = {name: Read(**r) for name, r in raw["read"].items()}
        below = tuple(Receipt.from_dict(r) for r in raw["below"])
        return Receipt(**{**raw, "read": read, "below": below})

    def __str__(self) -> str:
        lines = [self._line()]
        if self.reason:
            lines.append(f"  {self.reason}")
        if self.read:
            lines.append(f"  read {_reads(self.read)}")
        if self.watermark_after:
            lines.append(f"  exact at {_versions(self.watermark_before, self.watermark_after)}")
        lines += [f"  first {line}" for r in self.below for line in str(r).splitlines()[:1]]
        return "\n".join(lines)

    def _line(self) -> str:
        if self.strategy.startswith("skipped"):
            return f"{self.view}  {self.strategy}"
        counts = f"+{self.rows_inserted:,} ~{self.rows_updated:,} -{self.rows_deleted:,} rows"
        if self.strategy.startswith("full"):
            counts = f"{self.rows_inserted:,} rows written"
        work = f"{self.actions} action{'' if self.actions == 1 else 's'}"
        return f"{self.view}  {self.strategy}  {self.total_seconds:.1f} s  {counts}  {work}"


@dataclass(frozen=True, slots=True)
class Verification:
    """The stored view against its recomputation at the same versions, both ways, as counted
    bags.
    """

    view: str
    ok: bool
    rows: int
    missing: int  # rows of the recomputation that are not stored, copies counted
    unexpected: int  # stored rows that the recomputation does not give
    missing_sample: tuple[str, ...]
    unexpected_sample: tuple[str, ...]
    watermark: Mapping[str, int]
    left_out: tuple[str, ...] = ()
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        at = ", ".join(f"{n} v{v}" for n, v in self.watermark.items())
        if self.ok:
            return f"{self.view}  exact  {self.rows:,} rows, recomputed at {at}"
        lines = [
            f"{self.view}  WRONG  {self.missing:,} rows missing, {self.unexpected:,} unexpected"
            f", at {at}"
        ]
        lines += [f"  missing     {row}" for row in self.missing_sample]
        lines += [f"  unexpected  {row}" for row in self.unexpected_sample]
        lines.append(f"  wh.view({self.view!r}).refresh(full=True) rebuilds it.")
        return "\n".join(lines)


def size_text(size: int) -> str:
    """Bytes for a person."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} B"


def _reads(read: Mapping[str, Read]) -> str:
    return ", ".join(
        f"{name} {'?' if r.rows is None else f'{r.rows:,}'} rows {size_text(r.bytes)}"
        for name, r in read.items()
    )


def _versions(before: Mapping[str, int], after: Mapping[str, int]) -> str:
    parts = []
    for name, version in after.items():
        old = before.get(name)
        moved = f"v{old} -> v{version}" if old is not None and old != version else f"v{version}"
        parts.append(f"{name} {moved}")
    return ", ".join(parts)
