"""Groups joined with at most one row each: its columns become keys of the groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from everview.algebra.derive.keys import has_key_among, keys
from everview.algebra.relations import Join, Rel, Side
from everview.algebra.scalars import Ref, Scalar, all_of, conjuncts, refs
from everview.rewrite.group_form.conditions import conditions_of
from everview.rewrite.group_form.form import GroupForm, Making, NoForm, Passing, as_they_are
from everview.rewrite.group_form.of_filter import with_conditions

# What goes in: groups joined with a relation in which each finds at most one row, because the
# columns that are equated hold a key of it. What comes out: groups of the rows joined with it, its
# columns among the keys. All rows of a group find the same row, so there are as many groups as
# before, with the same rows in each; and a changed row of the groups now only looks its one
# partner up, where the group before had to be computed anew to be joined.
#
#     γ store, sum(price) (sales) ⋈ γ store, max(day) (visits)
#     γ store, the day; sum(price) (sales ⋈ γ store, max(day) (visits))


@dataclass(frozen=True, slots=True)
class _Lookup:
    """The side of a join that has groups, and the other, in which rows are looked up."""

    join: Join
    form: GroupForm
    other: Rel
    side: Side  # of the groups

    def why_not(self, making: Making) -> str:
        """Why the columns looked up cannot be keys, "" if they can."""
        if not self.form.keys:
            return "an aggregate without keys has a row also of no rows"
        equated = [
            (e.left, e.right) if self.side == "left" else (e.right, e.left)
            for e in conditions_of(self.join, making).equated
        ]
        own = [self.form.values[mine] for mine, _ in equated]
        found = [theirs for (_, theirs), s in zip(equated, own, strict=True) if self._is_key(s)]
        if not has_key_among(found, keys(self.other, making.types)):
            return "a group may find several rows, or is found by what is computed of it"
        columns = frozenset(c.id for c in self.other.columns)
        if not making.are_plain(columns | self.form.keys):
            return "columns of a type by which groups cannot be told exactly would be keys"
        if columns & {c.id for c in self.form.aggregate.input.columns}:
            return "both sides read the same rows"
        return ""

    def _is_key(self, scalar: Scalar) -> bool:
        return isinstance(scalar, Ref) and scalar.id in self.form.keys

    def joined(self, making: Making) -> GroupForm | NoForm:
        kept = self.form.keys | {c.id for c in self.other.columns}
        own = [self.form.over(c) for c in conjuncts(self.join.condition)]
        below = tuple(c for c in own if refs(c) <= kept)
        above = tuple(c for c in own if not refs(c) <= kept)
        aggregate = self.form.aggregate
        sides = (aggregate.input, self.other)
        left, right = sides if self.side == "left" else reversed(sides)
        rows = replace(self.join, left=left, right=right, condition=all_of(below))
        # What is scanned twice would have the same columns twice.
        aggregate = replace(aggregate, input=rows, keys=(*aggregate.keys, *self.other.columns))
        mine, theirs = self.form.outputs, as_they_are(self.other.columns)
        outputs = (*mine, *theirs) if self.side == "left" else (*theirs, *mine)
        form = replace(self.form, aggregate=aggregate, outputs=outputs)
        if above and self.join.kind != "inner":
            return NoForm(self.join, "a value computed of the groups decides which are padded")
        return with_conditions(self.join, form.after(self.join, Passing.LOOKUP), above, making)


def with_lookup(
    join: Join, left: GroupForm | NoForm, right: GroupForm | NoForm, making: Making
) -> GroupForm | NoForm:
    """γ_G,f(A) ⋈ S  =  γ_G∪S,f(A ⋈ S),  where G finds at most one row of S; also ⟕"""
    why_not = "the groups are on the side that the join pads or tests"
    for lookup in _lookups(join, left, right):
        why_not = lookup.why_not(making)
        if not why_not:
            return lookup.joined(making)
    return NoForm(join, why_not)


def _lookups(join: Join, left: GroupForm | NoForm, right: GroupForm | NoForm) -> Iterator[_Lookup]:
    if isinstance(left, GroupForm) and join.kind in ("inner", "left"):
        yield _Lookup(join, left, join.right, "left")
    if isinstance(right, GroupForm) and join.kind in ("inner", "right"):
        yield _Lookup(join, right, join.left, "right")
