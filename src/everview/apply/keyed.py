"""The refresh operator for keyed views: stored rows and a change table give new rows."""

from __future__ import annotations

from everview.aggregates.areas import Scalars
from everview.aggregates.keyed import KeptArea, KeyedView
from everview.algebra.fresh import Fresh
from everview.algebra.relations import At, Filter, Join, Local, Project, Rel, Scan
from everview.algebra.scalars import (
    FALSE,
    NULL,
    TRUE,
    And,
    Call,
    Case,
    Cast,
    Column,
    Compare,
    IsNull,
    Not,
    Or,
    Ref,
    Scalar,
    comparable,
    integer,
    string,
    substitute,
)
from everview.algebra.walk import at
from everview.apply.lines import (
    ACTION,
    DELETE,
    INSERT,
    MINUS,
    NO_ACTION,
    PART,
    ROWS,
    UPDATE_NEW,
    UPDATE_OLD,
    action_code,
    is_part,
    line_parts,
)
from everview.apply.seen_groups import SeenGroups
from everview.apply.touched_groups import TouchedGroups
from everview.delta.touched import same_key
from everview.facts.checks import GROUP_BELOW_ZERO

CHANGES, LOST = "changes", "lost"
BELOW_ZERO = string(GROUP_BELOW_ZERO.raised)


