"""Queries over two small files of changes, with and without rows that the files may hold."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from everview.delta.propagate import delta
from everview.facts.files import Bounds, ChangeFile, DataFile, Sign, TableFile
from everview.facts.schema import Field, Schema
from everview.facts.tables import TableChanges
from everview.optimize.no_rows import has_no_rows
from everview.optimize.passes import When, improved
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query
from tests.laws.law import Seen

TYPES = {
    "id": "long",
    "region": "string",
    "day": "date",
    "price": "decimal(10,2)",
    "wide": "decimal(38,30)",
    "part": "integer",
    "word": "string",
    "size": "double",
    "edge": "decimal(38,18)",
    "half": "long",
    "odd": "integer",
}
SCHEMA = Schema(tuple(Field(name, type_) for name, type_ in TYPES.items()))
TABLES = {"sales": SCHEMA, "stores": SCHEMA}

ONE = {
    "id": Bounds(1, 5, 0),
    "region": Bounds("a", "m", 2),
    "day": Bounds(date(2026, 1, 1), date(2026, 1, 31), 0),
    "price": Bounds(Decimal("1.00"), Decimal("9.00"), 0),
    "wide": Bounds(Decimal(1), Decimal(9), 0),
    "size": Bounds(1.0, 9.0, 0),
    "edge": Bounds(Decimal(1), Decimal(9), 0),
    "half": Bounds(3, None, 0),
}
OTHER = {**ONE, "id": Bounds(11, 15, None), "region": Bounds("s", "z", 0)}

WITHOUT_ROWS = [
    "SELECT id FROM sales WHERE id = 7",
    "SELECT id FROM sales WHERE 16 <= id",
    "SELECT id FROM sales WHERE id < 1",
    "SELECT id FROM sales WHERE 15 < id",
    "SELECT id FROM sales WHERE 1 > id",
    "SELECT id FROM sales WHERE 7 = id",
    "SELECT id FROM sales WHERE edge > 9",
    "SELECT id FROM sales WHERE id <=> 6 AND region = 'b'",
    "SELECT id FROM sales WHERE id = 6 OR id > 15 OR id <= 0",
    "SELECT id FROM sales WHERE region = 'n'",
    "SELECT id FROM sales WHERE region IS NULL AND id > 10",
    "SELECT id FROM sales WHERE day = DATE'2025-12-31'",
    "SELECT id FROM sales WHERE day >= '2026-02-01'",
    "SELECT id FROM sales WHERE price > 9",
    "SELECT id FROM sales WHERE id BETWEEN 6 AND 10",
    "SELECT id FROM sales WHERE part = 5 AND word = 'y'",
    "SELECT id FROM sales WHERE part = 4",
    "SELECT count(*) AS n FROM sales WHERE id = 7 GROUP BY region",
    "SELECT a.id FROM sales a JOIN stores b ON a.id = b.id WHERE a.region = 'n'",
    "SELECT a.id FROM sales a JOIN stores b ON a.id = b.id AND a.region = 'n'",
    "SELECT a.id FROM (SELECT id FROM sales) a JOIN stores b ON a.id = b.id AND a.id = 7",
    "SELECT b.id FROM stores b LEFT JOIN sales a ON a.id = b.id AND a.region = 'n'",
    "SELECT b.id FROM sales a RIGHT JOIN stores b ON a.id = b.id AND a.region = 'n'",
    "SELECT a.id FROM sales a LEFT JOIN stores b ON a.id = b.id WHERE a.region = 'n'",
    "SELECT id FROM stores WHERE id IN (SELECT id FROM sales WHERE region = 'n')",
    "SELECT x FROM (SELECT id AS x FROM sales UNION ALL SELECT id + 1 FROM stores) WHERE x = 7",
    "SELECT id FROM sales WHERE id = 7 UNION ALL SELECT id FROM sales WHERE id = 8",
]
WITH_ROWS = [
    "SELECT id FROM sales WHERE id = 15",
    "SELECT id FROM sales WHERE id <> 1",
    "SELECT id FROM sales WHERE id >= 15",
    "SELECT id FROM sales WHERE id <= 1",
    "SELECT id FROM sales WHERE id BETWEEN 5 AND 6",
    "SELECT id FROM sales WHERE NOT id BETWEEN 0 AND 50",
    "SELECT id FROM sales WHERE id BETWEEN region AND 3",
    "SELECT id FROM sales WHERE id = 7 OR region = 'b'",
    "SELECT id FROM sales WHERE region IS NULL",
    "SELECT id FROM sales WHERE id IS NULL AND region = 's'",
    "SELECT id FROM sales WHERE day = '2026-1-40'",
    "SELECT id FROM sales WHERE id = '7'",
    "SELECT id FROM sales WHERE price > 9.00",
    "SELECT id FROM sales WHERE wide > 9",
    "SELECT id FROM sales WHERE size > 9",
    "SELECT id FROM sales WHERE half > 9",
    "SELECT id FROM sales WHERE odd = 4",
    "SELECT id FROM sales WHERE day = '20251231'",
    "SELECT id FROM sales WHERE 7 <> id",
    "SELECT id FROM sales WHERE word = 'x'",
    "SELECT id FROM sales WHERE id + 1 = 100",
    "SELECT count(*) AS n FROM sales HAVING count(*) < 0",
    "SELECT a.id FROM sales a LEFT JOIN stores b ON a.id = b.id AND a.region = 'n'",
    "SELECT a.id FROM sales a FULL JOIN stores b ON a.id = b.id WHERE b.region = 'n'",
    "SELECT id FROM sales WHERE id = 7 UNION ALL SELECT id FROM sales WHERE id = 11",
]


def check_example(seed: int, seen: Seen) -> None:
    """Two of the queries, others for another number."""
    without, with_ = WITHOUT_ROWS[seed % len(WITHOUT_ROWS)], WITH_ROWS[seed % len(WITH_ROWS)]
    assert excluded(without), without
    assert not excluded(with_), with_
    seen.met("an example of changes without rows")


def excluded(sql: str) -> bool:
    """Whether the files of changes are said to hold no row that counts for the query."""
    found = bind(parse_query(sql), TABLES)
    assert isinstance(found, Lowered)
    plan = improved(When.BEFORE, improved(When.BOUND, found.rel).plan).plan
    changes = delta(plan, frozenset({"sales"}))
    assert changes is not None
    return has_no_rows(changes, lambda table: _CHANGES if table == "sales" else None)


def _file(bounds: dict[str, Bounds]) -> TableFile:
    return DataFile(
        "f", 1, 9, (("part", "5"), ("word", "x"), ("odd", "1.5")), tuple(bounds.items())
    )


_FILES = tuple(ChangeFile(_file(b), s) for b, s in ((ONE, Sign.PLUS), (OTHER, Sign.MINUS)))
_CHANGES = TableChanges("id", "uri", 1, 2, SCHEMA, _FILES)
