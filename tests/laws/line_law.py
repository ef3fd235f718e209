"""Laws of the lines that a delta is made of, which its sum does not show."""

from __future__ import annotations

from everview.algebra.meaning import Row, State
from everview.algebra.relations import Except, Intersect, Rel
from everview.algebra.walk import inputs, tables
from everview.delta.linear import is_linear
from everview.delta.propagate import delta
from tests.laws.evaluate import Evaluator
from tests.laws.met import group_keys, keys_of


def wrong_lines(rel: Rel, known: Evaluator, state: State, changed: frozenset[str]) -> str:
    """Of a linear relation, insertions are made of insertions alone; of groups and tuples, only
    touched ones are looked at.
    """
    gains = is_linear(rel) and all(w > 0 for t in tables(rel) for _, w in state.changes[t])
    keys = group_keys(rel)
    changes = delta(rel, changed) if keys or gains else None
    if changes is None:
        return ""
    lines = known.lines(changes)
    if gains and any(w < 0 for _, w in lines):
        return f"linear, and yet of insertions come {lines}"
    untouched = keys_of(keys, rel.columns, [row for row, _ in lines])
    for below in inputs(rel):
        untouched -= _touched(rel, below, known, changed)
    return f"looks at untouched {untouched}" if untouched else ""


def _touched(rel: Rel, below: Rel, known: Evaluator, changed: frozenset[str]) -> set[Row]:
    changes = delta(below, changed)
    if changes is None:
        return set()
    keys = below.columns if isinstance(rel, Except | Intersect) else group_keys(rel)
    return keys_of(keys, below.columns, [row for row, _ in known.lines(changes)])
