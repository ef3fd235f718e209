"""A shop as facts made by hand: sales that grow, stores that move, and views over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from everview.algebra.walk import walk_plan
from everview.choose.choose import choose
from everview.facts.files import ChangeFile, DataFile, Sign
from everview.facts.refreshes import RefreshFacts, SourceFacts, StoredFacts
from everview.facts.schema import Field, Schema
from everview.facts.tables import Lost, Snapshot, TableChanges
from everview.facts.views import Layout, SourceRecord, ViewRecord
from everview.program.planned import with_steps
from everview.shape.as_read import AsRead
from everview.shape.maintained import unmaintained
from everview.shape.shape import Shape, full_only, with_origin
from everview.shape.tail import shape_with_tail, split_tail
from everview.sql.bind.query import Lowered, NotLowered, bind
from everview.sql.read.parse import parse_query
from everview.views.explanation import Explanation, explanation
from tests.improve import simplified

SCHEMAS = {
    "sales": Schema(
        (
            Field("sale_id", "long"),
            Field("store_id", "long"),
            Field("item_id", "long"),
            Field("amount", "long"),
        )
    ),
    "stores": Schema((Field("store_id", "long"), Field("city", "string"))),
    "items": Schema((Field("item_id", "long"), Field("price", "long"))),
}
CITY_SALES = """
SELECT city, count(*) AS n, sum(amount) AS total
FROM sales JOIN stores USING (store_id)
GROUP BY city
"""
BIG = "SELECT sale_id, city FROM sales JOIN stores USING (store_id) WHERE amount > 900"
CITIES = "SELECT x.city\nFROM (SELECT city, rank() OVER (ORDER BY city) AS n FROM stores) AS x"


def shape(sql: str, schemas: Mapping[str, Schema] = SCHEMAS) -> Shape:
    found = bind(parse_query(sql), schemas)
    if isinstance(found, NotLowered):
        return full_only(found.kind, found.reason, found.place, Schema(()))
    assert isinstance(found, Lowered)
    rel, tail = split_tail(found.rel, tuple(c.name for c in found.rel.columns))
    refused = unmaintained(rel)
    if refused is not None:
        place = found.place(refused.operator, refused.function)
        return full_only(refused.kind, refused.reason, place, Schema(()))
    origin = AsRead(rel, {c.id: "long" for r in walk_plan(rel) for c in r.columns})
    rel = simplified(rel, origin.types)
    types = {c.id: "long" for r in walk_plan(rel) for c in r.columns}
    public = rel.columns[: len(found.rel.columns)]
    columns = Schema(tuple(Field(c.name, types[c.id]) for c in public))
    return with_origin(shape_with_tail(rel, tail, types, columns), origin)


def table(name: str, version: int, files: int, size: int, rows: int) -> Snapshot:
    """A table of equal files that hold so many bytes and rows together."""
    held = tuple(DataFile(f"{name}{i}", size // files, rows // files) for i in range(files))
    schema = SCHEMAS.get(name, Schema((Field("city", "string"), Field("n", "long"))))
    return Snapshot(f"id-{name}", f"s3://lake/shop/{name}", version, schema, (), held)


def changes(name: str, old: int, new: int, *files: tuple[Sign, int, int]) -> TableChanges:
    """Change files given by sign, bytes and rows."""
    held = tuple(
        ChangeFile(DataFile(f"c{i}", size, rows), sign)
        for i, (sign, size, rows) in enumerate(files)
    )
    ways = (("appended files", 2), ("change files", 1)) if new - old == 3 else ()
    ways = ways or ((("change files", new - old),) if new > old else ())
    return TableChanges(f"id-{name}", f"s3://lake/shop/{name}", old, new, SCHEMAS[name], held, ways)


SALES_AT_41 = table("sales", 41, 212, 600_000_000, 10_000_000)
STORES_AT_7 = table("stores", 7, 1, 40_000, 1_000)
SALES = SourceFacts(
    name="sales",
    id="id-sales",
    old=41,
    new=44,
    at_new=table("sales", 44, 214, 600_400_000, 10_010_000),
    at_old=SALES_AT_41,
    changes=changes("sales", 41, 44, (Sign.PLUS, 395_000, 10_040), (Sign.MINUS, 5_000, 52)),
)
MANY_SALES = replace(
    SALES, changes=changes("sales", 41, 44, (Sign.PLUS, 395_000, 410_040), (Sign.MINUS, 5_000, 52))
)
STILL_SALES = replace(SALES, new=41, at_new=SALES_AT_41, changes=changes("sales", 41, 41))
STORES = SourceFacts(
    name="stores",
    id="id-stores",
    old=7,
    new=8,
    at_new=table("stores", 8, 1, 40_000, 1_000),
    at_old=STORES_AT_7,
    changes=changes("stores", 7, 8, (Sign.PLUS, 900, 3), (Sign.MINUS, 900, 3)),
)
STILL_STORES = replace(STORES, new=7, at_new=STORES_AT_7, changes=changes("stores", 7, 7))
LOST_SALES = replace(SALES, changes=Lost("the history before version 43 is gone (vacuumed)"))


def facts(
    view: str, shape: Shape, *sources: SourceFacts, policy: str = "AUTO", distrust: str = ""
) -> RefreshFacts:
    layout: Layout = shape.layout
    read = tuple(SourceRecord(s.name, s.id, SCHEMAS[s.name], ()) for s in sources)
    record = ViewRecord("SELECT", {}, Schema(()), read, layout, "", "0.1.0")
    stored = StoredFacts(
        record=record,
        snapshot=table(view, 12, 1, 40_000, 200),
        built=True,
        watermark={s.name: s.old for s in sources if s.old is not None},
        distrust=distrust,
    )
    return RefreshFacts(view, policy, stored, sources)


def explained(view: str, sql: str, *sources: SourceFacts, policy: str = "AUTO") -> Explanation:
    """What a refresh of this view would do with its sources as they are."""
    kind = shape(sql)
    given = facts(view, kind, *sources, policy=policy)
    return explanation(with_steps(given, kind, choose(given, kind, full=False)))
