"""Some of the passes alone, for tests of what they do."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.relations import Rel
from everview.algebra.scalars import Types
from everview.delta.context import NOTHING_KNOWN, Known
from everview.delta.propagate import delta
from everview.optimize.passes import PASSES, PassContext, When, improved

OPTIONAL = tuple(one.name for one in PASSES if not one.required)


def changes_of(rel: Rel, changed: frozenset[str], known: Known = NOTHING_KNOWN) -> Rel | None:
    """The changes of a definition, as a refresh propagates them."""
    return delta(joined_by_keys(rel), changed, known)


def joined_by_keys(rel: Rel, off: frozenset[str] = frozenset()) -> Rel:
    """A definition whose joins meet the filters that connect them."""
    return improved(When.BEFORE, rel, PassContext(off=off)).plan


def simplified(rel: Rel, types: Types) -> Rel:
    """A definition without what its keys make needless."""
    return improved(When.TYPED, rel, PassContext(types)).plan


def ordered_terms(rel: Rel) -> Rel:
    """Changes as a union of terms, each a chain of joins that starts from its changes."""
    return changes_by(rel, "union_of_terms", "join_order")


def changes_by(rel: Rel, *names: str, context: PassContext | None = None) -> Rel:
    """Changes after these passes alone."""
    others = frozenset(OPTIONAL).difference(names)
    return improved(When.CHANGES, rel, replace(context or PassContext(), off=others)).plan
