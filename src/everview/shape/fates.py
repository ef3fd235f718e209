"""What became of the operators of a definition in the plan by which it is maintained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from everview.algebra.relations import Aggregate, Distinct, Filter, Rel
from everview.algebra.scalars import ColumnId
from everview.algebra.walk import walk_plan
from everview.optimize.passes import PassContext, Ran, When, improved
from everview.rewrite.group_form.form import NoForm, Passed, Passing
from everview.rewrite.group_form.group_form import group_form
from everview.shape.as_read import AsRead
from everview.shape.bag import Bag
from everview.shape.grouped import Grouped
from everview.shape.shape import Keyed

# What goes in: a definition as it was read, and its shape. What comes out: of each operator whether
# it is still there below what is stored, whether the groups at the root were brought past it, and
# where that ended and why. Operators are known again by their columns: a column has a number of
# its own, which it keeps however a plan is rewritten.

_Identity = tuple[object, ...]


def _identity(rel: Rel) -> _Identity:
    if isinstance(rel, Filter):
        return Filter, rel.condition
    return type(rel), tuple(c.id for c in rel.columns)


def _identities(some: Iterable[Rel]) -> frozenset[_Identity]:
    return frozenset(map(_identity, some))


@dataclass(frozen=True, slots=True)
class Fates:
    """`has_table`: whether a change table is applied to what is stored. `staying` are the groups
    that are computed anew below it, `left_out` what a key makes needless, `over_keys` the operators
    that are computed for touched keys alone.
    """

    has_table: bool
    staying: frozenset[_Identity]
    left_out: frozenset[_Identity]
    over_keys: frozenset[_Identity]
    formed: Mapping[_Identity, Passing]
    ended: NoForm | None
    recomputed: frozenset[ColumnId]

    def stays(self, rel: Rel) -> bool:
        return _identity(rel) in self.staying

    def is_left_out(self, rel: Rel) -> bool:
        return _identity(rel) in self.left_out

    def is_over_keys(self, rel: Rel) -> bool:
        return _identity(rel) in self.over_keys

    def how(self, rel: Rel) -> Passing | None:
        """How the groups at the root were brought past an operator, None if they were not."""
        return self.formed.get(_identity(rel))

    def why_not(self, rel: Rel) -> str:
        """Why the rows of the operator are not kept as groups, where that was found at it."""
        ended = self.ended
        return (
            ended.reason
            if ended is not None and _identity(ended.operator) == _identity(rel)
            else ""
        )


def fates_of(shape: Keyed | Grouped | Bag, origin: AsRead) -> Fates:
    """The fates of the operators of a definition in its shape."""
    made = {ran.name: ran.plan for ran in _typed(origin)}
    apart, merged = made["needless_distinct"], made["groups_of_groups"]
    form = group_form(merged, origin.types)
    passed: tuple[Passed, ...] = () if isinstance(form, NoForm) else form.passed
    still = _identities(walk_plan(apart))
    distincts = (r for r in walk_plan(origin.rel) if isinstance(r, Distinct))
    below = _maintained(shape)
    return Fates(
        has_table=isinstance(shape, Keyed),
        staying=_identities(r for r in walk_plan(below) if isinstance(r, Aggregate | Distinct)),
        left_out=_identities(distincts) - still,
        over_keys=_over_keys(shape, origin) if isinstance(shape, Grouped) else frozenset(),
        formed={_identity(p.operator): p.how for p in passed} if isinstance(shape, Keyed) else {},
        ended=form if isinstance(form, NoForm) else None,
        recomputed=(
            frozenset(c.id for c, _ in shape.view.recomputed)
            if isinstance(shape, Keyed)
            else frozenset()
        ),
    )


def _typed(origin: AsRead) -> tuple[Ran, ...]:
    """The passes that a definition went through, none of which can be off."""
    return improved(When.TYPED, origin.rel, PassContext(origin.types)).ran


def _maintained(shape: Keyed | Grouped | Bag) -> Rel:
    """What the changes of rows are propagated through."""
    match shape:
        case Keyed(view, _):
            return view.input
        case Grouped(view, _, _):
            return view.base
        case Bag():
            return shape.stored


def _over_keys(shape: Grouped, origin: AsRead) -> frozenset[_Identity]:
    """The operators from the root down to the lowest one that looks at the rows of a key."""
    lowest = _identity(shape.view.above[-1])
    found = [origin.rel]
    while _identity(found[-1]) != lowest and len(found[-1].inputs) == 1:
        found.append(found[-1].inputs[0])
    if _identity(found[-1]) != lowest:
        return frozenset()
    return _identities(found)
