"""GROUP BY and aggregate functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from everview.algebra.calls import AggregateCall, AggregateName, VerbatimCall
from everview.algebra.relations import Aggregate, Project, Rel, Shared, UnionAll
from everview.algebra.scalars import (
    FALSE,
    NULL,
    And,
    Case,
    Column,
    IsNull,
    Not,
    Opaque,
    Ref,
    Scalar,
    integer,
    substitute,
    walk,
)
from everview.sql.bind.context import Context
from everview.sql.bind.rows import Rows
from everview.sql.bind.scalar import Hole, bind_call, bind_scalar, called_node, function_name
from everview.sql.read.dialect import EverviewSpark
from everview.sql.read.refuse import Refuse
from everview.sql.spark_functions import AGGREGATES

# The functions whose shape is kept; of the others, Spark's text.
_KNOWN: dict[str, AggregateName] = {
    "count": "count",
    "sum": "sum",
    "avg": "avg",
    "mean": "avg",
    "min": "min",
    "max": "max",
}

Item = exp.Expr | Column
_LITERALS = (exp.Literal, exp.Boolean, exp.Null)
_NO_KEYS = (*_LITERALS, exp.Identifier, exp.DataType, exp.Var)


def is_aggregate(node: exp.Expr) -> bool:
    """Whether the node calls an aggregate function, and not over a window."""
    function = called_node(node)
    is_call = isinstance(function, exp.Anonymous) and function.name.lower() in AGGREGATES
    return is_call and not isinstance(node.parent, exp.Window)


def aggregates_in(node: exp.Expr) -> Iterator[exp.Expr]:
    """The calls of aggregate functions in an expression, those of its subqueries apart."""
    if isinstance(node, exp.Query):
        return
    if is_aggregate(node):
        yield node
        return
    own = called_node(node.this) if isinstance(node, exp.Window) else node
    parts = [*own.iter_expressions(), *(node.iter_expressions() if own is not node else [])]
    for child in parts:
        if not (isinstance(node, exp.Window) and child is node.this):
            yield from aggregates_in(child)


class Grouping:
    """The keys, arguments and calls of one GROUP BY as they are found; sets of keys, if any.

    `prepared` is what is computed of the input first, so that keys and arguments are columns.
    """

    def __init__(self, rows: Rows, scalars: Hole) -> None:
        self._rows = rows
        self._scalars = scalars
        self.keys: dict[Scalar, Column] = {}
        self._kinds: set[type] = {exp.Paren}  # the kinds of nodes that may be a key
        self.sets: list[frozenset[Scalar]] | None = None
        self._prepared: list[tuple[Column, Scalar]] = []
        self._calls: dict[AggregateCall | VerbatimCall, Column] = {}
        self._args: dict[Scalar, Column] = {}
        self._known: dict[str, Scalar] = {}  # what each call is, by its text
        self._id: Column | None = None
        self._unmaintained: exp.Expr | None = None  # the first call of which only the text is known

    def add_key(self, item: Item) -> Scalar:
        scalar = Ref(item.id) if isinstance(item, Column) else bind_scalar(item, self._scalars)
        self._kinds.add(exp.Column if isinstance(item, Column) else type(item.unnest()))
        if scalar not in self.keys:
            self.keys[scalar] = self._rows.fresh.column(item.name or "key")
            self._prepared.append((self.keys[scalar], scalar))
        return scalar

    def add_calls(self, node: exp.Expr) -> None:
        """The aggregates of an expression that is computed over the groups."""
        for call in aggregates_in(node):
            self._call(call)

    def relation(self, context: Context, group: exp.Expr) -> Rel:
        """γ(Π(input)); with sets of keys, the union of one γ per set."""
        prepared = Project(self._rows.rel, tuple(self._prepared))
        calls = tuple((column, call) for call, column in self._calls.items())
        if self.sets is None:
            whole: Rel = Aggregate(prepared, tuple(self.keys.values()), calls)
            return context.placed(whole, self._unmaintained) if self._unmaintained else whole
        shared = Shared(f"input{self._rows.fresh.number()}", prepared)
        context.placed(shared, group)
        branches = tuple(self._cuboid(shared, keys, calls) for keys in self.sets)
        self._id = self._rows.fresh.column("grouping_id")
        columns = (*self.keys.values(), *self._calls.values(), self._id)
        return UnionAll(branches, columns)

    def _cuboid(
        self,
        shared: Shared,
        kept: frozenset[Scalar],
        calls: tuple[tuple[Column, AggregateCall | VerbatimCall], ...],
    ) -> Rel:
        """The groups by some of the keys; the others are NULL, of their own type, so that there
        is no group where there are no rows.
        """
        fresh = self._rows.fresh
        renamed = {c.id: fresh.column(c.name) for c in shared.columns}
        own = [(renamed[c.id], Ref(c.id)) for c in shared.columns]
        input_ = Project(shared, tuple(own))
        keys, outputs = [], []
        for scalar, key in self.keys.items():
            value: Scalar = Ref(renamed[key.id].id)
            made = fresh.column(key.name)
            outputs.append((made, value if scalar in kept else Case(((FALSE, value),), NULL)))
            keys.append(made)
        args = {a for _, call in calls for a in call.args}
        passed = [(renamed[a], Ref(renamed[a].id)) for a in sorted(args)]
        below = Project(input_, (*outputs, *passed))
        by = {id_: Ref(c.id) for id_, c in renamed.items()}
        own_calls = tuple((fresh.column(c.name), _renamed(call, by)) for c, call in calls)
        grouped = Aggregate(below, tuple(keys), own_calls)
        bits = "".join("0" if scalar in kept else "1" for scalar in self.keys) or "0"
        number = Opaque((f"CAST({int(bits, 2)} AS BIGINT)",))
        whole = tuple((c, Ref(c.id)) for c in grouped.columns)
        return Project(grouped, (*whole, (fresh.column("grouping_id"), number)))

    # Over the groups

    def hole(self, node: exp.Expr) -> Scalar | None:
        """Aggregates, grouping(), and whole expressions that are grouped by."""
        if is_aggregate(node):
            return self._call(node)
        name = function_name(node)
        if name in ("grouping", "grouping_id") and self.sets is not None:
            return self._grouping(node, name)
        if isinstance(node, _NO_KEYS) and (self.sets is None or not isinstance(node, _LITERALS)):
            return None
        if type(node) not in self._kinds or any(True for _ in aggregates_in(node)):
            return None
        if node.find(exp.Query, exp.Window) is not None:
            return None
        try:
            key = self.keys.get(bind_scalar(node, self._scalars))
        except Refuse:
            return None
        return None if key is None else Ref(key.id)

    def _grouping(self, node: exp.Expr, name: str) -> Scalar:
        assert self._id is not None
        named = [bind_scalar(e, self._scalars) for e in node.expressions]
        places = list(self.keys)
        if any(key not in self.keys for key in named):
            raise Refuse(f"{name}() of something that is not grouped by", node)
        if name == "grouping_id":
            if named and named != places:
                raise Refuse("grouping_id() of some of the keys is not understood", node)
            return Ref(self._id.id)
        if len(named) != 1:
            raise Refuse("grouping() wants one key", node)
        shift = len(places) - 1 - places.index(named[0])
        bit = Opaque(("shiftright(", Ref(self._id.id), f", {shift}) & 1"))
        return Opaque(("CAST(", bit, " AS TINYINT)"))

    def _call(self, node: exp.Expr) -> Scalar:
        text = node.sql(dialect=EverviewSpark)
        if text not in self._known:
            call = self._bound_call(node)
            if self._unmaintained is None and (isinstance(call, VerbatimCall) or call.distinct):
                self._unmaintained = node
            if call not in self._calls:
                name = called_node(node).name.lower()
                self._calls[call] = self._rows.fresh.column(_KNOWN.get(name, name))
            self._known[text] = Ref(self._calls[call].id)
        return self._known[text]

    def _bound_call(self, node: exp.Expr) -> AggregateCall | VerbatimCall:
        condition, inner = None, node
        if isinstance(node, exp.Filter):
            condition, inner = bind_scalar(node.expression.this, self._scalars), node.this
        name = inner.name.lower() if isinstance(inner, exp.Anonymous) else ""
        args = list(inner.expressions)
        distinct = len(args) == 1 and isinstance(args[0], exp.Distinct)
        if distinct:
            args = args[0].expressions
        if name not in _KNOWN or (name != "count" and len(args) != 1) or not args:
            return VerbatimCall(self._verbatim(node))
        function = _KNOWN[name]
        if distinct and (len(args) > 1 or isinstance(args[0], exp.Star)):
            return VerbatimCall(self._verbatim(node))
        arg = self._argument(args, condition)
        own = () if arg is None else (self._prepare(arg).id,)
        return AggregateCall(function, own, distinct=distinct and function not in ("min", "max"))

    def _verbatim(self, node: exp.Expr) -> Scalar:
        """Spark's text over columns: what it reads of the input is handed up as it is."""
        text = bind_call(node, self._scalars)
        by = {s.id: Ref(self._prepare(s).id) for s in walk(text) if isinstance(s, Ref)}
        return substitute(text, by)

    def _argument(self, args: list[exp.Expr], condition: Scalar | None) -> Scalar | None:
        """The one argument, None for count(*): NULL where a row does not count."""
        scalar: Scalar | None
        if len(args) == 1 and isinstance(args[0], exp.Star):
            scalar = None
        elif len(args) == 1:
            scalar = bind_scalar(args[0], self._scalars)
        else:
            present = tuple(Not(IsNull(bind_scalar(a, self._scalars))) for a in args)
            scalar = Case(((And(present), integer(1)),), NULL)
        if condition is None:
            return scalar
        return Case(((condition, integer(1) if scalar is None else scalar),), NULL)

    def _prepare(self, scalar: Scalar) -> Column:
        if scalar not in self._args:
            self._args[scalar] = self._rows.fresh.column("arg")
            self._prepared.append((self._args[scalar], scalar))
        return self._args[scalar]


def _renamed(
    call: AggregateCall | VerbatimCall, by: dict[int, Ref]
) -> AggregateCall | VerbatimCall:
    if isinstance(call, VerbatimCall):
        return replace(call, text=substitute(call.text, by))
    return replace(call, args=tuple(by[a].id for a in call.args))