class ApplyKeyed:
    """The plans that apply a change table to a stored keyed view (Gupta & Mumick, definition 2).

    A stored group whose count stays above 0 is updated, one whose count becomes 0 is deleted, a
    key that is not stored is inserted, never with count 0 (error E10). Without keys the one
    group stays. `from_rows`: every touched group is computed from its rows, hidden values
    included, although its changes would tell what it becomes.
    """

    def __init__(self, view: KeyedView, table: str, *, from_rows: bool = False) -> None:
        self.view = view
        self.always = from_rows or bool(view.recomputed)
        self._fresh = Fresh(view.highest_id())
        self._keys = self._fresh.columns(f"key_{k.name}" for k in view.keys)
        self._kept = view.kept_columns()
        self._new = self._fresh.columns(f"new_{c.name}" for c in self._kept)
        self._old_public = self._fresh.columns(f"old_{c.name}" for c, _ in view.public)
        self._part = self._fresh.column("part")
        deltas = tuple(column for column, _ in view.work_deltas())
        self.changes = Local(CHANGES, self._keys + deltas)
        self._stored = self._unpacked(Scan(table, At.OLD, view.stored_columns))

    def _unpacked(self, scan: Scan) -> Rel:
        """The stored rows: the kept values under the view's own columns, then the public ones."""
        place = {held.id: column.id for column, held in self.view.stored}
        kept = tuple((c, Ref(place[c.id])) for c in self._kept)
        public = zip(self._old_public, self.view.stored_columns, strict=False)
        return Project(scan, (*kept, *((old, Ref(c.id)) for old, c in public)))

    # Which groups the changes cannot tell

    def certain(self) -> Rel | None:
        """The keys that the change table alone says must be recomputed; None if there never are."""
        condition = self._certain()
        return None if condition is None else self._keys_of(Filter(self.changes, condition))

    def lost(self) -> Rel | None:
        """The keys of all groups to recompute, told with their stored values; None if never
        needed.
        """
        checks = [k.area.lost(k.old, k.change) for k in self.view.areas if k.area.lost]
        if not checks or self.always:
            return None
        stored = Join("inner", self._stored, self.changes, self._same_key(), broadcast="right")
        count = _merged(self.view.count, self.view.count.old)[0]
        alive = Compare(">", count, integer(0)) if self.view.keys else TRUE
        which = Or((*checks, self._certain() or FALSE))
        return self._keys_of(Filter(stored, And((alive, which))))

    def fetched(self) -> Local:
        """The keys to recompute, as an earlier step fetched them."""
        return Local(LOST, self._keys)

    def _certain(self) -> Scalar | None:
        if self.always:
            return TRUE
        tests = [k.area.recompute(k.change) for k in self.view.areas if k.area.recompute]
        return Or(tuple(tests)) if tests else None

    def _keys_of(self, rel: Rel) -> Rel:
        return Project(rel, tuple((c, Ref(c.id)) for c in self._keys))

    def _same_key(self) -> Scalar:
        return same_key(self.view.keys, self._keys)

    # Every line to write

    def lines(self, recompute: Rel | None) -> tuple[Rel, ...]:
        """The lines of stored rows and those of new keys: part, action, then the stored columns.

        `recompute` holds the keys of the groups to recompute.
        """
        touched = self._touched(recompute)
        stored = self._stored_lines(touched)
        return (stored, self._new_lines(touched)) if self.view.keys else (stored,)

    def _stored_lines(self, touched: TouchedGroups) -> Rel:
        """Untouched rows as they are; of a touched one the new row, and old and new if they
        differ.
        """
        each = Join("cross", touched.rel, line_parts(self._part), broadcast="right")
        joined = Join("left", self._stored, each, self._same_key(), broadcast="right")
        untouched = IsNull(Ref(self._part.id))
        computed = self._computed(joined, touched, untouched)
        gone = Compare("=", self._count(), integer(0)) if self.view.keys else FALSE
        is_row, is_old = is_part(self._part, ROWS), is_part(self._part, MINUS)
        new_or_old = Or((is_old, Not(gone)))
        seen = self._seen(touched)
        shown = Or((is_row, gone, self._differs(touched)))
        lines = Filter(computed, Or((untouched, And((new_or_old, shown)))))
        action = Case(
            (
                (Or((untouched, is_row)), NO_ACTION),
                *(() if seen is None else seen.actions(is_old)),
                (gone, action_code(DELETE)),
                (is_old, action_code(UPDATE_OLD)),
            ),
            action_code(UPDATE_NEW),
        )
        return self._laid_out(lines, touched, Or((untouched, is_old)), action)

    def _seen(self, touched: TouchedGroups) -> SeenGroups | None:
        """Whether a reader sees the old row of a group, and the new one; None if he sees all."""
        if self.view.shown is None:
            return None
        place = [c for c, _ in self.view.public].index(self.view.shown)
        return SeenGroups(Ref(self._old_public[place].id), self._public(touched)[place])

    def _new_lines(self, touched: TouchedGroups) -> Rel:
        """The rows of keys that are not stored; the stored side is cut to the touched keys
        first.
        """
        tested = Join("semi", self._stored, touched.rel, self._same_key(), broadcast="right")
        matched = Project(tested, tuple((k, Ref(k.id)) for k in self.view.keys))
        new = Join("anti", touched.rel, matched, self._same_key(), broadcast="right")
        empty = self._empty(new)
        computed = self._computed(empty, touched, FALSE)
        alive = Filter(computed, Compare("<>", self._count(), integer(0)))
        each = Join("cross", alive, line_parts(self._part), broadcast="right")
        lines = Filter(each, Not(is_part(self._part, MINUS)))
        seen = self._seen(touched)
        is_idle = Or((is_part(self._part, ROWS), *(() if seen is None else (Not(seen.after),))))
        action = Case(((is_idle, NO_ACTION),), action_code(INSERT))
        return self._laid_out(lines, touched, FALSE, action)

    # What a group becomes

    def _touched(self, recompute: Rel | None) -> TouchedGroups:
        """The change table, with the new values of recomputed groups beside."""
        if recompute is None:
            return TouchedGroups(self.changes)
        values = self._fresh.columns(f"redone_{c.name}" for c in self._kept)
        source = at(self.view.input, At.NEW)
        if self.view.keys:
            wanted = self._fresh.columns(f"wanted_{k.name}" for k in self.view.keys)
            renamed = zip(wanted, recompute.columns, strict=True)
            keys = Project(recompute, tuple((w, Ref(c.id)) for w, c in renamed))
            same = same_key(self.view.keys, wanted)
            source = Join("semi", source, keys, same, broadcast="right")
        public = self._fresh.columns(f"redone_{c.name}" for c, _ in self.view.computed)
        kept = [(v, Ref(c.id)) for v, c in zip(values, self._kept, strict=True)]
        shown = [(p, s) for p, (_, s) in zip(public, self.view.computed, strict=True)]
        redone = Project(self.view.groups(source), (*kept, *shown))
        same = same_key(self._keys, values[: len(self._keys)])
        joined = Join("left", self.changes, redone, same, broadcast="right")
        return TouchedGroups(joined, values, public)

    def _empty(self, rel: Rel) -> Rel:
        """Beside each touched key the kept values of a group without rows."""
        empty: dict[int, Scalar] = {c.id: s for k in self.view.areas for c, s in _empties(k)}
        empty |= {v.id: Ref(k.id) for v, k in zip(self.view.keys, self._keys, strict=True)}
        blank = [(c, empty.get(c.id, Cast(NULL, self._type(c)))) for c in self._kept]
        own = tuple((c, Ref(c.id)) for c in rel.columns)
        return Project(rel, (*own, *blank))

    def _computed(self, rel: Rel, touched: TouchedGroups, untouched: Scalar) -> Rel:
        """The new kept values beside what is there; of untouched rows the old ones."""
        merged: list[Scalar] = [Ref(k.id) for k in self.view.keys]
        merged += [s for kept in self.view.areas for s in _merged(kept, kept.old)]
        merged += [Ref(c.id) for c, _ in self.view.recomputed]
        new = []
        for i, (column, kept, scalar) in enumerate(zip(self._new, self._kept, merged, strict=True)):
            branches = [] if untouched is FALSE else [(untouched, Ref(kept.id))]
            if touched.values:
                branches.append((self._is_redone(touched), Ref(touched.values[i].id)))
            new.append((column, Case(tuple(branches), scalar) if branches else scalar))
        own = tuple((c, Ref(c.id)) for c in rel.columns)
        return Project(rel, (*own, *new))

    def _count(self) -> Scalar:
        """The group's new number of rows."""
        return Ref(self._new[len(self.view.keys)].id)

    def _checked_count(self) -> Scalar:
        """The same where it is written: below 0 is an error, never a row.

        Not in a filter, which Spark may move below the join that makes it right.
        """
        fails = Cast(Call("raise_error", (BELOW_ZERO,)), "long")
        return Case(((Compare("<", self._count(), integer(0)), fails),), self._count())

    def _public(self, touched: TouchedGroups) -> list[Scalar]:
        """The public columns of the group as it becomes; of a recomputed one Spark's own."""
        by: dict[int, Scalar] = {
            c.id: Ref(n.id) for c, n in zip(self._kept, self._new, strict=True)
        }
        merged = [substitute(scalar, by) for _, scalar in self.view.public]
        if not touched.public:
            return merged
        redone = self._is_redone(touched)
        return [
            Case(((redone, Ref(p.id)),), m) for p, m in zip(touched.public, merged, strict=True)
        ]

    def _is_redone(self, touched: TouchedGroups) -> Scalar:
        """A recomputed group has a count; of one that is gone there is no row."""
        return Not(IsNull(Ref(touched.values[len(self.view.keys)].id)))

    def _differs(self, touched: TouchedGroups) -> Scalar:
        """Whether the public row of a touched group changes at all."""
        return Or(
            tuple(
                Not(Compare("<=>", *(comparable(s, self._type(c)) for s in (Ref(old.id), new))))
                for old, new, (c, _) in zip(
                    self._old_public, self._public(touched), self.view.public, strict=True
                )
            )
        )

    def _laid_out(self, rel: Rel, touched: TouchedGroups, as_before: Scalar, action: Scalar) -> Rel:
        """The lines as they are written; `as_before` is true where the old row is written."""
        new: dict[int, Scalar] = {
            n.id: Ref(c.id) for c, n in zip(self._new, self._kept, strict=True)
        }
        new[self._kept[len(self.view.keys)].id] = self._checked_count()
        old: dict[int, Scalar] = {c.id: Ref(c.id) for c in self._kept}
        public = zip(self.view.public, self._old_public, self._public(touched), strict=True)
        for (column, _), before, after in public:
            new[column.id], old[column.id] = after, Ref(before.id)
        outputs = [(self._fresh.column(PART), self._part_scalar())]
        outputs.append((self._fresh.column(ACTION), action))
        for column, held in self.view.stored:
            after = new[held.id]
            scalar = after if as_before is FALSE else Case(((as_before, old[held.id]),), after)
            outputs.append((self._fresh.column(column.name), scalar))
        return Project(rel, tuple(outputs))

    def _part_scalar(self) -> Scalar:
        return Call("coalesce", (Ref(self._part.id), string(ROWS)))

    def _type(self, column: Column) -> str:
        return self.view.types[column.id]


def _merged(kept: KeptArea, old: Scalars) -> Scalars:
    return kept.area.merge(old, kept.change)


def _empties(kept: KeptArea) -> list[tuple[Column, Scalar]]:
    return list(zip(kept.stored, kept.area.empty, strict=True))
