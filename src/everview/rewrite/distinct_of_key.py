"""Leave DISTINCT out over rows that a key tells apart already."""

from __future__ import annotations

from everview.algebra.derive.keys import keys
from everview.algebra.derive.typed import typed
from everview.algebra.relations import Distinct, Rel
from everview.algebra.scalars import Types
from everview.algebra.types import FLOATS, VARIANT, is_nested, type_of


def distinct_of_key(rel: Rel, types: Types) -> Rel:
    """δ(A)  =  A,  where A has a key (Vista, 4.2.2, e(A))

    Not over floats, of which DISTINCT may show 0.0 where the row has -0.0, nor over what may hold
    some.
    """
    if not isinstance(rel, Distinct):
        return rel
    known = typed(rel.input, types)
    if not all(_is_shown_as_it_is(known.get(c.id, "")) for c in rel.columns):
        return rel
    return rel.input if keys(rel.input, types) else rel


def _is_shown_as_it_is(type_: str) -> bool:
    known = type_of(type_)
    return bool(type_) and known not in FLOATS | {VARIANT} and not is_nested(known)
