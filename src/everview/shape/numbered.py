"""Views of rows that row_number() counts: which rows may be stored, where ties leave a choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from everview.algebra.calls import SortKey, WindowCall
from everview.algebra.fresh import Fresh
from everview.algebra.relations import Filter, Project, Rel, Window
from everview.algebra.scalars import (
    Call,
    Column,
    ColumnId,
    Compare,
    Comparison,
    Constant,
    Ref,
    Scalar,
    all_of,
    called,
    conjuncts,
    integer,
    refs,
    substitute,
)
from everview.algebra.walk import highest_id
from everview.apply.grouped import GroupedView
from everview.shape.grouped import Grouped
from everview.shape.ties import decided_by_ties


@dataclass(frozen=True, slots=True)
class Numbered:
    """Every row that may be stored, with the first and the last number that it may have.

    The columns of `candidates` are those that are stored, then `first` and `last`: rows that tie
    share them. Stored are the rows whose number lies from `low` to `high` (None: to the end);
    `shown` are the places of stored columns that hold the number.
    """

    candidates: Rel
    low: int
    high: int | None
    shown: tuple[int, ...]

    @property
    def cuts(self) -> bool:
        """Whether only some of the numbers are stored."""
        return self.low > 1 or self.high is not None


def numbered(shape: Grouped) -> Numbered | None:
    """The view as numbered rows; None where more than the number of rows in one window depends on
    ties, or where it is used otherwise than to be shown or compared with constants.
    """
    window = _numbering(shape)
    if window is None:
        return None
    view = shape.view
    calls = {c.id: w for c, w in window.calls if called(w.function) == "row_number"}
    order = next(iter(calls.values())).order
    if not order or any(w.order != order for w in calls.values()):
        return None
    kept = _Kept(frozenset(calls))
    if not all(kept.above(operator) for operator in _over(view, window)):
        return None
    return _built(view, window, order, kept)


def _numbering(shape: Grouped) -> Window | None:
    """The only grouping of the view, if all of its calls that ties decide are row_number()."""
    above = shape.view.above
    windows = [o for o in above if isinstance(o, Window)]
    if len(windows) != 1 or not all(isinstance(o, Window | Filter | Project) for o in above):
        return None
    decided = decided_by_ties(windows[0], shape.view.types)
    is_counted = all(called(call.function) == "row_number" for call in decided)
    return windows[0] if decided and is_counted else None


def _over(view: GroupedView, window: Window) -> list[Rel]:
    """The operators over the window, lowest first."""
    at = view.above.index(window)
    return list(reversed(view.above[:at]))


@dataclass
class _Kept:
    """The columns that hold the number at one height, and the numbers that conditions let pass."""

    numbers: frozenset[ColumnId]
    low: int = 1
    high: int | None = None
    computed: bool = field(default=False)  # whether something is computed of the number

    def above(self, operator: Rel) -> bool:
        """Take one step up; whether the number is used in a way that is understood."""
        match operator:
            case Filter(_, condition):
                return all(map(self._passes, conjuncts(condition)))
            case Project(_, outputs):
                copies = {c.id for c, s in outputs if isinstance(s, Ref) and s.id in self.numbers}
                made = [s for _, s in outputs if not isinstance(s, Ref) and refs(s) & self.numbers]
                self.computed = self.computed or bool(made)
                self.numbers = frozenset(copies)
                return not self.computed or self.low == self.high
            case _:
                return False

    def _passes(self, condition: Scalar) -> bool:
        if not refs(condition) & self.numbers:
            return True
        bounds = self.bounds(condition)
        if bounds is None:
            return False
        low, high = bounds
        self.low = max(self.low, low)
        highest = [h for h in (self.high, high) if h is not None]
        self.high = min(highest, default=None)
        return True

    def bounds(self, condition: Scalar) -> tuple[int, int | None] | None:
        """From which to which number a comparison with a constant lets pass."""
        match condition:
            case Compare(op, Ref(id), Constant(_, int(value))) if id in self.numbers:
                pass
            case Compare(op, Constant(_, int(value)), Ref(id)) if id in self.numbers:
                op = _TURNED[op]
            case _:
                return None
        match op:
            case "=" | "<=>":
                return value, value
            case "<=":
                return 1, value
            case "<":
                return 1, value - 1
            case ">=":
                return value, None
            case ">":
                return value + 1, None
            case _:
                return None


_TURNED: dict[Comparison, Comparison] = {
    "=": "=", "<=>": "<=>", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<=",
}  # fmt: skip


def _built(view: GroupedView, window: Window, order: tuple[SortKey, ...], kept: _Kept) -> Numbered:
    fresh = Fresh(max(highest_id(view.full()), *(c.id for c in view.stored)))
    rel, span, numbers = _ranked(window, order, fresh)
    is_one = kept.low == kept.high
    value = integer(kept.low) if is_one else Ref(span[0].id)
    for operator in _over(view, window):
        match operator:
            case Filter(_, condition):
                parts = [p for p in conjuncts(condition) if not refs(p) & numbers]
                if len(parts) < len(conjuncts(condition)):
                    parts += _within(span, kept)
                rel = Filter(rel, all_of(tuple(parts)))
            case Project(_, outputs):
                by: Mapping[ColumnId, Scalar] = dict.fromkeys(numbers, value)
                copies = {c.id for c, s in outputs if isinstance(s, Ref) and s.id in numbers}
                made = tuple((c, substitute(s, by)) for c, s in outputs)
                rel = Project(rel, (*made, *((c, Ref(c.id)) for c in span)))
                numbers = frozenset(copies)
            case _:
                raise AssertionError(f"no operator over numbered rows: {operator}")
    shown = tuple(i for i, c in enumerate(rel.columns) if c.id in numbers)
    return Numbered(rel, kept.low, kept.high, () if is_one else shown)


Span = tuple[Column, Column]


def _ranked(
    window: Window, order: tuple[SortKey, ...], fresh: Fresh
) -> tuple[Rel, Span, frozenset[ColumnId]]:
    """The rows of the window with the first and the last number that each may have, as columns
    and in the place of the number.
    """
    counted = {c.id for c, w in window.calls if called(w.function) == "row_number"}
    first, copies, last = fresh.columns(("first", "copies", "last"))
    others = tuple((c, w) for c, w in window.calls if c.id not in counted)
    rank = WindowCall(Call("rank", ()), order)
    ranked = replace(window, calls=(*others, (first, rank)))
    by = {c.id: c for c in (*window.partition, *window.input.columns)}
    tied = tuple(dict.fromkeys((*window.partition, *(by[k.column] for k in order))))
    sized = Window(ranked, tied, ((copies, WindowCall(Call("count", ()))),))
    end = Call("-", (Call("+", (Ref(first.id), Ref(copies.id))), integer(1)))
    own = [(c, Ref(first.id) if c.id in counted else Ref(c.id)) for c in window.columns]
    outputs: tuple[tuple[Column, Scalar], ...] = (*own, (first, Ref(first.id)), (last, end))
    return Project(sized, outputs), (first, last), frozenset(counted)


def _within(span: Span, kept: _Kept) -> list[Scalar]:
    """Whether some number of the span may pass."""
    first, last = span
    found: list[Scalar] = [Compare(">=", Ref(last.id), integer(kept.low))]
    if kept.high is not None:
        found.append(Compare("<=", Ref(first.id), integer(kept.high)))
    return found
