"""Which operators of a plan cannot be maintained by what changed, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from everview.algebra.relations import (
    Changes,
    ChangeTable,
    Copies,
    Local,
    Negate,
    Net,
    Rel,
    Signed,
    TopK,
    Touched,
    Window,
)
from everview.algebra.scalars import Opaque, walk
from everview.algebra.walk import walk_plan
from everview.delta.propagate import WithoutRule
from everview.facts.refusals import RefusalKind
from everview.sql.bind.moments import PER_QUERY, RANDOM


@dataclass(frozen=True, slots=True)
class Unmaintained:
    """Why a plan is recomputed in full: the reason and its kind, and the operator or function it
    lies in.
    """

    kind: RefusalKind
    reason: str
    operator: Rel | None = None
    function: str = ""


def unmaintained(rel: Rel) -> Unmaintained | None:
    """The first operator, root first, that has no delta rule; None if all have one."""
    for operator in walk_plan(rel):
        without = _without_rule(operator)
        if without is not None:
            kind, what = without
            return Unmaintained(kind, f"{what} is not maintained incrementally", operator)
        for function in _functions(operator, PER_QUERY):
            reason = f"{function}() has another value at every refresh"
            return Unmaintained(RefusalKind.CHANGING, reason, operator, function)
        for function in _functions(operator, RANDOM):
            reason = f"{function}() is not deterministic"
            return Unmaintained(RefusalKind.CHANGING, reason, operator, function)
    return None


def _functions(rel: Rel, names: frozenset[str]) -> list[str]:
    """Which of these functions the operator's own scalars call."""
    texts = [s for scalar in rel.scalars for s in walk(scalar) if isinstance(s, Opaque)]
    return sorted({f for text in texts for f in text.functions} & names)


def _without_rule(rel: Rel) -> tuple[RefusalKind, str] | None:
    """What the operator is called in SQL if it has no delta rule, else None."""
    if isinstance(rel, Window) and not rel.partition:
        return RefusalKind.ONE_WINDOW, "a window without PARTITION BY"
    if not isinstance(rel, WithoutRule):
        return None
    match rel:
        case TopK():
            return RefusalKind.CUT_OFF, "LIMIT or OFFSET"
        case Changes() | Local() | Signed() | Negate() | Net() | Copies() | Touched():
            return None  # only in plans of changes
        case ChangeTable():
            return None
        case _:
            assert_never(rel)
