"""Mutants that give the same rows as the original, each with the argument why."""

from __future__ import annotations

# (file, function, change) -> why the mutant gives the same rows as the original.
_APPLY, _AREAS = "apply/keyed.py", "aggregates/areas.py"
_TWO_GUARDS = "an untouched row is guarded twice: it keeps its values, and is written as before"
_NO_NULL = "changes of a touched group are never NULL, and an untouched row keeps its old values"
_NEVER_BETTER = (
    "of net changes: what is deleted was there, so it is no better than the stored extreme"
)
_NOT_COUNTED = "a semi join does not count the keys it tests by: more lines, the same rows"
_AGAIN = "a condition that was met already is asked again: the same rows"
_OTHER_TERMS = "the terms read the other snapshots: the same rows; tests/delta holds which are read"
_MORE_TOUCHED = "more rows are looked at again, and found as they were: the same rows"
EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "rewrite/aggregate_aggregate_merge.py",
        "_Use.within",
        "self.sums <= columns  ->  self.sums < columns",
    ): "a side all of whose columns are summed stays groups: more work, the same rows",
    (
        "delta/propagate.py",
        "_Propagation._side",
        "changes if part is side else self.of(part)"
        "  ->  self.of(part) if part is side else changes",
    ): _MORE_TOUCHED,
    (
        "delta/propagate.py",
        "_Propagation._side",
        "part is side  ->  part is not side",
    ): _MORE_TOUCHED,
    (
        "optimize/needed_columns.py",
        "_without_the_others",
        "len(kept) < len(rel.columns)  ->  len(kept) <= len(rel.columns)",
    ): "a projection all of whose columns are kept is built anew: the same rows",
    (
        "optimize/in_common.py",
        "_having",
        "len(views) > 1  ->  len(views) >= 1",
    ): "a part of one plan alone is never cut: no more plans have it than the one it stands in",
    (
        "rewrite/connected_joins.py",
        "_build_chain",
        "refs(c) <= reached  ->  refs(c) < reached  #2",
    ): _AGAIN,
    ("rewrite/join_order.py", "_chain", "refs(c) <= reached  ->  refs(c) < reached  #2"): _AGAIN,
    (
        "rewrite/connected_joins.py",
        "_has_product",
        "not isinstance(rel, Join) or not is_inner(rel)"
        "  ->  not isinstance(rel, Join) and (not is_inner(rel))",
    ): "an outer join stays a leaf of the chain, whose order needs no change: the same rows",
    (
        "delta/groups.py",
        "delta_groups",
        "keys is not None  ->  keys is None",
    ): "reads two snapshots where one would do; tests/delta holds that it is one",
    (
        "delta/aggregate.py",
        "change_table",
        "kept.area.lost is not None  ->  kept.area.lost is None",
    ): "a Net more than needed: slower, the same rows; tests/delta holds that there is none",
    (
        _APPLY,
        "ApplyKeyed.lost",
        "'inner'  ->  'left'",
    ): "a group without changes keeps its extreme, so it is not among the lost ones",
    (
        _APPLY,
        "ApplyKeyed._stored_lines",
        "Or((untouched, is_old))  ->  Or((is_old,))",
    ): _TWO_GUARDS,
    (
        _APPLY,
        "ApplyKeyed._computed",
        "[] if untouched is FALSE else [(untouched, Ref(kept.id))]"
        "  ->  [(untouched, Ref(kept.id))] if untouched is FALSE else []",
    ): _TWO_GUARDS,
    (
        _APPLY,
        "ApplyKeyed._computed",
        "untouched is FALSE  ->  untouched is not FALSE",
    ): _TWO_GUARDS,
    (_APPLY, "ApplyKeyed._computed", "FALSE  ->  TRUE"): _TWO_GUARDS,
    (
        _AREAS,
        "sum_area.merge",
        "integer(0)  ->  integer(1)",
    ): "a sum does not overflow in Python; tests/aggregates holds what happens when it does",
    (
        _AREAS,
        "sum_area",
        "'exact_' if types.cast else ''  ->  '' if types.cast else 'exact_'",
    ): "another name: sums with and without a cast stay apart",
    (
        _AREAS,
        "extreme_area.lost",
        "Call(best, (found, deltas[2]))  ->  Call(best, (found,))",
    ): _NEVER_BETTER,
    (
        _AREAS,
        "extreme_area.lost",
        "Or((Compare('<=', copies(old, deltas), integer(0)), better))"
        "  ->  Or((Compare('<=', copies(old, deltas), integer(0)),))",
    ): _NEVER_BETTER,
    (
        _AREAS,
        "extreme_area",
        "integer(0)  ->  integer(1)",
    ): "the copies of an extreme that is NULL are never added",
    (
        _AREAS,
        "_plus_count",
        "Call('coalesce', (change, integer(0)))  ->  Call('coalesce', (change,))",
    ): _NO_NULL,
    (_AREAS, "_plus_count", "integer(0)  ->  integer(1)"): _NO_NULL,
    (
        "delta/context.py",
        "DeltaContext._at",
        "At.NEW  ->  At.OLD",
    ): "a table without changes has the same rows at both",
    (
        "delta/context.py",
        "DeltaContext.stored_mark",
        "self._rows(part) > self._rows(own)  ->  self._rows(part) >= self._rows(own)",
    ): "the view is asked in place of a table, or the table read: the same rows",
    (
        "rewrite/marked_joins.py",
        "_Marking._mark",
        "not key or not all((can_tell(self.types.get(c.id, '')) for c in key))"
        "  ->  not key and (not all((can_tell(self.types.get(c.id, '')) for c in key)))",
    ): "values of the laws are equal only where they are the same; tests/shape holds which tell",
    (
        "delta/propagate.py",
        "_Propagation._side",
        "join.kind != which  ->  join.kind == which",
    ): "the changes are read as they are, not shared: more work, the same rows",
    (
        "delta/partners.py",
        "lone_again",
        "tested.part is not tested.side  ->  tested.part is tested.side",
    ): "the rows that meet a change of the whole are tested again, which are more: the same rows",
    (
        "delta/stored_rows.py",
        "StoredRows._keys",
        "((own.id, _ONE), (partner.id, range_)) if self.cut else ()"
        "  ->  () if self.cut else ((own.id, _ONE), (partner.id, range_))",
    ): "a filter stands above the scan: other files are read, the same rows",
    (
        "delta/touched.py",
        "touched_keys",
        "len(touched) > 1  ->  len(touched) >= 1",
    ): _NOT_COUNTED,
    (
        "delta/touched.py",
        "touched_keys",
        "Distinct(UnionAll(touched, fresh.columns((c.name for c in columns))))"
        "  ->  UnionAll(touched, fresh.columns((c.name for c in columns)))",
    ): _NOT_COUNTED,
    (
        "rewrite/group_form/same_keys.py",
        "_why_not",
        "same.left  ->  same.right  #2",
    ): "keys that are joined by pairs are of the same types on both sides",
    (
        "rewrite/group_form/same_keys.py",
        "_grouped",
        "integer(1)  ->  integer(0)",
    ): "rows are counted that have a value there, whatever it is",
    (
        "rewrite/group_form/same_keys.py",
        "_apart",
        "integer(0)  ->  integer(1)",
    ): "a key without a NULL is another one than a key with one, whatever number stands beside",
    (
        "shape/shown_groups.py",
        "ShownGroups",
        "TRUE  ->  FALSE",
    ): "where there is no column for it nobody asks whether a group is shown",
    (
        "delta/semi.py",
        "delta_tested",
        "(At.OLD, At.NEW) if sign == 1 else (At.NEW, At.OLD)"
        "  ->  (At.NEW, At.OLD) if sign == 1 else (At.OLD, At.NEW)",
    ): _OTHER_TERMS,
    ("delta/semi.py", "delta_tested", "sign == 1  ->  sign != 1"): _OTHER_TERMS,
    (
        "delta/join.py",
        "delta_join",
        "context.is_gone(join.left) and (not context.is_gone(join.right))"
        "  ->  context.is_gone(join.left) or not context.is_gone(join.right)",
    ): _OTHER_TERMS,
    ("delta/join.py", "delta_join", "join.left  ->  join.right"): _OTHER_TERMS,
    ("delta/join.py", "delta_join", "join.right  ->  join.left"): _OTHER_TERMS,
    (
        "delta/join.py",
        "delta_join",
        "(At.OLD, At.NEW) if turned else (At.NEW, At.OLD)"
        "  ->  (At.NEW, At.OLD) if turned else (At.OLD, At.NEW)",
    ): _OTHER_TERMS,
}
