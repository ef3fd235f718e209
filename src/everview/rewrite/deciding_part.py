"""The part of a relation that decides whether a row has a partner in it."""

from __future__ import annotations

from everview.algebra.derive.never_null import not_null_where
from everview.algebra.operator import ids
from everview.algebra.relations import Join, Project, Rel, Side
from everview.algebra.scalars import ColumnId, Ref, refs

# What goes in: one side of an outer join that is tested for partners, and the condition. What comes
# out: a relation with partners for the same rows. In an outer join R ⟕ S every row of R is found,
# once or more, whatever S holds; so a condition that reads columns of R alone finds a partner in
# R ⟕ S where it finds one in R. In R ⟗ S there are rows without R besides, all of whose columns of
# R are NULL: a condition that is never true of NULL does not find them.
#
#     (sales ⟗ stores) ⟗ states on state = states.state     states without stores are sought in
#                                                            stores alone, so that new sales
#                                                            cannot change which these are

_Columns = frozenset[ColumnId]

_KEPT: dict[str, tuple[Side, ...]] = {
    "left": ("left",), "right": ("right",), "full": ("left", "right"),
}  # fmt: skip


def deciding_part(join: Join, side: Side) -> Rel:
    """What of a side has partners for the same rows of the other side as the whole."""
    rel = join.left if side == "left" else join.right
    reads = join.reads & ids(rel.columns)
    return _part(rel, reads, not_null_where(join.condition) & reads)


def _part(rel: Rel, reads: _Columns, strict: _Columns) -> Rel:
    """The part of which these columns are read, some of which are not NULL where a row counts."""
    if not reads:
        return rel
    match rel:
        case Project(input_, outputs):
            made = tuple((c, s) for c, s in outputs if c.id in reads)
            read = frozenset(r for _, s in made for r in refs(s))
            copies = frozenset(s.id for c, s in made if isinstance(s, Ref) and c.id in strict)
            part = _part(input_, read, copies)
            return rel if part is input_ else Project(part, made)
        case Join(kind, left, right):
            for side in _KEPT.get(kind, ()):
                kept = left if side == "left" else right
                known = ids(kept.columns)
                if reads <= known and (kind != "full" or strict & known):
                    return _part(kept, reads, strict)
            return rel
        case _:
            return rel
