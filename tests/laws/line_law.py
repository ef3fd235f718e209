"""Laws of the lines that a delta is made of, which its sum does not show."""

from __future__ import annotations

from collections.abc import Callable

from everview.algebra.derive.signs import Signs
from everview.algebra.meaning.plans import Row, State
from everview.algebra.relations import Except, Intersect, Rel
from everview.delta.context import Known
from everview.delta.propagate import deltas
from tests.laws.evaluate import Evaluator
from tests.laws.generate import only_of
from tests.laws.met import group_keys, keys_of

Delta = Callable[[Rel], Rel | None]  # the changes of an operator of one tree


def wrong_lines(
    rel: Rel, known: Evaluator, state: State, changed: frozenset[str], delta: Delta | None = None
) -> str:
    """Changes of one sign are made of lines of that sign; of groups and tuples, only touched ones
    are looked at.
    """
    only = only_of(state, changed)
    keys = group_keys(rel)
    delta = deltas(rel, changed, Known(only)) if delta is None else delta
    changes = delta(rel) if keys or only else None
    if changes is None:
        return ""
    lines = known.lines(changes)
    sign = Signs().of(changes)
    if sign is not None and any(w * sign < 0 for _, w in lines):
        return f"the sign is {sign}, and yet there are {lines}"
    untouched = keys_of(keys, rel.columns, [row for row, _ in lines])
    for below in rel.inputs:
        untouched -= _touched(rel, known, delta(below))
    return f"looks at untouched {untouched}" if untouched else ""


def _touched(rel: Rel, known: Evaluator, changes: Rel | None) -> set[Row]:
    if changes is None:
        return set()
    keys = changes.columns if isinstance(rel, Except | Intersect) else group_keys(rel)
    return keys_of(keys, changes.columns, [row for row, _ in known.lines(changes)])
