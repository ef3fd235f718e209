"""What stands between two relations, as a person writes it: joins and differences."""

from __future__ import annotations

from typing import assert_never

from everview.algebra.notation.names import Names, short
from everview.algebra.notation.scalars import scalar_notation
from everview.algebra.relations import Except, Intersect, Join, JoinKind
from everview.algebra.scalars import ColumnId, Compare, Ref, Scalar, all_of, conjuncts

JOINS: dict[JoinKind, str] = {
    "inner": "⋈", "cross": "×", "left": "⟕", "right": "⟖", "full": "⟗", "semi": "⋉", "anti": "▷",
    "mark": "⋉?",
}  # fmt: skip


def set_symbol(rel: Except | Intersect) -> str:
    match rel:
        case Except():
            symbol = "−"
        case Intersect():
            symbol = "∩"
        case _:
            assert_never(rel)
    return f"{symbol}all" if rel.all else symbol


def join_label(join: Join, names: Names) -> str:
    """`⟕ store = id, amount > 9`; behind an arrow the column of a mark join."""
    pairs = [p for c in conjuncts(join.condition) if (p := _equal(join, c)) is not None]
    equal = [names[a] if names[a] == names[b] else f"{names[a]} = {names[b]}" for a, b in pairs]
    on = ", ".join(filter(None, (*equal, extra(join, names))))
    label = f"{JOINS[join.kind]} {on}".rstrip()
    return label if join.mark is None else f"{label} → {names[join.mark.id]}"


def extra(join: Join, names: Names) -> str:
    """What the condition asks besides equal columns of the two sides."""
    rest = tuple(c for c in conjuncts(join.condition) if _equal(join, c) is None)
    return short(scalar_notation(all_of(rest), names)) if rest else ""


def _equal(join: Join, condition: Scalar) -> tuple[ColumnId, ColumnId] | None:
    match condition:
        case Compare("=" | "<=>", Ref(one), Ref(two)):
            left = {c.id for c in join.left.columns}
            right = {c.id for c in join.right.columns}
            ends = (one, two) if one in left else (two, one)
            return ends if ends[0] in left and ends[1] in right else None
        case _:
            return None
