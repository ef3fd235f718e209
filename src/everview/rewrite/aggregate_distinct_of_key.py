"""Leave DISTINCT out of an aggregate function whose arguments a key tells apart in each group."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.calls import AggregateCall, VerbatimCall
from everview.algebra.derive.keys import Keys, has_key_among, keys
from everview.algebra.relations import Aggregate, Rel
from everview.algebra.scalars import Types


def aggregate_distinct_of_key(rel: Rel, types: Types) -> Rel:
    """γ_G count(distinct X)(A)  =  γ_G count(X)(A),  where a key of A lies in G ∪ X

    Then a change table keeps it: no other rows with the same value have to be looked for.
    """
    if not isinstance(rel, Aggregate) or not any(_is_distinct(c) for _, c in rel.calls):
        return rel
    found = keys(rel.input, types)
    groups = {k.id for k in rel.keys}
    calls = tuple((column, _without(call, groups, found)) for column, call in rel.calls)
    return rel if calls == rel.calls else replace(rel, calls=calls)


def _is_distinct(call: AggregateCall | VerbatimCall) -> bool:
    """Of a sum it is not asked: of floats DISTINCT may add 0.0 where the row has -0.0."""
    return isinstance(call, AggregateCall) and call.distinct and call.function == "count"


def _without(
    call: AggregateCall | VerbatimCall, groups: set[int], found: Keys
) -> AggregateCall | VerbatimCall:
    if not isinstance(call, AggregateCall) or not _is_distinct(call):
        return call
    return replace(call, distinct=not has_key_among(groups.union(call.args), found))
