"""SELECT: from its FROM clause to its columns."""

from __future__ import annotations

from sqlglot import exp

from everview.algebra.relations import Distinct, Filter, Generate, Project, Rel, Values
from everview.algebra.scalars import Column, Opaque, Ref, Scalar
from everview.algebra.types import StructOf
from everview.facts.refusals import RefusalKind
from everview.sql.bind.context import Context
from everview.sql.bind.from_clause import bind_from
from everview.sql.bind.group import Grouping, Item, aggregates_in
from everview.sql.bind.group_sets import group_keys
from everview.sql.bind.level import Level, starred, with_stars
from everview.sql.bind.order import Ordering, bind_order
from everview.sql.bind.rows import Rows
from everview.sql.bind.scalar import bind_call, bind_scalar, standing_for
from everview.sql.bind.scope import Absent
from everview.sql.names import quoted
from everview.sql.read.known_nodes import item_name
from everview.sql.read.refuse import Refuse
from everview.sql.spark_functions import GENERATORS
from everview.sql.write.door import generator_question, value_question

Output = tuple[Column, Scalar]


def bind_select(query: exp.Select, context: Context) -> Rel:
    """Π(σ(γ(σ(FROM)))) with windows, DISTINCT and LIMIT where they belong."""
    has_from = query.args.get("from_") is not None
    rel, scope = bind_from(query, context) if has_from else (Values(((),), ()), context.scope())
    named = {w.name.lower(): w for w in query.args.get("windows") or []}
    level = Level(context, Rows(rel, context.fresh), scope, named)
    where = query.args.get("where")
    if where is not None:
        keep(where.this, level)
    items = [item for e in query.expressions for item in _expanded(e, level)]
    if _is_grouped(query, items):
        level = _grouped(query, items, level)
    having, qualify = query.args.get("having"), query.args.get("qualify")
    if having is not None:
        keep(_with_aliases(having.this, items, level), level)
    outputs = [output for item in items for output in _outputs(item, level)]
    if qualify is not None:
        keep(qualify.this, level)
    return _finished(query, outputs, level)


def _with_aliases(condition: exp.Expr, items: list[Item], level: Level) -> exp.Expr:
    """HAVING with the items that its names stand for where they are no columns of the input."""
    named = {i.alias.lower(): i.this for i in items if isinstance(i, exp.Alias)}

    def spelt_out(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column) or node.table or node.name.lower() not in named:
            return node
        is_inside = node.find_ancestor(exp.Query) is not None
        if is_inside or not isinstance(level.scope.resolve((node.name,)), Absent):
            return node
        return exp.Paren(this=named[node.name.lower()].copy())

    return condition.transform(spelt_out) if named else condition


def keep(condition: exp.Expr, level: Level) -> None:
    """Keep the rows of the level for which the condition holds."""
    if condition.find(exp.Query) is None:
        scalar = level.scalar(condition)
        level.rows.rel = level.context.placed(Filter(level.rows.rel, scalar), condition)
        return
    for part in condition.flatten() if isinstance(condition, exp.And) else [condition]:
        if isinstance(part, exp.And):
            keep(part, level)
        elif not level.subqueries().test(part, level.hole):
            scalar = level.scalar(part)
            level.rows.rel = Filter(level.rows.rel, scalar)


# Items


def _expanded(item: exp.Expr, level: Level) -> list[Item]:
    """The items that a select item stands for: a star is its columns."""
    found = starred(item, level.scope)
    if found is not None:
        return [Column(v.column.id, v.name) for v in found]
    star = item.this if isinstance(item, exp.Column) else item
    if isinstance(star, exp.Star):
        return _fields(item, level)
    return [with_stars(item, level.scope)]


def _fields(item: exp.Expr, level: Level) -> list[Item]:
    """The fields of a struct's star."""
    if not isinstance(item, exp.Column) or item.this.args.get("except_"):
        raise Refuse("this star is not understood exactly", item, RefusalKind.STAR)
    parts = [p.copy() for p in item.parts[:-1]]
    path = exp.Column(
        **dict(zip(("this", "table", "db", "catalog"), reversed(parts), strict=False))
    )
    struct = bind_scalar(path, level.hole)
    if not isinstance(struct, Ref | Opaque):
        raise Refuse("the star of a row around is not understood exactly", item, RefusalKind.STAR)
    answer = level.context.asking.ask(value_question(level.rows.rel, struct))
    type_ = answer.fields[0].parsed
    if not isinstance(type_, StructOf):
        raise Refuse(f"`{item.table}` is neither a table here nor a struct", item)
    return [standing_for(Opaque((struct, f".{quoted(n)}")), n) for n, _ in type_.fields]


