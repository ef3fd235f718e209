"""Small tables with NULLs, duplicates, odd names and nested types, for the tricky queries."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

# t, u and v share column names for USING and NATURAL, and keys of which some match.
_T = """
SELECT * FROM VALUES
  (1, 'x', 1.5D, DATE '2026-01-01'),
  (1, 'x', 1.5D, DATE '2026-01-01'),
  (2, 'y', 2.0D, DATE '2026-01-15'),
  (2, NULL, -3.25D, DATE '2026-02-01'),
  (3, 'Z', NULL, DATE '2026-02-28'),
  (3, 'z', 0.0D, NULL),
  (4, '', 10.0D, DATE '2026-03-31'),
  (5, 'w', 2.0D, DATE '2026-12-31'),
  (NULL, 'y', 7.5D, DATE '2026-01-15'),
  (NULL, NULL, NULL, NULL) AS t(a, b, c, d)
"""
_U = """
SELECT * FROM VALUES
  (1, 'x', 10), (1, 'q', 20), (2, 'y', 30), (3, 'Z', NULL), (4, NULL, 40), (6, 'w', 50),
  (NULL, 'y', 60), (NULL, NULL, NULL) AS u(a, b, e)
"""
_V = """
SELECT * FROM VALUES
  (1, 1.5D, 'one'), (2, 2.0D, 'two'), (3, 3.0D, 'three'), (6, NULL, 'six'), (7, 0.0D, NULL),
  (NULL, 7.5D, 'none'), (2, -3.25D, 'minus') AS v(a, c, f)
"""
_NOTHING = "SELECT * FROM VALUES (1, 'x', 1.5D) AS nothing(a, b, c) WHERE a > 1"

# Duplicate rows, NULL keys and NULL values.
_DUP = """
SELECT * FROM VALUES
  (1, 'g', 5, 1.10BD), (1, 'g', 5, 1.10BD), (1, 'g', NULL, 2.25BD), (1, 'h', 7, NULL),
  (2, 'g', 5, 0.00BD), (2, NULL, NULL, NULL), (2, NULL, NULL, NULL), (NULL, 'g', 9, -4.50BD),
  (NULL, 'h', 1, 3.33BD), (NULL, NULL, NULL, 3.33BD), (3, 'i', 5, 100.00BD),
  (3, 'i', -2, 100.00BD) AS dup(k, g, x, y)
"""

# What an analyst would have: customers and their managers, orders and their lines.
_CUSTOMERS = """
SELECT * FROM VALUES
  (1, 'Ann', 'north', NULL), (2, 'Bob', 'south', 1), (3, 'Cid', 'north', 1),
  (4, 'Dee', NULL, 2), (5, 'Eve', 'south', 2), (6, 'Fay', 'east', 9)
  AS customers(id, name, region, manager)
"""
_ORDERS = """
SELECT id, customer, CAST(amount AS DECIMAL(10, 2)) AS amount, status, placed FROM VALUES
  (100, 1, 20.00, 'paid', TIMESTAMP '2026-01-03 10:00:00'),
  (101, 1, 35.50, 'paid', TIMESTAMP '2026-01-20 08:30:00'),
  (102, 2, 12.25, 'open', TIMESTAMP '2026-02-01 00:00:00'),
  (103, 2, NULL, 'void', TIMESTAMP '2026-02-14 23:59:59'),
  (104, 3, 99.99, 'paid', TIMESTAMP '2026-02-28 12:00:00'),
  (105, 3, 20.00, NULL, TIMESTAMP '2026-03-01 06:15:30.123456'),
  (106, NULL, 5.00, 'open', TIMESTAMP '2026-03-05 10:00:00'),
  (107, 8, 77.00, 'paid', NULL),
  (108, 1, 0.00, 'open', TIMESTAMP '2026-04-01 10:00:00'),
  (109, 5, 41.10, 'paid', TIMESTAMP '2026-04-02 10:00:00')
  AS orders(id, customer, amount, status, placed)
"""
_LINES = """
SELECT * FROM VALUES
  (100, 1, 'apple', 2, 5.0D), (100, 2, 'pear', 1, 10.0D), (101, 1, 'apple', 7, 5.0D),
  (102, 1, 'fig', NULL, 2.5D), (102, 2, 'pear', 1, NULL), (104, 1, 'kiwi', 10, 9.999D),
  (105, 1, 'apple', 4, 5.0D), (109, 1, NULL, 3, 13.7D), (999, 1, 'fig', 1, 1.0D)
  AS lines(order_id, line, product, quantity, price)
