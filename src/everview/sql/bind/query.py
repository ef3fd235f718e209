"""The binder: from the text of a query and the schemas of its tables to a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from everview.algebra.fresh import Fresh
from everview.algebra.relations import Distinct, Except, Intersect, PlanError, Rel, UnionAll
from everview.errors import Place
from everview.facts.refusals import RefusalKind
from everview.facts.schema import Schema
from everview.sql.bind.context import Asking, Context, Cte, Places, Unanswered
from everview.sql.bind.from_clause import bind_item
from everview.sql.bind.order import Ordering, bind_order
from everview.sql.bind.select import bind_select
from everview.sql.decorrelate.parameters import parameters
from everview.sql.read.parse import Parsed
from everview.sql.read.pipes import NOT_UNDERSTOOD
from everview.sql.read.refuse import Refuse
from everview.sql.write.door import Sql


@dataclass(frozen=True, slots=True)
class Lowered:
    """A query understood exactly, and where its operators stand in the text."""

    rel: Rel
    parsed: Parsed
    places: Places

    def place(self, operator: Rel | None, function: str = "") -> Place | None:
        """The place of a call of this function, or of a column of this name, else of the operator,
        as far as it is known.
        """
        nodes = self.parsed.tree.find_all(exp.Func, exp.Column) if function else iter(())
        node: exp.Expr | None = next((n for n in nodes if function.lower() in _names(n)), None)
        if node is None and operator is not None:
            node = self.places.node(operator)
        return None if node is None else self.parsed.place(node)


def _names(node: exp.Expr) -> set[str]:
    """What a call or a column is called in a text."""
    known = (
        {str(name).lower() for name in node.sql_names()} if isinstance(node, exp.Func) else set()
    )
    return known | {node.name.lower()} if isinstance(node, exp.Column | exp.Anonymous) else known


@dataclass(frozen=True, slots=True)
class NotLowered:
    """The query is not understood exactly: why, where in the text, and what kind of reason."""

    reason: str
    place: Place | None
    kind: RefusalKind = RefusalKind.UNREAD


@dataclass(frozen=True, slots=True)
class Asks:
    """What Spark has to say before the query is understood: the schema of this query."""

    question: Sql


def bind(
    parsed: Parsed,
    sources: Mapping[str, Schema],
    answers: tuple[Schema, ...] = (),
    *,
    case_sensitive: bool = False,
) -> Lowered | NotLowered | Asks:
    """The plan of a query, every scan at NEW; `sources` are the tables by lower-case name.

    Closed: a clause or node that is not named here is refused, so nothing is ever passed through.
    """
    places = Places()
    context = Context(
        parsed, Fresh(0), sources, Asking(answers), places, bind_query, case_sensitive
    )
    try:
        rel = bind_query(parsed.tree, context)
    except Unanswered as asks:
        return Asks(asks.question)
    except Refuse as refusal:
        return NotLowered(refusal.reason, parsed.place(refusal.node), refusal.kind)
    except PlanError as error:
        return NotLowered(f"no plan can be made of it: {error}", None)
    if parameters(rel):
        return NotLowered("a subquery reads a row that is not around it", None)
    return Lowered(rel, parsed, places)


def bind_query(query: exp.Expr, context: Context) -> Rel:
    """A SELECT, a set operation, or one of them in parentheses, with its WITH clause."""
    match query:
        case exp.Select():
            _require_clauses(query, _SELECT_CLAUSES)
            return bind_select(query, _with_ctes(query, context))
        case exp.SetOperation():
            _require_clauses(query, _SET_CLAUSES)
            return _bind_set_operation(query, _with_ctes(query, context))
        case exp.Subquery():
            _require_clauses(query, _SUBQUERY_CLAUSES)
            context = _with_ctes(query, context)
            return bind_order(bind_query(query.this, context), Ordering.of(query), context)
        case exp.Values() | exp.Table():
            return bind_item(query, context)[0]
        case _:
            raise Refuse(f"{query.key.upper()} is not understood exactly", query)


_ORDER_CLAUSES = {"order", "sort", "cluster", "distribute", "limit", "offset"}
_SELECT_CLAUSES = _ORDER_CLAUSES | {
    "expressions", "from_", "joins", "where", "group", "having", "with_", "distinct",
    "laterals", "windows", "qualify", "hint",
}  # fmt: skip
_SET_CLAUSES = _ORDER_CLAUSES | {"this", "expression", "distinct", "with_"}
_SUBQUERY_CLAUSES = _ORDER_CLAUSES | {"this", "with_"}
_CLAUSE_NAMES = {"by_name": "UNION BY NAME", NOT_UNDERSTOOD: "this pipe operator"}


def _require_clauses(query: exp.Expr, allowed: set[str]) -> None:
    """Refuse any clause of the query that is present and not understood."""
    for key, value in query.args.items():
        if key in allowed or value is None or value is False or value == []:
            continue
        name = _CLAUSE_NAMES.get(key, key.upper())
        one = value[0] if isinstance(value, list) else value
        placed = isinstance(one, exp.Expr) and any("start" in n.meta for n in one.walk())
        raise Refuse(f"{name} is not understood exactly", one if placed else query)


def _with_ctes(query: exp.Expr, context: Context) -> Context:
    """The context with the query's WITH names."""
    with_ = query.args.get("with_")
    if with_ is None:
        return context
    if with_.args.get("recursive"):
        raise Refuse("WITH RECURSIVE is not understood exactly", with_)
    tables = context.parsed.tree.find_all(exp.Table)
    uses = Counter(t.name.lower() for t in tables if not t.args.get("db"))
    for cte in with_.expressions:
        name = cte.alias.lower()
        known = Cte(cte, context, uses[name])
        context = replace(context, ctes={**context.ctes, name: known})
    return context


def _bind_set_operation(query: exp.SetOperation, context: Context) -> Rel:
    inputs = bind_query(query.this, context), bind_query(query.expression, context)
    words = query.key.upper()
    widths = [len(i.columns) for i in inputs]
    if len(set(widths)) != 1:
        raise Refuse(f"the sides of {words} have {widths[0]} and {widths[1]} columns", query)
    columns = context.fresh.columns(c.name for c in inputs[0].columns)
    distinct = bool(query.args.get("distinct"))
    match query:
        case exp.Union():
            union = UnionAll(inputs, columns)
            rel: Rel = Distinct(union) if distinct else union
        case exp.Except():
            rel = Except(*inputs, columns, all=not distinct)
        case exp.Intersect():
            rel = Intersect(*inputs, columns, all=not distinct)
        case _:
            raise Refuse(f"{words} is not understood exactly", query)
    context.placed(rel, query)
    return bind_order(rel, Ordering.of(query), context)
