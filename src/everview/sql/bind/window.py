"""Window functions as columns of the rows that they look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from everview.algebra.calls import SortKey, WindowCall
from everview.algebra.relations import Window
from everview.algebra.scalars import Call, Column, Ref, Scalar
from everview.sql.bind.context import Context
from everview.sql.bind.rows import Rows
from everview.sql.bind.scalar import Hole, bind_call, bind_scalar
from everview.sql.read.dialect import EverviewSpark
from everview.sql.read.known_nodes import VERBATIM
from everview.sql.read.refuse import Refuse

# Functions that keep their shape, so that their meaning is known here too.
_KNOWN = frozenset({"count", "dense_rank", "max", "min", "rank", "row_number", "sum"})


@dataclass(frozen=True, slots=True)
class Windows:
    """Binds the window functions of a clause; `named` are those of the WINDOW clause."""

    context: Context
    rows: Rows
    named: Mapping[str, exp.Window]

    def hole(self, node: exp.Expr, scalars: Hole) -> Scalar | None:
        if not isinstance(node, exp.Window):
            return None
        spec = self._specified(node)
        function = _function(node.this, scalars)
        partition = tuple(
            self.rows.column(bind_scalar(p, scalars), "part") for p in spec.args["partition_by"]
        )
        order = sort_keys(spec.args.get("order"), scalars, self.rows)
        call = WindowCall(function, order, _frame(spec.args.get("spec")))
        made = self._add(partition, call)
        self.context.placed(self.rows.rel, node)
        return Ref(made.id)

    def _specified(self, node: exp.Window) -> exp.Window:
        """The window with what its name stands for."""
        alias = node.args.get("alias")
        has_parts = node.args.get("partition_by") or node.args.get("order") or node.args.get("spec")
        if node.args.get("over") not in (None, "OVER") or node.args.get("first") is not None:
            raise Refuse("this form of OVER is not understood exactly", node)
        if alias is None:
            return _with_parts(node)
        known = self.named.get(alias.name.lower())
        if has_parts or known is None:
            raise Refuse(f"the window `{alias.name}` is not understood exactly", node)
        return self._specified(known)

    def _add(self, partition: tuple[Column, ...], call: WindowCall) -> Column:
        """The column of a call; calls over the same partition are one operator."""
        top = self.rows.rel
        if isinstance(top, Window) and top.partition == partition:
            known = next((c for c, other in top.calls if other == call), None)
            if known is not None:
                return known
            if call.args <= {c.id for c in top.input.columns}:
                made = self.rows.fresh.column("window")
                self.rows.rel = replace(top, calls=(*top.calls, (made, call)))
                return made
        made = self.rows.fresh.column("window")
        self.rows.rel = Window(top, partition, ((made, call),))
        return made


def sort_keys(order: exp.Order | None, scalars: Hole, rows: Rows) -> tuple[SortKey, ...]:
    """The keys of an ORDER BY; Spark puts NULLs first ascending and last descending."""
    found = []
    for item in order.expressions if order is not None else []:
        key = item.this if isinstance(item, exp.Ordered) else item
        descending = isinstance(item, exp.Ordered) and bool(item.args.get("desc"))
        nulls = item.args.get("nulls_first") if isinstance(item, exp.Ordered) else None
        if isinstance(item, exp.Ordered) and item.args.get("with_fill") is not None:
            raise Refuse("this form of ORDER BY is not understood exactly", item)
        column = rows.column(bind_scalar(key, scalars), "order")
        found.append(SortKey(column.id, descending, not descending if nulls is None else nulls))
    return tuple(found)


def _with_parts(node: exp.Window) -> exp.Window:
    if node.args.get("partition_by") is None:
        node.set("partition_by", [])
    return node


def _function(node: exp.Expr, scalars: Hole) -> Scalar:
    is_plain = isinstance(node, exp.Anonymous) and node.name.lower() in _KNOWN
    if is_plain and not any(isinstance(e, exp.Distinct | exp.Kwarg) for e in node.expressions):
        args = [e for e in node.expressions if not isinstance(e, exp.Star)]
        return Call(node.name.lower(), tuple(bind_scalar(e, scalars) for e in args))
    return bind_call(node, scalars)


def _frame(spec: exp.Expr | None) -> str:
    """ROWS or RANGE with its bounds, which read no columns."""
    if spec is None:
        return ""
    for node in spec.walk():
        known = type(node) in VERBATIM and not isinstance(node, exp.Column)
        if not known and node is not spec:
            raise Refuse("a bound of the window is not understood exactly", node)
    return spec.sql(dialect=EverviewSpark)
