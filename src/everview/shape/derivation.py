"""How changes get from the tables of a definition to its root: what each operator hands up."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from everview.algebra.derive.keys import keys
from everview.algebra.notation.joins import join_label, set_symbol
from everview.algebra.notation.names import Names, column_names
from everview.algebra.notation.operators import operator_symbol
from everview.algebra.relations import (
    Aggregate,
    Distinct,
    Except,
    Filter,
    Intersect,
    Join,
    Project,
    Rel,
    Scan,
    Shared,
    UnionAll,
)
from everview.algebra.scalars import Ref, Types
from everview.delta.propagate import rule_of
from everview.delta.rule import DeltaRule
from everview.rewrite.filter_join_merge import filter_join_merge
from everview.rewrite.group_form.form import Passing
from everview.rewrite.rules import rewrite
from everview.shape.derived import Derived, HandsUp
from everview.shape.fates import Fates, fates_of
from everview.shape.group_changes import GroupChanges, handed_on, made_of
from everview.shape.shape import FullOnly, Shape
from everview.shape.singular import singular

# What goes in: the shape of a view, with its definition as it was read. What comes out: the
# operators of the definition, and for each what it hands up if a table below it changes, by which
# rule (Gupta & Mumick, figure 3). An aggregate below the root of which nothing is left in what is
# maintained hands up a change table, which travels to the aggregate that takes it in; one that is
# computed anew hands up old and new rows, and the operator above it that no change table gets past
# is a singularity point, told with the reason.
#
#     γ city, sum(total)              change table by city              table 4, row 6
#       ⋈ store                       change table by store, and stores table 4, row 4
#         γ store, sum(price) total   change table by store             5.1
#           sales                     rows
#         stores                      rows


def derivation(shape: Shape) -> Derived | None:
    """The operators of a definition, the root first; None of one that is recomputed in full."""
    if isinstance(shape, FullOnly) or shape.origin is None:
        return None
    rel = rewrite(shape.origin.rel, (filter_join_merge,))
    fates = fates_of(shape, shape.origin)
    found = _Derivation(fates, column_names(rel), shape.origin.types).of(
        rel, into_table=fates.has_table
    )
    return found.derived


@dataclass(frozen=True, slots=True)
class _Found:
    """An operator, the change table that it hands up, and the groups below it that hand up rows
    and whose change tables were not stopped yet.
    """

    derived: Derived
    table: GroupChanges | None = None
    anew: tuple[GroupChanges, ...] = ()


@dataclass(frozen=True, slots=True)
class _Derivation:
    fates: Fates
    names: Names
    types: Types
    shared: dict[tuple[int, bool], _Found] = field(default_factory=dict)

    def of(self, rel: Rel, *, into_table: bool) -> _Found:
        """`into_table`: whether what the operator hands up goes into the change table at the
        root. What is below a shared part is told where it is met first.
        """
        if not isinstance(rel, Shared):
            return self._of(rel, into_table=into_table)
        place = id(rel), into_table
        if place not in self.shared:
            self.shared[place] = self._of(rel, into_table=into_table)
            return self.shared[place]
        known = self.shared[place]
        return replace(known, derived=replace(known.derived, inputs=()))

    def _of(self, rel: Rel, *, into_table: bool) -> _Found:
        below = [self.of(i, into_table=into_table and self._goes_on(rel, i)) for i in rel.inputs]
        if _only_names(rel):
            return _named(rel, below[0])
        if all(b.derived.hands_up == "nothing" for b in below) and not isinstance(rel, Scan):
            return self._told(rel, below, "nothing")
        if self.fates.is_over_keys(rel):
            return self._told(rel, below, "keys", rule=_AFFECTED)
        if self.fates.is_left_out(rel):
            told = self._told(rel, below, below[0].derived.hands_up, below[0].table, _LEFT_OUT)
            return replace(told, anew=below[0].anew)
        if isinstance(rel, Aggregate | Distinct):
            return self._of_groups(rel, below, into=into_table)
        tables = [b.table for b in below]
        table = handed_on(rel, tables, self.fates.how(rel)) if any(tables) else None
        if table is not None:
            told = self._told(rel, below, "change table", table, self._passing(rel))
        else:
            told = self._told(rel, below, "rows", rule=rule_of(rel))
        return self._stopped(rel, below, told)

    def _goes_on(self, rel: Rel, below: Rel) -> bool:
        """Whether what an input hands up becomes a part of what the operator hands up."""
        if self.fates.stays(rel):
            return False
        is_tested = isinstance(rel, Join) and rel.kind in ("semi", "anti", "mark")
        return not is_tested or below is rel.inputs[0] or self.fates.how(rel) is Passing.SAME_KEYS

    def _of_groups(self, rel: Aggregate | Distinct, below: list[_Found], *, into: bool) -> _Found:
        table = made_of(rel, self.fates.recomputed)
        if self.fates.stays(rel):
            told = self._told(rel, below, "rows", rule=rule_of(rel))
            return replace(self._stopped(rel, below, told), anew=(table,))
        if not into:
            told = self._told(rel, below, "rows", rule=_ROWS_FOR_GROUPS)
        else:
            again = any(b.table for b in below)
            told = self._told(rel, below, "change table", table, _AGAIN if again else _MADE)
        return replace(self._stopped(rel, below, told), anew=())

    def _stopped(self, rel: Rel, below: list[_Found], told: _Found) -> _Found:
        """The operator, told to be a singularity point if it is one."""
        anew = [(side, one) for side, b in enumerate(below) for one in b.anew]
        if not anew:
            return told
        kept = self.fates.why_not(rel) if isinstance(rel, Filter | Join | UnionAll) else ""
        why = kept or singular(rel, anew, self.fates.how(rel))
        if why:
            return replace(told, derived=replace(told.derived, singular=why), anew=())
        tables = [one.renamed(rel, side) for side, one in anew]
        return replace(told, anew=tuple(tables))

    def _told(
        self,
        rel: Rel,
        below: list[_Found],
        hands_up: HandsUp,
        table: GroupChanges | None = None,
        rule: DeltaRule | None = None,
    ) -> _Found:
        key = self._key(rel) if table is None else tuple(c.name for c in table.keys)
        inputs = tuple(b.derived for b in below)
        derived = Derived(
            self._label(rel),
            hands_up,
            rule,
            key,
            () if table is None else table.areas,
            inputs=below[0].derived.inputs if _has_arguments(rel) else inputs,
        )
        return _Found(derived, table)

    def _key(self, rel: Rel) -> tuple[str, ...]:
        """The columns of the smallest key of the rows, as far as the text tells one."""
        found = sorted((sorted(key) for key in keys(rel, self.types)), key=lambda k: (len(k), k))
        names = {c.id: c.name for c in rel.columns}
        return tuple(names[c] for c in found[0]) if found else ()

    def _label(self, rel: Rel) -> str:
        match rel:
            case Scan(table, _, _):
                return table
            case Join():
                return join_label(rel, self.names)
            case UnionAll():
                return "⊎"
            case Except() | Intersect():
                return set_symbol(rel)
            case Shared(name, _):
                return name
            case _:
                return operator_symbol(rel, self.names) or type(rel).__name__.lower()

    def _passing(self, rel: Rel) -> DeltaRule:
        """The rule by which a change table gets past the operator."""
        how = self.fates.how(rel)
        file = _MERGE if how is None else _FILES[how]
        match rel:
            case Filter():
                tests_values = how is Passing.VALUES_TESTED
                return DeltaRule(file, "" if tests_values else _table_4(1))
            case Join(kind):
                rows = {"cross": 3, "inner": 4, "left": 7, "right": 7, "full": 7}
                return DeltaRule(file, _table_4(rows[kind]) if kind in rows else "")
            case UnionAll():
                return DeltaRule(file, f"{_table_4(5)}, tagged as in 7")
            case Shared():
                return DeltaRule("delta/shared.py")
            case _:
                return DeltaRule(file, _table_4(2))


def _only_names(rel: Rel) -> bool:
    """Whether the operator is a SELECT list over groups that only names their columns."""
    if not isinstance(rel, Project) or not all(isinstance(s, Ref) for _, s in rel.outputs):
        return False
    return isinstance(rel.input, Aggregate) or _only_names(rel.input)


def _has_arguments(rel: Rel) -> bool:
    """Whether a projection right below computes what is grouped: it is shown as a part of γ."""
    return (
        isinstance(rel, Aggregate) and isinstance(rel.input, Project) and not _only_names(rel.input)
    )


def _named(rel: Rel, groups: _Found) -> _Found:
    """The groups, under the names that they are given."""
    anew = tuple(one.renamed(rel, 0) for one in groups.anew)
    if groups.table is None:
        return replace(groups, anew=anew)
    table = groups.table.renamed(rel, 0)
    key = tuple(c.name for c in table.keys)
    return _Found(replace(groups.derived, key=key, areas=table.areas), table, anew)


def _table_4(row: int) -> str:
    return f"Gupta & Mumick, table 4, row {row}"


_MERGE = "rewrite/aggregate_aggregate_merge.py"
_FORM = "rewrite/group_form"
_FILES = {
    Passing.GROUPS: "delta/aggregate.py",
    Passing.DISTINCT: f"{_FORM}/group_form.py",
    Passing.KEYS_TESTED: f"{_FORM}/of_filter.py",
    Passing.VALUES_TESTED: f"{_FORM}/of_filter.py",
    Passing.COLUMNS: f"{_FORM}/group_form.py",
    Passing.SAME_KEYS: f"{_FORM}/same_keys.py",
    Passing.LOOKUP: f"{_FORM}/lookup.py",
    Passing.UNITED: f"{_FORM}/of_union.py",
}
_MADE = DeltaRule("delta/aggregate.py", "Gupta & Mumick, 5.1")
_AGAIN = DeltaRule(_MERGE, _table_4(6))
_ROWS_FOR_GROUPS = DeltaRule(_MERGE)
_LEFT_OUT = DeltaRule("rewrite/distinct_of_key.py", "Vista, 4.2.2")
_AFFECTED = DeltaRule("apply/grouped.py", "Vista, 3.4.1")
