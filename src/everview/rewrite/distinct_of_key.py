"""Leave DISTINCT out over rows that a key tells apart already."""

from __future__ import annotations

from everview.algebra.derive.keys import keys
from everview.algebra.derive.typed import typed
from everview.algebra.relations import Distinct, Rel
from everview.algebra.scalars import Types
from everview.algebra.types import is_equal_only_to_itself, type_of


def distinct_of_key(rel: Rel, types: Types) -> Rel:
    """δ(A)  =  A,  where A has a key (Vista, 4.2.2, e(A))

    Not over floats, of which DISTINCT may show 0.0 where the row has -0.0, nor over what may hold
    some.
    """
    if not isinstance(rel, Distinct):
        return rel
    known = typed(rel.input, types)
    if not all(is_equal_only_to_itself(type_of(known.get(c.id, "variant"))) for c in rel.columns):
        return rel
    return rel.input if keys(rel.input, types) else rel
