"""What a refresh did, and what a verification found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from everview.facts.merge_on_read import Replacing
from everview.facts.methods import Method, Variant, Way, stored_method
from everview.facts.pace import Pace
from everview.facts.receipt_text import (
    receipt_card,
    receipt_text,
    verification_card,
    verification_text,
)
from everview.facts.wording import counted


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of one source: rows (None if the log does not say) and bytes of its files.

    `changes` are those of the rows that came from its changes rather than from a snapshot.
    """

    rows: int | None
    bytes: int
    changes: int | None = 0

    def __add__(self, other: Read) -> Read:
        return Read(
            _sum(self.rows, other.rows),
            self.bytes + other.bytes,
            _sum(self.changes, other.changes),
        )


def _sum(one: int | None, two: int | None) -> int | None:
    return None if one is None or two is None else one + two


@dataclass(frozen=True, slots=True)
class Compacted:
    """Files that were written anew after a refresh, as how many, why, at which version, and the
    seconds it took.
    """

    files: int
    into: int
    reason: str
    version: int
    seconds: float

    def __str__(self) -> str:
        return f"compacted {counted(self.files, 'file')} into {self.into:,}"


@dataclass(frozen=True, slots=True)
class SharedRows:
    """Rows that several views needed which were refreshed in one run, fetched or computed once:
    what they are, `by` which view's refresh, and which others needed them.
    """

    what: str
    by: str
    views: tuple[str, ...]

    @staticmethod
    def from_dict(raw: Mapping[str, Any]) -> SharedRows:
        return SharedRows(raw["what"], raw["by"], tuple(raw["views"]))


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one refresh did and why.

    `method` says how, as values; `strategy` is its text, which begins with skipped, incremental or
    full. `seconds` are per step. `below` are the receipts of the views that were refreshed first.
    `rows` is how many are stored afterwards, `recompute_seconds` what the last full refresh took;
    None if not known. Rows are counted as they are stored: a view with LIMIT shows some of them.
    `compared` says of a full refresh that its rows were compared with the stored ones, because
    other views read them: then those are counted, and told to these views, that differ.
    `replaced` says how stored rows were replaced, and why so; None where none were or all of them.
    `compacted` says which files were put together afterwards, by a commit of its own; the receipt
    in the history does not know it yet. `pace` is how long refreshes of the view take beside what
    is estimated, as far as it is known with this one. `shared` are rows that other views of the run
    needed too; what was read for them is told by the receipt of the view that read it.
    """

    view: str
    method: Method
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
    rows: int | None = None
    recompute_seconds: float | None = None
    compared: bool = False
    replaced: Replacing | None = None
    compacted: Compacted | None = None
    pace: Pace | None = None
    shared: tuple[SharedRows, ...] = ()

    @property
    def way(self) -> Way:
        """Whether the view was recomputed, changed by what changed, or left as it was, and why."""
        return self.method.way

    @property
    def variant(self) -> Variant | None:
        """What an incremental refresh applied; None of another one."""
        return self.method.variant

    @property
    def strategy(self) -> str:
        """`incremental: groups`, `full`, `skipped: nothing changed`."""
        return str(self.method)

    @property
    def total_seconds(self) -> float:
        """The seconds of all steps."""
        return sum(self.seconds.values())

    @property
    def changed(self) -> bool:
        """Whether a row of the view changed."""
        return bool(self.rows_inserted or self.rows_updated or self.rows_deleted)

    @property
    def is_full(self) -> bool:
        """Whether the view was recomputed, rather than changed by what changed."""
        return self.way is Way.FULL

    def to_dict(self) -> dict[str, Any]:
        plain = asdict(self)
        del plain["method"]
        return {**plain, **self.method.to_dict(), "below": [r.to_dict() for r in self.below]}

    @staticmethod
    def from_dict(raw: Mapping[str, Any]) -> Receipt:
        """The receipt of a stored form; what an older form lacks has its default, and what is
        not a receipt's (the commit's version, say) is left out.
        """
        known = {f.name: raw[f.name] for f in fields(Receipt) if f.name in raw}
        method = stored_method(raw)
        read = {name: Read(**r) for name, r in raw.get("read", {}).items()}
        below = tuple(Receipt.from_dict(r) for r in raw.get("below", ()))
        how = raw.get("replaced")
        replaced = None if how is None else Replacing(**how)
        after = raw.get("compacted")
        made = {
            "method": method,
            "read": read,
            "below": below,
            "replaced": replaced,
            "compacted": None if after is None else Compacted(**after),
            "pace": None if raw.get("pace") is None else Pace.from_dict(raw["pace"]),
            "shared": tuple(map(SharedRows.from_dict, raw.get("shared", ()))),
        }
        return Receipt(**{**known, **made})

    def __str__(self) -> str:
        return receipt_text(self)

    def _repr_html_(self) -> str:
        return receipt_card(self)


Outcome = Literal["exact", "consistent", "wrong", "not comparable"]


@dataclass(frozen=True, slots=True)
class Verification:
    """The stored view against its recomputation at the same versions, both ways, as counted
    bags.

    `outcome` is exact where every column was compared and nothing differs; consistent where
    nothing differs in what was compared, but that is not all; wrong where something differs; not
    comparable where there is nothing to compare with, as `why_not` says. Of the view's columns
    `compared` were compared value by value; of `possible`, which ties or the order of rows decide,
    each stored value was found to be one that the text can give; `left_out` were not looked at,
    or not everywhere.
    """

    view: str
    outcome: Outcome
    rows: int
    missing: int = 0  # rows of the recomputation that are not stored, copies counted
    unexpected: int = 0  # stored rows that the recomputation does not give
    missing_sample: tuple[str, ...] = ()
    unexpected_sample: tuple[str, ...] = ()
    watermark: Mapping[str, int] = field(default_factory=dict)
    compared: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    seconds: float = 0.0
    how: str = ""  # what with what, of a view that shows less than is stored
    as_now: tuple[str, ...] = ()  # sources without versions, which are read as they are now
    why_not: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing was found to be wrong."""
        return self.outcome != "wrong"

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "ok": self.ok}

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return verification_text(self)

    def _repr_html_(self) -> str:
        return verification_card(self)
