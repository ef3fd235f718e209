"""Net the changes of every source before anything is computed from them."""

from __future__ import annotations

from everview.algebra.relations import Changes, Net, Rel
from everview.algebra.walk import inputs, with_inputs


def net_sources(rel: Rel) -> Rel:
    """ΔA  =  Net ΔA: a row that came and went within the changes is not looked at."""
    if isinstance(rel, Changes):
        return Net(rel)
    return with_inputs(rel, tuple(net_sources(i) for i in inputs(rel)))
