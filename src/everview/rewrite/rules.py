"""The rewrite rules in their order, and the loop that applies them until nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from everview.algebra.conditions import Types
from everview.algebra.relations import Rel, Shared
from everview.algebra.walk import inputs, with_inputs
from everview.rewrite.aggregate_distinct_of_key import aggregate_distinct_of_key
from everview.rewrite.distinct_of_key import distinct_of_key
from everview.rewrite.filter_join_merge import filter_join_merge
from everview.rewrite.filter_union_transpose import filter_union_transpose
from everview.rewrite.join_filter_transpose import join_filter_transpose
from everview.rewrite.join_order import join_order
from everview.rewrite.join_project_transpose import join_project_transpose
from everview.rewrite.join_union_transpose import join_union_transpose
from everview.rewrite.project_merge import project_merge

Rule = Callable[[Rel], Rel]

FLATTEN: tuple[Rule, ...] = (join_project_transpose, join_filter_transpose)
TERMS: tuple[Rule, ...] = (
    join_union_transpose,
    filter_union_transpose,
    join_project_transpose,
    join_filter_transpose,
    filter_join_merge,
)

_MOST_ROUNDS = 1000


def rewrite(rel: Rel, rules: tuple[Rule, ...]) -> Rel:
    """The plan with the rules applied, inputs first, until none changes anything."""
    return _Rewriting(rules).of(rel)


@dataclass(frozen=True, slots=True)
class _Rewriting:
    rules: tuple[Rule, ...]
    shared: dict[int, tuple[Shared, Rel]] = field(default_factory=dict)  # done once each

    def of(self, rel: Rel) -> Rel:
        if isinstance(rel, Shared):
            if id(rel) not in self.shared:
                self.shared[id(rel)] = rel, replace(rel, input=self.of(rel.input))
            return self.shared[id(rel)][1]
        done = self._below(rel)
        for _ in range(_MOST_ROUNDS):
            changed = _first_change(done, self.rules)
            if changed is None:
                return done
            done = self._below(changed)
        raise AssertionError(f"rewriting does not end: {rel}")

    def _below(self, rel: Rel) -> Rel:
        """The operator over rewritten inputs; itself where none of them changed."""
        before = inputs(rel)
        after = tuple(self.of(i) for i in before)
        is_same = all(a is b for a, b in zip(after, before, strict=True))
        return rel if is_same else with_inputs(rel, after)


def rewrite_top(rel: Rel, rule: Rule) -> Rel:
    """The plan with a rule applied once at each highest place where it changes something."""
    changed = rule(rel)
    if changed is not rel:
        return changed
    return with_inputs(rel, tuple(rewrite_top(i, rule) for i in inputs(rel)))


def _first_change(rel: Rel, rules: tuple[Rule, ...]) -> Rel | None:
    """What the first rule that applies makes of the operator; a rule that does not, gives it back
    as it is.
    """
    return next((new for rule in rules if (new := rule(rel)) is not rel), None)


def simplified(rel: Rel, types: Types) -> Rel:
    """A definition without what its keys make needless; `types` as `keys` wants them."""
    by_keys = (distinct_of_key, aggregate_distinct_of_key)
    return rewrite(rel, (*(partial(rule, types=types) for rule in by_keys), project_merge))


def ordered_terms(rel: Rel) -> Rel:
    """A delta as a union of terms, each a chain of joins that starts from its changes."""
    return rewrite_top(rewrite(rel, TERMS), join_order)
