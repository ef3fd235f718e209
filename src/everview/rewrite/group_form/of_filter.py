"""Conditions above groups: of keys alone they go below, of anything else they wait for a reader."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.relations import Filter, Rel
from everview.algebra.scalars import Scalar, all_of, conjuncts, refs
from everview.rewrite.group_form.form import GroupForm, Making, NoForm, Passing


def of_filter(rel: Filter, form: GroupForm, making: Making) -> GroupForm | NoForm:
    """σ_p(γ_G(A)): below the groups where p reads keys alone, else a condition of what is shown."""
    conditions = tuple(form.over(c) for c in conjuncts(rel.condition))
    found = with_conditions(rel, form, conditions, making)
    if isinstance(found, NoForm):
        return found
    stays = len(found.shown) > len(form.shown)
    return found.after(rel, Passing.VALUES_TESTED if stays else Passing.KEYS_TESTED)


def with_conditions(
    operator: Rel, form: GroupForm, conditions: tuple[Scalar, ...], making: Making
) -> GroupForm | NoForm:
    """σ_p(γ_G(A))  =  γ_G(σ_p(A)),  where p reads keys alone; else the groups are stored whether
    they pass or not, and p is one of the conditions under which they are shown.
    """
    below = tuple(
        c for c in conditions if refs(c) and refs(c) <= form.keys and making.are_plain(refs(c))
    )
    above = tuple(c for c in conditions if c not in below)
    if not all(making.repeats(form, c) for c in above):
        return NoForm(operator, "it tests a value of a group that need not come out the same")
    if below:
        rows = Filter(form.aggregate.input, all_of(below))
        form = replace(form, aggregate=replace(form.aggregate, input=rows))
    return replace(form, shown=(*form.shown, *above))
