"""A case for which a law fails, told over as few rows as show it."""

from __future__ import annotations

from collections.abc import Callable

from everview.delta.propagate import delta
from tests.laws.shrink import Case, smallest
from tests.plan_text import plan_text


class Broken(AssertionError):
    """A law that fails for this case; `kind` names the operator, or the rewrite, that is wrong.

    The case is made small when the story is asked for.
    """

    def __init__(self, kind: str, case: Case, tell: Callable[[Case], str]) -> None:
        super().__init__(kind)
        self.kind = kind
        self._case, self._tell = case, tell

    def __str__(self) -> str:
        case = smallest(self._case, lambda other: bool(self._tell(other)))
        return f"{self.kind}: {self._tell(case)}\n{_story(case)}"


def _story(case: Case) -> str:
    told = [plan_text(case.rel)]
    for name in sorted(case.old):
        kept = "changed" if name in case.changed else "not changed"
        told.append(f"{name} at OLD ({kept}): {list(case.old[name])}")
        told.append(f"{name} changes: {list(case.lines[name])}")
    try:
        changes = delta(case.rel, case.changed)
        told.append("delta: none" if changes is None else f"delta:\n{plan_text(changes)}")
    except Exception as problem:
        told.append(f"delta: {type(problem).__name__}: {problem}")
    return "\n".join(told)
