"""Groups of groups as groups of the rows themselves, where the functions allow it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from everview.aggregates.one_row import of_one_row
from everview.algebra.calls import AggregateCall
from everview.algebra.derive.typed import typed
from everview.algebra.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Project,
    Rel,
    UnionAll,
)
from everview.algebra.scalars import Column, ColumnId, Ref, Scalar, Types, refs
from everview.algebra.types import is_equal_only_to_itself, type_of

# What goes in: an aggregate, or DISTINCT, over a tree of projections, filters, joins and unions in
# which further aggregates stand. What comes out: the same with those aggregates replaced by their
# rows, where that gives the same groups. A sum of sums is the sum of all, a sum of counts counts
# all, the least of the least is the least of all; and it does not matter to a key how often it
# occurs. Then the changes of the rows go straight into the one change table that is left, and no
# group in between is computed anew (Gupta & Mumick, table 4: change tables pass selections,
# projections, joins and unions by group columns, and further aggregation).
#
#     γ city, sum(total) (γ store, sum(price) as total (sales) ⋈ stores)
#     γ city, sum(total) (Π store, price as total (sales) ⋈ stores)
#
# What must hold: whatever looks at the inner groups in between looks at their keys alone, which
# all rows of a group share; what the outer function takes of them fits its own (a sum of counts,
# but no average of sums); and nothing in between counts how many groups there are, as count(*)
# or the sum of a column of another side of a join would.


def aggregate_aggregate_merge(rel: Rel, types: Types) -> Rel:
    """γ_H,f(s)(γ_G,f(x)→s(A))  =  γ_H,f(x)(A),  H of G, and s read by nothing else"""
    match rel:
        case Aggregate(input_, _, _):
            use = _use_by(rel)
        case Distinct(input_):
            use = _Use(values=_ids(input_))
        case _:
            return rel
    if use.counted:
        return rel
    rows = _Rows(typed(rel, types)).of(input_, use)
    return rel if rows is input_ else rel.over((rows,))


@dataclass(frozen=True, slots=True)
class _Use:
    """How the operators above look at the rows of one: the columns that are summed; those of which
    only the least, the greatest value matters; those whose values are looked at in any other way.
    `counted`: how often a row occurs matters, and not to a sum of its own columns alone.
    """

    sums: frozenset[ColumnId] = frozenset()
    least: frozenset[ColumnId] = frozenset()
    greatest: frozenset[ColumnId] = frozenset()
    values: frozenset[ColumnId] = frozenset()
    counted: bool = False

    def within(self, columns: frozenset[ColumnId]) -> _Use:
        """The use of these columns by themselves, one side of a join: what is summed of the other
        side is summed once for each row of this one.
        """
        return _Use(
            self.sums & columns,
            self.least & columns,
            self.greatest & columns,
            self.values & columns,
            self.counted or not self.sums <= columns,
        )

    def reading(self, more: frozenset[ColumnId]) -> _Use:
        return replace(self, values=self.values | more)

    def renamed(self, place: dict[ColumnId, ColumnId]) -> _Use:
        """The same of an input, whose columns stand in the places of these."""

        def under(some: frozenset[ColumnId]) -> frozenset[ColumnId]:
            return frozenset(place[c] for c in some)

        return _Use(
            under(self.sums),
            under(self.least),
            under(self.greatest),
            under(self.values),
            self.counted,
        )


def _use_by(rel: Aggregate) -> _Use:
    use = _Use(values=frozenset(k.id for k in rel.keys))
    for _, call in rel.calls:
        args = frozenset(call.args)
        if not isinstance(call, AggregateCall) or call.cast:
            return _Use(counted=True)
        if call.distinct:
            use = use.reading(args)
        elif call.function == "sum":
            use = replace(use, sums=use.sums | args)
        elif call.function == "min":
            use = replace(use, least=use.least | args)
        elif call.function == "max":
            use = replace(use, greatest=use.greatest | args)
        else:
            return _Use(counted=True)
    return use


@dataclass(frozen=True, slots=True)
class _Rows:
    """Replaces inner groups by their rows."""

    types: Types
    _seen: dict[ColumnId, str] = field(default_factory=dict)

    def of(self, rel: Rel, use: _Use) -> Rel:
        """The relation with rows in place of groups, wherever this use of it allows that."""
        match rel:
            case Project(input_, _):
                return self._over(rel, input_, _through(rel, use))
            case Filter(input_, condition):
                return self._over(rel, input_, use.reading(refs(condition)))
            case Join():
                return self._of_join(rel, use)
            case UnionAll(inputs, columns):
                return self._of_union(rel, inputs, use, [c.id for c in columns])
            case Distinct(input_) if not use.counted and not use.sums:
                return input_ if self._are_plain(_ids(input_)) else rel
            case Aggregate() if not use.counted:
                return self._of_groups(rel, use)
            case _:
                return rel

    def _over(self, rel: Rel, input_: Rel, use: _Use) -> Rel:
        rows = self.of(input_, use)
        return rel if rows is input_ else rel.over((rows,))

    def _of_join(self, join: Join, use: _Use) -> Rel:
        read = frozenset() if join.condition is None else refs(join.condition)
        sides = []
        for side in (join.left, join.right):
            if side is join.right and join.kind in ("semi", "anti", "mark"):
                own = _Use(values=read & _ids(side))  # how often a partner occurs is all one
            else:
                own = use.reading(read).within(_ids(side))
            sides.append(self.of(side, own))
        left, right = sides
        return join if (left, right) == (join.left, join.right) else join.over((left, right))

    def _of_union(
        self, rel: UnionAll, inputs: tuple[Rel, ...], use: _Use, columns: list[ColumnId]
    ) -> Rel:
        new = []
        for input_ in inputs:
            place = dict(zip(columns, (c.id for c in input_.columns), strict=True))
            new.append(self.of(input_, use.renamed(place)))
        is_same = all(a is b for a, b in zip(new, inputs, strict=True))
        return rel if is_same else rel.over(tuple(new))

    def _of_groups(self, rel: Aggregate, use: _Use) -> Rel:
        """The rows of the groups: their keys, and what each row adds to the functions."""
        keys = _ids_of(k.id for k in rel.keys)
        if not keys or use.values - keys or use.sums & keys or not self._are_plain(keys):
            return rel
        outputs: list[tuple[Column, Scalar]] = [(k, Ref(k.id)) for k in rel.keys]
        for column, call in rel.calls:
            wanted = _functions(column.id, use)
            one = of_one_row(call, self.types)
            if one is None or not wanted <= one.summed_up_by:
                return rel
            outputs.append((column, one.value))
        return Project(rel.input, tuple(outputs))

    def _are_plain(self, columns: Iterable[ColumnId]) -> bool:
        """Whether every row of a group has the very value of its key that the group shows."""
        return all(is_equal_only_to_itself(type_of(self.types.get(c, "variant"))) for c in columns)


def _functions(column: ColumnId, use: _Use) -> frozenset[str]:
    """The functions that the column is given to."""
    by = {"sum": use.sums, "min": use.least, "max": use.greatest}
    return frozenset(name for name, columns in by.items() if column in columns)


def _through(project: Project, use: _Use) -> _Use:
    """The use of the input of a projection. What a scalar computes it looks at; a sum of that
    counts rows.
    """
    found = _Use(counted=use.counted)
    for column, scalar in project.outputs:
        below = refs(scalar)
        if not isinstance(scalar, Ref):
            computed = found.reading(below)
            found = replace(computed, counted=found.counted or column.id in use.sums)
            continue
        found = _Use(
            found.sums | (below if column.id in use.sums else frozenset()),
            found.least | (below if column.id in use.least else frozenset()),
            found.greatest | (below if column.id in use.greatest else frozenset()),
            found.values | (below if column.id in use.values else frozenset()),
            found.counted,
        )
    return found


def _ids(rel: Rel) -> frozenset[ColumnId]:
    return _ids_of(c.id for c in rel.columns)


def _ids_of(columns: Iterable[ColumnId]) -> frozenset[ColumnId]:
    return frozenset(columns)
