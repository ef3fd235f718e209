"""Joins of groups: by all keys of both, or with what adds columns to each group."""

from __future__ import annotations

from everview.algebra.relations import Aggregate, Join, Rel
from everview.algebra.scalars import ColumnId, Ref
from everview.rewrite.group_form.conditions import Equated, conditions_of
from everview.rewrite.group_form.form import GroupForm, Making, NoForm, as_they_are
from everview.rewrite.group_form.lookup import with_lookup
from everview.rewrite.group_form.same_keys import SameKeys, joined_by_keys


def of_join(
    join: Join, left: GroupForm | NoForm, right: GroupForm | NoForm, making: Making
) -> GroupForm | NoForm:
    """The rows of a join as groups, where one of its inputs has such a form, or both have."""
    if isinstance(left, NoForm) and isinstance(right, NoForm):
        return left
    if join.kind in ("cross", "mark"):
        return NoForm(join, f"a {join.kind} join has no equal keys that decide")
    conditions = conditions_of(join, making)
    equated = conditions.equated
    if join.kind in ("semi", "anti") and isinstance(left, GroupForm):
        right = _tested(join.right, right, tuple(dict.fromkeys(e.right for e in equated)))
    if isinstance(left, GroupForm) and isinstance(right, GroupForm):
        pairs = _pairs(left, right, equated)
        if pairs is not None:
            return joined_by_keys(SameKeys(join, left, right, pairs, conditions.rest), making)
    return with_lookup(join, left, right, making)


def _tested(
    rel: Rel, form: GroupForm | NoForm, columns: tuple[ColumnId, ...]
) -> GroupForm | NoForm:
    """The distinct values of these columns: how often a row can be met is all one to a test."""
    if isinstance(form, GroupForm) and form.keys == _keys(form, columns):
        return form
    keys = tuple(c for c in rel.columns if c.id in columns)
    if not keys:
        return NoForm(rel, "no column is equated")
    return GroupForm(Aggregate(rel, keys, ()), as_they_are(keys))


def _keys(form: GroupForm, columns: tuple[ColumnId, ...]) -> frozenset[ColumnId]:
    """The keys that these columns of the form are."""
    values = [form.values[c] for c in columns]
    return frozenset(v.id for v in values if isinstance(v, Ref)) & form.keys


def _pairs(
    left: GroupForm, right: GroupForm, equated: tuple[Equated, ...]
) -> tuple[Equated, ...] | None:
    """The keys that are equated, each of one side with one of the other; None unless these are all
    keys of both and nothing else is equated.
    """
    found = []
    for one in equated:
        x, y = left.values[one.left], right.values[one.right]
        if not isinstance(x, Ref) or not isinstance(y, Ref):
            return None
        found.append(Equated(x.id, y.id, one.op))
    pairs = tuple(dict.fromkeys(found))
    lefts, rights = [p.left for p in pairs], [p.right for p in pairs]
    is_all = set(lefts) == left.keys and set(rights) == right.keys
    is_each_once = len(set(lefts)) == len(lefts) and len(set(rights)) == len(rights)
    return pairs if pairs and is_all and is_each_once else None
