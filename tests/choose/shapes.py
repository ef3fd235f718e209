"""A shape of each kind."""

from __future__ import annotations

from everview.algebra.walk import walk_plan
from everview.errors import Place
from everview.facts.files import Sign
from everview.facts.refusals import RefusalKind
from everview.facts.schema import Field, Schema
from everview.shape.shape import Shape, full_only, shape_of
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query
from tests.sql.schemas import SOURCES

PLUS, MINUS = Sign.PLUS, Sign.MINUS


def shape(sql: str, type_: str = "long") -> Shape:
    found = bind(parse_query(sql), SOURCES)
    assert isinstance(found, Lowered)
    rel = found.rel
    types = {c.id: type_ for r in walk_plan(rel) for c in r.columns}
    return shape_of(rel, types, Schema(tuple(Field(c.name, types[c.id]) for c in rel.columns)))


NUMBERED = "SELECT a, b, row_number() OVER (PARTITION BY b ORDER BY a) AS n FROM t"
ROWS = shape("SELECT t.a, u.c FROM t JOIN u ON t.a = u.a")
GROUPS = shape("SELECT b, count(*) AS n, max(a) AS m FROM t GROUP BY b")
PARTITIONS = shape(NUMBERED)
FULL = full_only(
    RefusalKind.CUT_OFF,
    "LIMIT or OFFSET is not maintained incrementally",
    Place(2, 3, 1, "x"),
    Schema(()),
)
