"""Groups of which a reader sees those that pass a condition; all of them are stored."""

from __future__ import annotations

from dataclasses import dataclass

from everview.algebra.fresh import Fresh
from everview.algebra.relations import Aggregate, Filter, Project, Rel
from everview.algebra.scalars import (
    FALSE,
    TRUE,
    Case,
    Column,
    Constant,
    Ref,
    Scalar,
    Types,
)
from everview.algebra.walk import highest_id
from everview.facts.views import hidden_name
from everview.rewrite.group_form.form import GroupForm, in_order, only_if
from everview.rewrite.group_form.group_form import making

# What goes in: a definition whose root is groups, perhaps tested by HAVING. What comes out: the
# same groups without the test, and the test as one more column, which is stored hidden and by which
# readers leave groups out. So a group that does not pass today is there when it passes tomorrow,
# and no row of the sources is read to make it. What is computed of a group is computed only where
# it passes, as in the text: `sum(x) / count(y) ... HAVING count(y) > 0` must not divide by zero.
#
#     Π city, total / n (σ n > 0 (γ city, sum(price) as total, count(price) as n (sales)))
#     Π city, if n > 0: total / n, n > 0 as __ev.s0_shown (γ ...)


@dataclass(frozen=True, slots=True)
class ShownGroups:
    """The stored rows of groups, and whether a reader sees each: by the scalar `shown`, which is
    stored as the column `flag`; None where he sees all.
    """

    rows: Project
    aggregate: Aggregate
    shown: Scalar = TRUE
    flag: Column | None = None


def shown_groups(rel: Rel, types: Types) -> ShownGroups | None:
    """The groups at the root of a definition; None if its rows are not stored as groups."""
    match rel:
        case Project(Aggregate() as aggregate):
            return ShownGroups(rel, aggregate)
        case Project(Filter(Aggregate() as aggregate, condition), outputs):
            pass
        case _:
            return None
    form = GroupForm(aggregate, outputs, (condition,))
    if not making(rel, types).repeats(form, condition):
        return None  # the test reads what need not come out the same: rows are replaced by key
    shown = Case(((in_order(condition), TRUE),), FALSE)
    outputs = tuple((c, _guarded(s, shown)) for c, s in outputs)
    flag = Fresh(highest_id(rel)).column(hidden_name("s", 0, "shown"))
    return ShownGroups(Project(aggregate, outputs), aggregate, shown, flag)


def _guarded(scalar: Scalar, shown: Scalar) -> Scalar:
    return scalar if isinstance(scalar, Ref | Constant) else only_if(shown, scalar)
