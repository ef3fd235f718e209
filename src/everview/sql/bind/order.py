"""ORDER BY, LIMIT and OFFSET: without a limit the order of a relation says nothing."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from everview.algebra.calls import SortKey
from everview.algebra.relations import Project, Rel, TopK
from everview.algebra.scalars import Column, Ref, Scalar
from everview.facts.refusals import RefusalKind
from everview.sql.bind.context import Context
from everview.sql.bind.rows import Rows
from everview.sql.bind.scalar import Hole, bind_scalar, standing_for
from everview.sql.bind.scope import Scope
from everview.sql.bind.window import sort_keys
from everview.sql.read.refuse import Refuse

SelectOutputs = list[tuple[Column, Scalar]]


@dataclass(frozen=True, slots=True)
class Ordering:
    """The clauses of a query that order and cut its rows."""

    order: exp.Order | None
    limit: Scalar | None
    offset: Scalar | None
    clause: exp.Expr | None  # LIMIT or OFFSET

    @staticmethod
    def of(query: exp.Expr) -> Ordering:
        limit, offset = query.args.get("limit"), query.args.get("offset")
        others = [query.args.get(c) for c in ("sort", "cluster", "distribute")]
        if limit is not None and any(others):
            raise Refuse(
                "LIMIT of rows that are sorted by part is not understood exactly",
                limit,
                RefusalKind.CUT_OFF,
            )
        if limit is not None and (not isinstance(limit, exp.Limit) or limit.expressions):
            raise Refuse("this form of LIMIT is not understood exactly", limit, RefusalKind.CUT_OFF)
        return Ordering(query.args.get("order"), _number(limit), _number(offset), limit or offset)

    @property
    def cuts(self) -> bool:
        return self.limit is not None or self.offset is not None

    def keys(
        self, outputs: SelectOutputs, hole: Hole, rows: Rows, scope: Scope
    ) -> tuple[SortKey, ...]:
        """The sort keys as columns of the rows; a name is an output first, then a column."""

        def output_first(node: exp.Expr) -> Scalar | None:
            if isinstance(node, exp.Column) and not node.table:
                named = [s for c, s in outputs if c.name and scope.same(c.name, node.name)]
                if len(named) == 1:
                    return named[0]
            return hole(node)

        return sort_keys(self._by_place(outputs), output_first, rows)

    def _by_place(self, outputs: SelectOutputs) -> exp.Order | None:
        """The order with positions and ALL as names that only the outputs have."""
        if self.order is None:
            return None
        items = []
        for item in self.order.expressions:
            key = item.this if isinstance(item, exp.Ordered) else item
            if isinstance(key, exp.Var) and key.name.upper() == "ALL":
                items += [_with_key(item, standing_for(s)) for _, s in outputs]
                continue
            if isinstance(key, exp.Literal) and not key.is_string and key.name.isdigit():
                place = int(key.name)
                if not 1 <= place <= len(outputs):
                    raise Refuse(f"ORDER BY {place}: there are {len(outputs)} columns", key)
                item = _with_key(item, standing_for(outputs[place - 1][1]))
            items.append(item)
        return exp.Order(expressions=items)

    def cut(self, rel: Rel, keys: tuple[SortKey, ...], context: Context) -> Rel:
        assert self.clause is not None
        return context.placed(TopK(rel, keys, self.limit, self.offset), self.clause)


def _with_key(item: exp.Expr, key: exp.Expr) -> exp.Expr:
    item = item.copy()
    item.set("this", key)
    return item


def bind_order(rel: Rel, ordering: Ordering, context: Context) -> Rel:
    """The rows of a finished relation, cut in an order of its own columns."""
    if not ordering.cuts:
        return rel
    rows = Rows(rel, context.fresh)
    outputs: SelectOutputs = [(c, Ref(c.id)) for c in rel.columns]

    def hole(node: exp.Expr) -> Scalar | None:
        if isinstance(node, exp.Column):
            raise Refuse(f"`{node.name}` is not a column of the rows that are ordered", node)
        return None

    keys = ordering.keys(outputs, hole, rows, context.scope())
    cut = ordering.cut(rows.rel, keys, context)
    if cut.columns == rel.columns:
        return cut
    return Project(cut, tuple((c, Ref(c.id)) for c in rel.columns))


def _number(clause: exp.Expr | None) -> Scalar | None:
    """The number of a LIMIT or OFFSET; None for ALL, and where there is no clause."""
    if clause is None:
        return None
    value = clause.expression
    if isinstance(value, exp.Var) and value.name.upper() == "ALL":
        return None

    def hole(node: exp.Expr) -> Scalar | None:
        if isinstance(node, exp.Column | exp.Query):
            raise Refuse("a limit that is not a constant is not understood exactly", node)
        return None

    return bind_scalar(value, hole)
