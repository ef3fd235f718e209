"""Changes of a table that were mostly written anew, netted by a query of their own."""

from __future__ import annotations

from everview.algebra.relations import Changes, Net, Rel
from everview.algebra.walk import transformed, walk_plan
from everview.optimize.parts import Part, Parted


def netted_first(rel: Rel, tables: frozenset[str]) -> Parted:
    """ΔA  =  net_a, where net_a = Net ΔA is computed once: the terms of the plan read the rows that
    are left, whose number and keys are known by then.
    """
    found = (r for r in walk_plan(rel) if isinstance(r, Changes) and r.table in tables)
    leaves = tuple(dict.fromkeys(found))
    parts: dict[Rel, Part] = {}
    for leaf in leaves:
        same = [p for p in parts if isinstance(p, Changes) and p.table == leaf.table]
        number = f"_{len(same) + 1}" if same else ""
        parts[leaf] = Part(f"net_{leaf.table}{number}", Net(leaf))

    def replaced(some: Rel) -> Rel:
        return parts[some].local() if isinstance(some, Changes) and some in parts else some

    rest = transformed(rel, replaced) if parts else rel
    return Parted(tuple(parts.values()), rest)
