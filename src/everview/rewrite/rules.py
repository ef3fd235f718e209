"""The loop that applies rewrite rules to a plan until nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from everview.algebra.memo import Memo
from everview.algebra.relations import Rel
from everview.algebra.walk import over_inputs

Rule = Callable[[Rel], Rel]

_MOST_ROUNDS = 1000


def rewrite(rel: Rel, rules: tuple[Rule, ...]) -> Rel:
    """The plan with the rules applied, inputs first, until none changes anything."""
    return _Rewriting(rules).of(rel)


@dataclass(frozen=True, slots=True)
class _Rewriting:
    rules: tuple[Rule, ...]
    memo: Memo[Rel] = field(default_factory=Memo)

    def of(self, rel: Rel) -> Rel:
        """The operator rewritten; one that several read is rewritten once."""
        return self.memo.of(rel, self._rewrite)

    def _rewrite(self, rel: Rel) -> Rel:
        done = self._below(rel)
        for _ in range(_MOST_ROUNDS):
            changed = _first_change(done, self.rules)
            if changed is None:
                return done
            done = self._below(changed)
        raise AssertionError(f"rewriting does not end: {rel}")

    def _below(self, rel: Rel) -> Rel:
        return over_inputs(rel, tuple(self.of(i) for i in rel.inputs))


def _first_change(rel: Rel, rules: tuple[Rule, ...]) -> Rel | None:
    """What the first rule that applies makes of the operator; a rule that does not, gives it back
    as it is.
    """
    return next((new for rule in rules if (new := rule(rel)) is not rel), None)
