"""Which rows of one side of an outer join have no partner any more, and which had none before."""

from __future__ import annotations

from dataclasses import dataclass, replace

from everview.algebra.derive.signs import OTHER, WeightSign
from everview.algebra.relations import At, Join, Net, Project, Rel, Signed, Touched, UnionAll
from everview.algebra.scalars import Ref
from everview.delta.carried import carried
from everview.delta.context import DeltaContext
from everview.delta.semi import lone_otherwise, tested_again
from everview.delta.touched import same_key
from everview.rewrite.marked_joins import JoinMark

# A row of A is padded where it has no partner in B. It may be padded otherwise than before if it
# meets a touched row of B; these rows are T. So pad(T ▷ B_new) - pad(T ▷ B_old) is what changes,
# and B is read twice to know it. Where the view holds the join, its own rows know more: a row of A
# had no partner if a stored row says so, and has none if all that it had are gone,
#
#     T ▷ B_old  =  T ⋉ padded stored rows
#     T ▷ B_new  =  T ▷ Net(matched stored rows + changes of matched rows)
#
# and B is not read at all. The changes of the matched rows are T ⋈ ΔB, carried up to the view: a
# further join above may have made several stored rows of one match, and does the same with what is
# gone of it (Gupta & Mumick, 6.1 and 6.3; as printed, the copies of one row count as partners of
# each other, error E9). Rows are told by the columns that the condition reads, NULLs being equal.
#
#     sales ⟕ stores, a store is deleted     its sales are T; those of which no matched row is
#                                             left after the deletion are padded


@dataclass(frozen=True, slots=True)
class Tested:
    """A side of an outer join that is tested for partners, its changes, and the same of the part
    of it that decides.
    """

    side: Rel
    changes: Rel | None
    part: Rel
    of_part: Rel | None


@dataclass(frozen=True, slots=True)
class Matched:
    """The rows of A_old that meet a touched row of B, and the changes of the matched rows."""

    retested: Rel
    changes: Rel


def lone_again(join: Join, tested: Tested, matched: Matched, context: DeltaContext) -> list[Rel]:
    """T ▷ B_new - T ▷ B_old of the rows of A that a join pads where B has no partner of them. Of
    insertions alone no row of T is without partner now; of deletions alone none was before.
    """
    if tested.of_part is None:
        return []
    test = replace(join, right=tested.part)
    retested = matched.retested
    if tested.part is not tested.side:
        retested = tested_again(test, tested.of_part, context, At.OLD)
    sign = context.signs.of(tested.of_part)
    stored = _stored_terms(test, tested, Matched(retested, matched.changes), context)
    if stored is not None:
        return [Signed(lone, weight) for weight, lone in stored if sign in (None, OTHER[weight])]
    if sign is not None:
        return [Signed(lone_otherwise(test, retested, sign, context), OTHER[sign])]
    old, new = (context.at(tested.part, snapshot) for snapshot in (At.OLD, At.NEW))
    return [
        Signed(Join("anti", retested, new, join.condition), 1),
        Signed(Join("anti", retested, old, join.condition), -1),
    ]


def _stored_terms(
    test: Join, tested: Tested, matched: Matched, context: DeltaContext
) -> list[tuple[WeightSign, Rel]] | None:
    """The rows that have no partner now, and those that had none, as stored rows tell them; None
    if these do not, or if what they would tell is read faster.
    """
    stored, mark = context.known.stored, context.stored_mark(test.left, tested.side, tested.part)
    if stored is None or mark is None:
        return None
    more = carried(stored.definition, mark, matched.changes, context)
    if more is None:
        return None
    same, retested = same_key(mark.key, stored.key(mark)), matched.retested
    had_none = Join("semi", retested, stored.padded(mark), same)
    has_none = Join("anti", retested, _left(mark, retested, more, context), same)
    return [(1, has_none), (-1, had_none)]


def _left(mark: JoinMark, retested: Rel, more: Rel, context: DeltaContext) -> Touched:
    """The keys of T of which matched rows are left: net of what is gone, so that each is there."""
    stored = context.known.stored
    assert stored is not None
    key = stored.key(mark)
    columns = context.fresh.columns(c.name for c in key)
    pairs = zip(columns, mark.key, strict=True)
    keys = Project(retested, tuple((c, Ref(own.id)) for c, own in pairs))
    before = Join("semi", stored.matched(mark), keys, same_key(key, columns))
    after = UnionAll((Signed(before, 1), stored.shown(more, mark)), key)
    return Touched(Net(after), key)
