"""The rewrite rules in their order, and the loop that applies them until nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from everview.algebra.derive.conditions import Types
from everview.algebra.memo import Memo
from everview.algebra.relations import Rel
from everview.algebra.walk import over_inputs
from everview.rewrite.aggregate_distinct_of_key import aggregate_distinct_of_key
from everview.rewrite.connected_joins import connected_joins
from everview.rewrite.distinct_of_key import distinct_of_key
from everview.rewrite.filter_join_merge import filter_join_merge
from everview.rewrite.filter_join_transpose import filter_join_transpose
from everview.rewrite.filter_merge import filter_merge
from everview.rewrite.filter_union_transpose import filter_union_transpose
from everview.rewrite.join_filter_transpose import join_filter_transpose
from everview.rewrite.join_order import join_order
from everview.rewrite.join_project_transpose import join_project_transpose
from everview.rewrite.project_merge import project_merge

Rule = Callable[[Rel], Rel]

TERMS: tuple[Rule, ...] = (
    filter_union_transpose,
    join_project_transpose,
    join_filter_transpose,
    filter_join_merge,
)

_BEFORE: tuple[Rule, ...] = (filter_merge, filter_join_transpose)

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


def simplified(rel: Rel, types: Types) -> Rel:
    """A definition without what its keys make needless; `types` as `keys` wants them."""
    by_keys = (distinct_of_key, aggregate_distinct_of_key)
    return rewrite(rel, (*(partial(rule, types=types) for rule in by_keys), project_merge))


def joined_by_keys(rel: Rel) -> Rel:
    """A definition whose joins meet the filters that connect them: what its changes are made of."""
    return connected_joins(rewrite(rel, _BEFORE))


def ordered_terms(rel: Rel) -> Rel:
    """A delta as a union of terms, each a chain of joins that starts from its changes."""
    return join_order(rewrite(rel, TERMS))
