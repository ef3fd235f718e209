"""The law of the group form: groups with selections, projections, joins and unions above them are
the same rows as one aggregate of which some groups are shown; their changes are the same, and the
stored groups are maintained by the change table alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from random import Random

from everview.aggregates.keyed import KeyedView, keyed_view
from everview.algebra.derive.signs import Signs
from everview.algebra.derive.typed import typed
from everview.algebra.joins import JoinKind
from everview.algebra.meaning.plans import CountedBag, Row, State, lines, rows
from everview.algebra.relations import Aggregate, At, Join, Rel, UnionAll
from everview.algebra.scalars import And, Compare, Or, Ref, Scalar, Types, refs
from everview.algebra.walk import at, walk_plan
from everview.apply.exact import LeftToSpark
from everview.apply.lines import DELETE, INSERT, UPDATE_NEW, UPDATE_OLD
from everview.apply.merge_groups import MergedGroups, MergeGroups
from everview.delta.aggregate import change_table
from everview.delta.context import Known
from everview.delta.propagate import delta
from everview.optimize.passes import When, improved
from everview.optimize.simplified import rooted_in_groups
from everview.rewrite.group_form.form import GroupForm
from everview.rewrite.group_form.group_form import group_form
from everview.shape.shown_groups import shown_groups
from tests.laws.evaluate import Evaluator
from tests.laws.generate import only_of
from tests.laws.group_law import GroupTrees
from tests.laws.key_law import TYPES, NotSo
from tests.laws.law import VIEW, Refresh, Seen
from tests.laws.merge_law import check_columns, stored_keys
from tests.laws.tables import random_tables

SAME_KEYS: tuple[JoinKind, ...] = ("inner", "inner", "left", "right", "full", "semi", "anti")


class FormTrees(GroupTrees):
    """Groups below operators that a change table gets past, most of the time."""

    def formed(self) -> Rel:
        rel = self._keyed_groups()
        for _ in range(self.rng.choice((1, 1, 2, 3))):
            rel = self._above(rel)
        return rel

    def _keyed_groups(self, size: int = 0) -> Aggregate:
        leaf = self.tree(self.rng.choice((0, 0, 0, 1)))
        numbers = self.scalars.of(leaf.columns, "number")
        keys = tuple(self.rng.sample(numbers, min(len(numbers), size or self.rng.choice((1, 2)))))
        calls = tuple(self._call(leaf.columns) for _ in range(self.rng.choice((0, 1, 2))))
        return Aggregate(leaf, keys, calls)

    def _above(self, rel: Rel) -> Rel:
        made = self.rng.choice(("layer", "layer", "keys", "keys", "keys", "lookup", "union"))
        if made == "layer":
            return self._layer(rel)
        if made == "union":
            return self._united(rel) if self.rng.random() < 0.3 else self._tagged(rel)
        return self._by_keys(rel) if made == "keys" else self._looked_up(rel)

    def _by_keys(self, rel: Rel) -> Rel:
        """A join with other groups, or a test of other rows, by the columns that stand first."""
        form = self._form(rel)
        shown = [
            c
            for c, s in (() if form is None else form.outputs)
            if isinstance(s, Ref) and s.id in form.keys
        ]
        if not shown or self.rng.random() < 0.1:
            return self._joined(rel)
        other: Rel = self._keyed_groups(len(shown))
        kind = self.rng.choice(SAME_KEYS)
        if kind in ("semi", "anti") and self.rng.random() < 0.5:
            other = self._leaf()
        some = self.scalars.of(other.columns, "number")[: len(shown)]
        pairs = [(c, d) for c, d in zip(shown, some, strict=False)]
        self.rng.shuffle(pairs)
        if self.rng.random() < 0.1:
            pairs.append(self.rng.choice(pairs))
        parts: list[Scalar] = []
        for one, two in pairs:
            both = (Ref(one.id), Ref(two.id))
            left, right = both if self.rng.random() < 0.5 else both[::-1]
            parts.append(Compare(self.rng.choice(("=", "=", "<=>")), left, right))
        if self.rng.random() < 0.25:
            parts.append(self.scalars.condition(rel.columns + other.columns))
        self.layers.append(f"keys {kind}")
        if kind not in ("semi", "anti") and self.rng.random() < 0.5:
            rel, other = other, rel
        return Join(kind, rel, other, And(tuple(parts)) if len(parts) > 1 else parts[0])

    def _looked_up(self, rel: Rel) -> Rel:
        other = self._keyed_groups(1)
        kind = self.rng.choice(("inner", "inner", "left", "right"))
        self.layers.append(f"lookup {kind}")
        pair = Compare("=", self.scalars.number(rel.columns), Ref(other.keys[0].id))
        condition: Scalar = pair
        drawn = self.rng.random()
        if drawn < 0.3:
            condition = And((pair, self.scalars.condition(rel.columns + other.columns)))
        elif drawn < 0.5:
            condition = And((pair, self._of_all(rel, other)))
        if kind == "right" or (kind == "inner" and self.rng.random() < 0.5):
            return Join(kind, other, rel, condition)
        return Join(kind, rel, other, condition)

    def _of_all(self, rel: Rel, other: Aggregate) -> Scalar:
        """One condition on everything by which the rows of two groups are known."""
        form = self._form(rel)
        keys = frozenset() if form is None else form.keys
        own = [c for c, s in (() if form is None else form.outputs) if isinstance(s, Ref)]
        read = [c for c in own if form is not None and refs(form.values[c.id]) <= keys]
        key, *others = (Ref(c.id) for c in other.columns)
        pairs = [Compare("<", Ref(c.id), key) for c in (read or rel.columns)]
        return Or((*pairs, *(Compare("=", key, o) for o in others), Compare(">", key, key)))

    def _tagged(self, rel: Rel) -> Rel:
        """A union of groups with groups."""
        self.layers.append("union of groups")
        inputs = self._alike(rel, self._keyed_groups())
        return UnionAll(inputs, self._like(inputs[0]))

    def types(self) -> dict[int, str]:
        return {c: TYPES[kind] for c, kind in self.scalars.kinds.items()}

    def _form(self, rel: Rel) -> GroupForm | None:
        form = group_form(rel, self.types())
        return form if isinstance(form, GroupForm) else None


def check_form(seed: int, seen: Seen) -> None:
    """Over one random tree: rows and changes stay, and the stored groups are maintained."""
    rng = Random(seed)
    state, changed = random_tables(rng)
    trees = FormTrees(rng, state)
    rel = trees.formed()
    types = trees.types()
    known = Evaluator(state)
    form = group_form(rel, types)
    if not isinstance(form, GroupForm):
        seen.met("singularity point")
        return
    plan = rooted_in_groups(rel, types)
    if known.snapshots(plan) != known.snapshots(rel) or plan.columns != rel.columns:
        raise NotSo(rel, f"other rows by {plan}")
    changes = delta(plan, changed)
    if known.difference(rel) != (CountedBag() if changes is None else known.rows(changes)):
        raise NotSo(rel, f"other changes by {plan}")
    changes_at_all = bool(known.difference(rel))
    _check_refresh(rel, plan, (types, state), changed, seen)
    seen.met("rows change", when=changes_at_all)
    for passed in form.passed:
        seen.met(f"past: {passed.how.name}", when=changes_at_all)
    for layer in set(trees.layers):
        seen.met(f"past {layer}", when=changes_at_all)


def _check_refresh(
    rel: Rel, plan: Rel, given: tuple[Types, State], changed: frozenset[str], seen: Seen
) -> None:
    """refresh(stored groups at OLD, change table) == stored groups at NEW, of which those that are
    shown are the rows of the relation; what a reader is told came, changed and went is so.
    """
    types, state = given
    groups = shown_groups(plan, _all_types(plan, types))
    assert groups is not None, plan
    rows_ = groups.rows
    if groups.flag is not None:
        rows_ = replace(rows_, outputs=(*rows_.outputs, (groups.flag, groups.shown)))
    view = keyed_view(rows_, _all_types(rows_, types), groups.flag)
    old, new = (rows(at(view.full(), snapshot), state) for snapshot in At)
    for snapshot, stored in ((At.OLD, old), (At.NEW, new)):
        if _seen_rows(view, stored) != rows(at(rel, snapshot), state):
            raise NotSo(rel, f"a reader sees other rows of {view.full()}")
    changes = delta(view.input, changed, Known(only_of(state, changed)))
    if changes is None:
        return
    table = improved(When.CHANGES, change_table(view, changes)).plan
    at_old = {**state.tables, (VIEW, At.OLD): tuple(old.elements())}
    refresh = Refresh(view, table, replace(state, tables=at_old), Signs().of(changes) == 1)
    written = refresh.written()
    if Counter(row for row, _ in written["rows"]) != new:
        raise NotSo(rel, f"the refreshed groups are others: {written}, should be {new}")
    told = Counter(action for part in ("plus", "minus") for _, action in written[part])
    if told[UPDATE_NEW] != told[UPDATE_OLD]:
        raise NotSo(rel, f"updates without old or new rows: {told}")
    changed_groups = [row for row, _ in lines(change_table(view, changes), state)]
    _check_merged(view, changed_groups, (old, told), seen)
    before, after = (_seen_keys(view, some) for some in (old, new))
    if (told[INSERT], told[DELETE]) != (len(after - before), len(before - after)):
        raise NotSo(rel, f"told {told}, but {before} became {after}")
    seen.met("a group begins to be shown", when=groups.flag and (after - before))


def _check_merged(
    view: KeyedView, table: list[Row], result: tuple[CountedBag, Counter[int | None]], seen: Seen
) -> None:
    """Groups merged over values at hand tell a reader of the same rows that come, change and go,
    row by row and as columns.
    """
    stored, told = result
    try:
        merge = MergeGroups(view)
        held = [_as_floats(row) for row in stored.elements()]
        keys = stored_keys(view, held)
        width = len(view.keys)
        places = {i: keys[r[:width]] for i, r in enumerate(table) if r[:width] in keys}
        merged = merge.merge(table, held, places)
    except LeftToSpark:
        return
    check_columns(view, (table, held, places), merged, seen)
    if isinstance(merged, MergedGroups):
        expected = {"insert": told[INSERT], "update": told[UPDATE_NEW], "delete": told[DELETE]}
        assert merged.counted == Counter(expected), (merged, told)


def _as_floats(row: Row) -> Row:
    """A row as it is read: means, which the meaning computes exactly, are floats."""
    return tuple(float(v) if isinstance(v, Fraction) else v for v in row)


def _seen_rows(view: KeyedView, stored: CountedBag) -> CountedBag:
    found: CountedBag = Counter()
    width = len(view.public) - (view.shown is not None)
    for row, number in stored.items():
        if view.shown is None or row[width] is True:
            found[row[:width]] += number
    return found


def _seen_keys(view: KeyedView, stored: CountedBag) -> set[Row]:
    place = {held.id: i for i, (_, held) in enumerate(view.stored)}
    width = len(view.public) - 1
    return {
        tuple(row[place[k.id]] for k in view.keys)
        for row in stored
        if view.shown is None or row[width] is True
    }


def _all_types(rel: Rel, types: Types) -> dict[int, str]:
    """The types of all columns; those made on the way hold numbers."""
    known = dict(typed(rel, types))
    for some in walk_plan(rel):
        for column in some.columns:
            known.setdefault(column.id, "long")
    return known