def _outputs(item: Item, level: Level) -> list[Output]:
    fresh = level.context.fresh
    if isinstance(item, Column):
        return [(fresh.column(item.name), _starred_value(item, level))]
    inner = item.this if isinstance(item, exp.Aliases) else item.unalias()
    if isinstance(inner, exp.Anonymous) and inner.name.lower() in GENERATORS:
        return _generated(item, inner, level)
    if isinstance(item, exp.Aliases):
        raise Refuse("several aliases of one value are not understood exactly", item)
    scalar = level.scalar(inner)
    name = item_name(item)
    if isinstance(item, exp.Alias):
        level.aliases.setdefault(name.lower(), scalar)
    return [(fresh.column(name), scalar)]


def _starred_value(column: Column, level: Level) -> Scalar:
    if level.grouping is None:
        return Ref(column.id)
    key = level.grouping.keys.get(Ref(column.id))
    if key is None:
        raise Refuse(f"`{column.name}` is neither grouped nor in an aggregate", exp.Star())
    return Ref(key.id)


def _generated(item: exp.Expr, call: exp.Anonymous, level: Level) -> list[Output]:
    """A generator among the items: its rows beside each row."""
    fresh = level.context.fresh
    generator = bind_call(call, level.hole)
    if isinstance(item, exp.Aliases):
        names = [a.name for a in item.expressions]
    elif isinstance(item, exp.Alias):
        names = [item.alias]
    else:
        asked = generator_question(level.rows.rel, generator)
        names = list(level.context.asking.ask(asked).names)
    made = fresh.columns(names)
    level.rows.rel = level.context.placed(Generate(level.rows.rel, generator, made), call)
    return [(fresh.column(c.name), Ref(c.id)) for c in made]


# Groups


def _is_grouped(query: exp.Select, items: list[Item]) -> bool:
    """Whether the SELECT groups: by GROUP BY, HAVING, or an aggregate function among its items."""
    if query.args.get("group") is not None or query.args.get("having") is not None:
        return True
    return any(True for node in _over_groups(query, items) for _ in aggregates_in(node))


def _over_groups(query: exp.Select, items: list[Item]) -> list[exp.Expr]:
    """The expressions of the query that are computed over the groups."""
    clauses = [query.args.get(c) for c in ("having", "qualify", "order")]
    windows = query.args.get("windows") or []
    return [i for i in items if isinstance(i, exp.Expr)] + [c for c in (*clauses, *windows) if c]


def _grouped(query: exp.Select, items: list[Item], level: Level) -> Level:
    grouping = Grouping(level.rows, level.hole)
    group_keys(query, items, level.scope, grouping)
    for node in _over_groups(query, items):
        grouping.add_calls(node)
    return level.over_groups(grouping, query.args.get("group") or query)


# After the items


def _finished(query: exp.Select, outputs: list[Output], level: Level) -> Rel:
    distinct = query.args.get("distinct")
    ordering = Ordering.of(query)
    if distinct is not None:
        if distinct.args.get("on") is not None:
            raise Refuse("DISTINCT ON is not understood exactly", distinct)
        whole: Rel = Distinct(Project(level.rows.rel, tuple(outputs)))
        level.context.placed(whole, query)
        return bind_order(whole, ordering, level.context)
    if not ordering.cuts:
        return Project(level.rows.rel, tuple(outputs))
    keys = ordering.keys(outputs, level.hole, level.rows, level.scope)
    sorted_ = {k.column for k in keys}
    shown = {c.id for c, _ in outputs}
    hidden = [(c, Ref(c.id)) for c in level.rows.rel.columns if c.id in sorted_ - shown]
    cut = ordering.cut(Project(level.rows.rel, (*outputs, *hidden)), keys, level.context)
    return Project(cut, tuple((c, Ref(c.id)) for c, _ in outputs)) if hidden else cut
