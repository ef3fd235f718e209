"""Net the changes of every source before anything is computed from them."""

from __future__ import annotations

from everview.algebra.relations import Changes, Net, Rel
from everview.algebra.walk import transformed


def net_sources(rel: Rel) -> Rel:
    """ΔA  =  Net ΔA: a row that came and went within the changes is not looked at."""
    return transformed(rel, lambda some: Net(some) if isinstance(some, Changes) else some)
