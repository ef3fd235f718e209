"""Which parts of the plans of several views give the same rows, so that one query computes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from everview.algebra.derive.same_rows import LeafOf, SameRows
from everview.algebra.fresh import Fresh
from everview.algebra.memo import Memo
from everview.algebra.relations import Changes, Local, Project, Rel, Scan
from everview.algebra.scalars import NULL, Column, Ref
from everview.algebra.walk import highest_id, over_inputs, walk_plan
from everview.optimize.needed_columns import Needed, needed_columns
from everview.optimize.parts import (
    MOST_READ_AGAIN,
    MOST_REPEATED,
    MOST_TOGETHER,
    LeafBytes,
    Part,
)
from everview.optimize.sizes import is_few

# What goes in: the plans of the changes of several views that are refreshed together. What comes
# out: each plan as parts that others have too, and the rest, which reads them as rows at hand.
#
#     γ city (σ Δsales ⋈ stores)            common1 = σ Δsales    the columns that any of them needs
#     γ category (σ Δsales ⋈ items)         γ city (common1 ⋈ stores),  γ category (common1 ⋈ items)
#
# Parts are as large as they can be: what stands highest in a plan and gives the same rows in
# another one. Within a part there may be another that still more plans have. Only parts that are
# few rows when changes are few, and that read changes: what a table holds is read where it is
# needed, cut to what is touched. The columns of a part are those that some plan looks at; in the
# others they are there as well, and nobody looks at them.


@dataclass(frozen=True, slots=True)
class PlanOfChanges:
    """The plan of the changes of one view, with what its leaves read and how many bytes that is."""

    rel: Rel
    leaf_of: LeafOf
    leaf_bytes: LeafBytes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CommonPart:
    """A part that the plans of several views have, under one name and with the same columns.

    `pays` says whether computing it once, by a query of its own, costs less than computing it for
    each view. Where it does not, its rows may still be fetched once. `what` says it to a person.
    """

    part: Part
    views: tuple[str, ...]
    pays: bool
    what: str


@dataclass(frozen=True, slots=True)
class InCommon:
    """A plan as its common parts, those that others read first, and the rest."""

    parts: tuple[CommonPart, ...]
    rest: Rel


def in_common(plans: Mapping[str, PlanOfChanges], title: str = "common") -> dict[str, InCommon]:
    """By view, its plan with what it has in common with others; views with nothing are left out.
    The parts are called by the title and a number.
    """
    numbers: dict[Hashable, int] = {}
    looked = {view: _Looked.at(plan, numbers) for view, plan in plans.items()}
    having = _having((view, one.candidates()) for view, one in looked.items())
    while True:
        cuts = _cut(looked, having, title)
        met = _having((view, cut.parts) for view, cut in cuts.items())
        if met == having:
            return {view: cut.divided() for view, cut in cuts.items() if cut.parts}
        having = met  # what only one plan reads outside of larger parts is no part


def _having(found: Iterable[tuple[str, Iterable[int]]]) -> dict[int, frozenset[str]]:
    """By part the plans that have it, where these are several."""
    having: dict[int, set[str]] = defaultdict(set)
    for view, numbers in found:
        for number in numbers:
            having[number].add(view)
    return {number: frozenset(views) for number, views in having.items() if len(views) > 1}


def changes_text(changed: frozenset[str], met: frozenset[str] = frozenset()) -> str:
    """`changes of sales with stores`, "" of nothing that changed."""
    others = ", ".join(sorted(met - changed))
    said = f"changes of {', '.join(sorted(changed))}{f' with {others}' if others else ''}"
    return said if changed else ""


def _pays(seen: _Seen, views: int) -> bool:
    """Whether a part should be computed by a query of its own, which costs about as much as
    planning some tens of operators or reading some tens of megabytes of the tables that changes
    meet: the limits are those of parts that one plan reads several times (optimize/parts.py).
    """
    more = views - 1
    return more * seen.operators > MOST_REPEATED or more * seen.bytes > MOST_READ_AGAIN


@dataclass(frozen=True, slots=True)
class _Seen:
    few: bool
    changed: frozenset[str]
    scanned: frozenset[str]
    operators: int
    bytes: int

    def what(self) -> str:
        """`changes of sales with stores`"""
        return changes_text(self.changed, self.scanned)


@dataclass(frozen=True, slots=True)
class _Looked:
    """A plan and what was found of its operators."""

    plan: PlanOfChanges
    same: SameRows
    needed: Needed
    memo: Memo[_Seen] = field(default_factory=Memo)

    @staticmethod
    def at(plan: PlanOfChanges, numbers: dict[Hashable, int]) -> _Looked:
        return _Looked(plan, SameRows(plan.leaf_of, numbers), needed_columns(plan.rel))

    def candidates(self) -> Iterator[int]:
        return (self.same.number(some) for some in walk_plan(self.plan.rel) if self.may_be(some))

    def may_be(self, rel: Rel) -> bool:
        """Whether an operator may be a part: few rows, of changes, by a query that is not large."""
        seen = self.seen(rel)
        return (
            bool(rel.columns)
            and seen.few
            and bool(seen.changed)
            and seen.operators <= MOST_TOGETHER
        )

    def seen(self, rel: Rel) -> _Seen:
        return self.memo.of(rel, self._see)

    def _see(self, rel: Rel) -> _Seen:
        below = [self.seen(i) for i in rel.inputs]
        return _Seen(
            few=is_few(rel, [b.few for b in below]),
            changed=_read(rel, Changes).union(*(b.changed for b in below)),
            scanned=_read(rel, Scan).union(*(b.scanned for b in below)),
            operators=1 + sum(b.operators for b in below),
            bytes=self._bytes(rel) + sum(b.bytes for b in below),
        )

    def _bytes(self, rel: Rel) -> int:
        """Those of a table that changes meet: changes are read as quickly as what is staged of
        them.
        """
        return self.plan.leaf_bytes.get(rel, 0) if isinstance(rel, Scan) else 0

    def needed_places(self, rel: Rel) -> frozenset[int]:
        needed = self.needed[id(rel)]
        return frozenset(i for i, column in enumerate(rel.columns) if column.id in needed)


def _read(rel: Rel, kind: type[Changes | Scan]) -> frozenset[str]:
    return frozenset({rel.table}) if isinstance(rel, kind) else frozenset()


@dataclass(frozen=True, slots=True)
class _Columns:
    """Which columns of an operator are those of the part, by their place, and what they are."""

    places: tuple[int, ...]
    columns: tuple[Column, ...]


def _cut(
    looked: Mapping[str, _Looked], shared: Mapping[int, frozenset[str]], title: str
) -> dict[str, _Cut]:
    """Each plan with these parts replaced by rows at hand."""
    columns = _columns_of_parts(looked, shared)
    names = {number: f"{title}{i}" for i, number in enumerate(sorted(columns), 1)}
    cuts = {
        view: _Cut(one, shared, columns, names, frozenset({view})) for view, one in looked.items()
    }
    for cut in cuts.values():
        cut.rest.append(cut.without(cut.looked.plan.rel, cut.own))
    return cuts


def _columns_of_parts(
    looked: Mapping[str, _Looked], shared: Mapping[int, frozenset[str]]
) -> dict[int, _Columns]:
    """By part the columns that some plan needs, under ids that no plan has."""
    wanted: dict[int, frozenset[int]] = defaultdict(frozenset)
    example: dict[int, Rel] = {}
    for one in looked.values():
        for some in walk_plan(one.plan.rel):
            number = one.same.number(some)
            if number in shared:
                wanted[number] |= one.needed_places(some)
                example.setdefault(number, some)
    fresh = Fresh(max((highest_id(one.plan.rel) for one in looked.values()), default=0))
    found = {}
    for number, places in wanted.items():
        own = example[number].columns
        kept = tuple(sorted(places or {0}))  # no text gives rows without any column
        found[number] = _Columns(kept, tuple(fresh.column(own[i].name) for i in kept))
    return found


@dataclass(frozen=True, slots=True)
class _Cut:
    looked: _Looked
    shared: Mapping[int, frozenset[str]]
    columns: Mapping[int, _Columns]
    names: Mapping[int, str]
    own: frozenset[str]
    parts: dict[int, tuple[Part, _Seen]] = field(default_factory=dict)
    rest: list[Rel] = field(default_factory=list)
    memos: dict[frozenset[str], Memo[Rel]] = field(default_factory=lambda: defaultdict(Memo))

    def without(self, rel: Rel, within: frozenset[str]) -> Rel:
        """The plan with every part replaced that more views have than those it stands within."""
        return self.memos[within].of(rel, lambda some: self._replaced(some, within))

    def _replaced(self, rel: Rel, within: frozenset[str]) -> Rel:
        number = self.looked.same.number(rel)
        views = self.shared.get(number, frozenset())
        if not views > within or not self.looked.may_be(rel):
            return over_inputs(rel, tuple(self.without(i, within) for i in rel.inputs))
        made = self.columns[number]
        if number not in self.parts:
            below = over_inputs(rel, tuple(self.without(i, views) for i in rel.inputs))
            kept = zip(made.columns, made.places, strict=True)
            outputs = tuple((column, Ref(rel.columns[i].id)) for column, i in kept)
            part = Part(self.names[number], Project(below, outputs))
            self.parts[number] = part, self.looked.seen(rel)
        at = dict(zip(made.places, made.columns, strict=True))
        local = Local(self.names[number], made.columns, rel.weighted)
        own = ((c, Ref(at[i].id) if i in at else NULL) for i, c in enumerate(rel.columns))
        return Project(local, tuple(own))

    def divided(self) -> InCommon:
        """The plan in parts, each with the views that have it too."""
        (rest,) = self.rest
        parts = []
        for number, (part, seen) in self.parts.items():
            views = tuple(sorted(self.shared[number]))
            parts.append(CommonPart(part, views, _pays(seen, len(views)), seen.what()))
        return InCommon(tuple(parts), rest)