"""

_TIMES = """
SELECT * FROM VALUES
  (1, DATE '2026-01-31', TIMESTAMP '2026-01-31 01:02:03.456', TIMESTAMP_NTZ '2026-01-31 01:02:03',
   INTERVAL '1 02:03:04' DAY TO SECOND, INTERVAL '1-2' YEAR TO MONTH),
  (2, DATE '2026-02-28', TIMESTAMP '2026-02-28 23:59:59', TIMESTAMP_NTZ '2026-02-28 23:59:59',
   INTERVAL '0 00:00:00' DAY TO SECOND, INTERVAL '0-0' YEAR TO MONTH),
  (3, DATE '2024-02-29', TIMESTAMP '2024-02-29 12:00:00', NULL,
   INTERVAL '-3 12:00:00' DAY TO SECOND, INTERVAL '-0-5' YEAR TO MONTH),
  (4, NULL, NULL, TIMESTAMP_NTZ '2026-01-31 01:02:03', NULL, NULL),
  (5, DATE '2026-01-31', TIMESTAMP '2026-01-30 01:02:03', TIMESTAMP_NTZ '2025-12-31 00:00:00',
   INTERVAL '10 00:00:00' DAY TO SECOND, INTERVAL '1-2' YEAR TO MONTH)
  AS times(id, d, ts, ntz, dt, ym)
"""

_NESTED = """
SELECT id, s, CAST(xs AS ARRAY<INT>) AS xs, CAST(ps AS ARRAY<STRUCT<k: STRING, v: INT>>) AS ps,
  CAST(m AS MAP<STRING, INT>) AS m, j
FROM VALUES
  (1, named_struct('x', 1, 'y', named_struct('z', 'p', 'n', 10)), array(1, 2, 3),
   array(named_struct('k', 'a', 'v', 1), named_struct('k', 'b', 'v', 2)), map('a', 1, 'b', 2),
   '{"a": 1, "b": {"c": "deep"}, "l": [1, 2]}'),
  (2, named_struct('x', 2, 'y', named_struct('z', 'q', 'n', NULL)), array(3, NULL),
   array(named_struct('k', 'a', 'v', NULL)), map('a', NULL), '{"a": 2, "b": null}'),
  (3, named_struct('x', NULL, 'y', NULL), array(), array(), map(), '{}'),
  (4, NULL, NULL, NULL, NULL, NULL),
  (5, named_struct('x', 1, 'y', named_struct('z', 'p', 'n', 10)), array(5, 5),
   array(named_struct('k', 'c', 'v', 3), NULL), map('c', 3), '{"a": "five", "l": []}')
  AS nested(id, s, xs, ps, m, j)
"""
_DOCS = """
SELECT id, parse_json(text) AS v FROM VALUES
  (1, '{"a": {"b": 1, "c": "one"}, "l": [1, 2, 3], "odd key": true}'),
  (2, '{"a": {"b": 2.5}, "l": []}'), (3, '{"a": null}'), (4, NULL), (5, '[10, 20]')
  AS docs(id, text)
"""

_SALES = """
SELECT * FROM VALUES
  ('north', 'tea', 2025, 'q1', 10), ('north', 'tea', 2025, 'q2', 20),
  ('north', 'tea', 2026, 'q1', 30), ('north', 'milk', 2025, 'q1', 5),
  ('south', 'tea', 2025, 'q1', 7), ('south', 'milk', 2026, 'q2', NULL),
  ('south', 'milk', 2026, 'q1', 11), (NULL, 'tea', 2026, 'q2', 3), ('east', NULL, 2025, 'q3', 8),
  ('north', 'tea', 2025, 'q1', 10) AS sales(region, product, year, quarter, amount)
"""
_WIDE = """
SELECT * FROM VALUES
  (1, 10, 20, NULL, 40, 'a', 'b'), (2, NULL, NULL, NULL, NULL, NULL, NULL),
  (3, 1, 2, 3, 4, 'c', NULL), (3, 1, 2, 3, 4, 'c', NULL), (NULL, 0, -1, -2, -3, 'd', 'e')
  AS wide(id, q1, q2, q3, q4, n1, n2)
"""

_ODD = """
SELECT * FROM VALUES
  (1, 'one', 10, 'x', 1.5D, 100, true, 'ä'), (2, 'two', 20, 'y', NULL, 200, false, 'ö'),
  (2, 'two', 20, 'y', NULL, 200, false, 'ö'), (NULL, NULL, 30, 'x', 2.5D, NULL, NULL, 'ä'),
  (4, '{}', NULL, NULL, 0.5D, 400, true, NULL)
  AS odd(`a b`, `x``y`, `{z}`, `select`, `A-1`, `x.y`, `größe €`, `"q'`)
"""

_TEXTS = {
    "t": _T,
    "u": _U,
    "v": _V,
    "nothing": _NOTHING,
    "dup": _DUP,
    "customers": _CUSTOMERS,
    "orders": _ORDERS,
    "lines": _LINES,
    "times": _TIMES,
    "nested": _NESTED,
    "docs": _DOCS,
    "sales": _SALES,
    "wide": _WIDE,
    "odd": _ODD,
}


def tables(spark: SparkSession) -> dict[str, DataFrame]:
    """The tables by lower-case name, as frames of this session."""
    return {name: spark.sql(text) for name, text in _TEXTS.items()}
