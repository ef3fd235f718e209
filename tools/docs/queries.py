"""Queries of a small shop, and how the code of today would keep a view of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from everview.algebra.relations import Project, Rel, Scan
from everview.algebra.scalars import ColumnId, Ref
from everview.algebra.walk import walk_plan
from everview.errors import SqlNotAllowed, SqlSyntax
from everview.facts.schema import Field, Schema
from everview.optimize.passes import PassContext, When, improved
from everview.shape.maintained import unmaintained
from everview.shape.shape import FullOnly
from everview.shape.tail import shape_with_tail, split_tail
from everview.sql.bind.query import Asks, Lowered, NotLowered, bind
from everview.sql.read.parse import Parsed, forbid_outside_state, parse_query
from everview.views.kept import how_kept

How = Literal["incrementally", "in full", "as text", "refused"]
HOWS: tuple[How, ...] = ("incrementally", "in full", "as text", "refused")


@dataclass(frozen=True, slots=True)
class Example:
    """A construct of Spark's SELECT and a query that has it; `group` is its place on the page."""

    group: str
    construct: str
    sql: str


@dataclass(frozen=True, slots=True)
class Kept:
    """How a view of a query is kept: how its rows are stored, or why it is not incremental.

    `asks`: the binder needs Spark's word on names or types.
    """

    how: How
    why: str
    asks: bool = False


def _nested(type_: dict[str, Any]) -> str:
    return json.dumps(type_, sort_keys=True)


def _struct(**fields: str) -> dict[str, Any]:
    made = [{"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in fields.items()]
    return {"type": "struct", "fields": made}


_CUSTOMER = _struct(name="string", town="string")
_LINES = {
    "type": "array",
    "elementType": _struct(item="string", price="long"),
    "containsNull": True,
}
_MARKS = {"type": "map", "keyType": "string", "valueType": "string", "valueContainsNull": True}

TABLES = {
    "sales": Schema(
        (
            Field("sale_id", "long"),
            Field("store_id", "long"),
            Field("day", "date"),
            Field("amount", "long"),
        )
    ),
    "old_sales": Schema((Field("sale_id", "long"), Field("amount", "long"))),
    "stores": Schema((Field("store_id", "long"), Field("city", "string"))),
    "budgets": Schema((Field("store_id", "long"), *(Field(f"q{i}", "long") for i in (1, 2, 3, 4)))),
    "orders": Schema(
        (
            Field("order_id", "long"),
            Field("customer", _nested(_CUSTOMER)),
            Field("lines", _nested(_LINES)),
            Field("marks", _nested(_MARKS)),
            Field("doc", "variant"),
        )
    ),
}

# What Spark says where the binder asks for names or types, by the query that makes it ask.
ANSWERS = {
    "SELECT order_id, customer.* FROM orders": Schema((Field("customer", _nested(_CUSTOMER)),)),
    "SELECT order_id, item, price FROM orders LATERAL VIEW inline(lines) l": Schema(
        (Field("item", "string"), Field("price", "long"))
    ),
}

# Queries that our own parser does not read and Spark does.
ONLY_SPARK = frozenset(
    {
        "SELECT TRANSFORM(sale_id, amount) USING 'cat' AS (id, paid) FROM sales",
        "SELECT sale_id, amount >>> 2 AS part FROM sales",
    }
)

_FILE = Path(__file__).with_name("examples.sql")


def _read() -> Iterator[Example]:
    for part in _FILE.read_text(encoding="utf-8").split("\n## ")[1:]:
        group, *found = part.split("\n# ")
        for one in found:
            construct, _, sql = one.partition("\n")
            yield Example(group.strip(), construct.strip(), sql.strip())


EXAMPLES = tuple(_read())
GROUPS = tuple(dict.fromkeys(e.group for e in EXAMPLES))


@cache
def kept(sql: str) -> Kept:
    """How the view of a query would be kept, as far as the text and the tables tell.

    What Spark alone tells is not asked: determinism, collations, types of expressions.
    """
    try:
        parsed = parse_query(sql)
        forbid_outside_state(parsed)
    except (SqlNotAllowed, SqlSyntax) as refusal:
        if isinstance(refusal, SqlSyntax) and sql in ONLY_SPARK:
            return Kept("as text", "only Spark parses this text")
        code = f"[{refusal.code}](errors.md#{refusal.code.lower()})"
        return Kept("refused", f"{code}, {refusal.title}: {refusal.what}")
    asks = isinstance(_bound(parsed, ()), Asks)
    found = _bound(parsed, (ANSWERS[sql],) if asks else ())
    assert not isinstance(found, Asks), sql
    if isinstance(found, NotLowered):
        return Kept("as text", found.reason, asks)
    below, tail = split_tail(found.rel, tuple(c.name for c in found.rel.columns))
    refused = unmaintained(below)
    if refused is not None:
        return Kept("in full", refused.reason, asks)
    merged = improved(When.BOUND, below).plan
    rel = improved(When.TYPED, merged, PassContext(_types(merged))).plan
    types = _types(rel)
    public = rel.columns[: len(found.rel.columns)]
    columns = Schema(tuple(Field(c.name, types[c.id]) for c in public))
    shape = shape_with_tail(rel, tail, types, columns)
    if isinstance(shape, FullOnly):
        return Kept("in full", shape.reason, asks)
    return Kept("incrementally", how_kept(shape).removeprefix("incremental, "), asks)


def _bound(parsed: Parsed, answers: tuple[Schema, ...]) -> Lowered | NotLowered | Asks:
    return bind(parsed, TABLES, answers)


def _types(rel: Rel) -> dict[ColumnId, str]:
    """The types of columns that are those of a table; of a computed one any plain type will do."""
    found = {c.id: "long" for r in walk_plan(rel) for c in r.columns}
    for operator in reversed(list(walk_plan(rel))):
        if isinstance(operator, Scan):
            schema = TABLES[operator.table]
            found |= {c.id: schema[c.name].type for c in operator.columns}
        if isinstance(operator, Project):
            held = [(c, s) for c, s in operator.outputs if isinstance(s, Ref)]
            found |= {c.id: found[s.id] for c, s in held}
    return found


QUERIES = tuple(e.sql for e in EXAMPLES if kept(e.sql).how != "refused")


def incremental() -> list[tuple[str, str]]:
    """The queries that are maintained by what changed, each with how its rows are stored."""
    return [(sql, kept(sql).why) for sql in QUERIES if kept(sql).how == "incrementally"]


def full() -> list[tuple[str, str]]:
    """The queries that are recomputed, each with the reason."""
    return [(sql, kept(sql).why) for sql in QUERIES if kept(sql).how != "incrementally"]
