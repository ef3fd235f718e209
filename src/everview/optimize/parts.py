"""Which shared parts of a plan are computed by a query of their own, once for all readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from everview.algebra.memo import Memo
from everview.algebra.relations import Changes, Local, Rel, Shared
from everview.algebra.walk import bottom_up, over_inputs, walk_plan
from everview.optimize.sizes import is_few

# What goes in: a plan in which several operators may read one. What comes out: queries to run one
# after another, of which later ones read the rows of earlier ones as a leaf. Spark reads a plan
# as a tree: a part is planned again for every reader, and its tables are read again. A query of
# its own costs about as much as planning some tens of operators, or as reading some tens of
# megabytes; so from the leaves up, what would be repeated beyond that becomes a query of its own,
# if its rows are few.
#
#     (P ⋈ A) + (P ⋈ B)      where P has 60 operators
#     part1 = P              one query, its rows are kept
#     (part1 ⋈ A) + (part1 ⋈ B)
MOST_REPEATED = 50
MOST_TOGETHER = 100
MOST_READ_AGAIN = 32_000_000

LeafBytes = Mapping[Rel, int]  # the bytes of the files behind a leaf, where they are known


@dataclass(frozen=True, slots=True)
class Part:
    """Rows that later queries read under a name."""

    name: str
    rel: Rel

    def local(self) -> Local:
        return Local(self.name, self.rel.columns, self.rel.weighted)


@dataclass(frozen=True, slots=True)
class Parted:
    """A plan in queries: its parts in the order in which they are computed, and the rest."""

    parts: tuple[Part, ...]
    rest: Rel

    def queries(self) -> tuple[Rel, ...]:
        return (*(p.rel for p in self.parts), self.rest)

    def largest(self) -> int:
        """The operators of the largest query."""
        return max(map(operators, self.queries()))


def parted(
    rel: Rel,
    leaf_bytes: LeafBytes = MappingProxyType({}),
    *,
    repeated: int = MOST_REPEATED,
    together: int = MOST_TOGETHER,
) -> Parted:
    """The plan with larger parts that several read, and what stands alone in a large plan, as
    rows at hand.

    Only parts of few rows: what a relation holds at a snapshot is read where it is needed, cut to
    what is touched. At most so many operators are planned again, or stand together.
    """
    parting = _Parting(_readers(rel), leaf_bytes, repeated, together)
    rest = parting.of(rel).rel
    return Parted(tuple(parting.parts), rest)


def tidied(rel: Rel) -> Rel:
    """The plan without shared parts that one operator reads, unless they are large; parts of one
    name are numbered.
    """
    readers = _readers(rel)
    parts = [r for r in bottom_up(rel) if isinstance(r, Shared)]
    kept = [p for p in parts if readers[id(p)] > 1 or operators(p) > MOST_TOGETHER]
    often = Counter(p.name for p in kept)
    names: dict[int, str] = {}
    for part in kept:
        number = 1 + sum(1 for other in kept if other.name == part.name and id(other) in names)
        names[id(part)] = f"{part.name}{number}" if often[part.name] > 1 else part.name
    memo = Memo[Rel]()

    def tidy(some: Rel) -> Rel:
        below = over_inputs(some, tuple(memo.of(i, tidy) for i in some.inputs))
        if not isinstance(below, Shared):
            return below
        return replace(below, name=names[id(some)]) if id(some) in names else below.input

    return memo.of(rel, tidy)


def _readers(rel: Rel) -> Counter[int]:
    """By operator, how many read it."""
    return Counter(id(i) for some in walk_plan(rel) for i in some.inputs)


def operators(rel: Rel) -> int:
    """How many operators Spark reads: one that several read is counted for each."""
    memo = Memo[int]()

    def size(some: Rel) -> int:
        return 1 + sum(memo.of(i, size) for i in some.inputs)

    return size(rel)


@dataclass(frozen=True, slots=True)
class _Seen:
    rel: Rel
    operators: int
    bytes: int
    few: bool


@dataclass(frozen=True, slots=True)
class _Parting:
    readers: Counter[int]
    leaf_bytes: LeafBytes
    repeated: int
    together: int
    parts: list[Part] = field(default_factory=list)
    memo: Memo[_Seen] = field(default_factory=Memo)

    def of(self, rel: Rel) -> _Seen:
        return self.memo.of(rel, self._divide)

    def _divide(self, rel: Rel) -> _Seen:
        below = [self.of(i) for i in rel.inputs]
        size = 1 + sum(b.operators for b in below)
        few = is_few(rel, [b.few for b in below])
        whole = over_inputs(rel, tuple(b.rel for b in below))
        read = sum(b.bytes for b in below) if below else self.leaf_bytes.get(rel, 0)
        more = self.readers[id(rel)] - 1
        is_large = more * size > self.repeated or more * read > MOST_READ_AGAIN
        is_large |= isinstance(rel, Shared) and size > self.together
        if not few or not is_large or isinstance(rel, Local | Changes):
            return _Seen(whole, size, read, few)
        rows = whole.input if isinstance(whole, Shared) else whole
        part = Part(f"part{len(self.parts) + 1}", rows)
        self.parts.append(part)
        return _Seen(part.local(), 1, 0, few)
