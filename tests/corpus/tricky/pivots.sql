-- PIVOT and UNPIVOT.

# pivot of one aggregate
SELECT * FROM (SELECT region, quarter, amount FROM sales) PIVOT (sum(amount) FOR quarter IN ('q1', 'q2', 'q3'))

# pivot with aliases of the values
SELECT * FROM (SELECT region, quarter, amount FROM sales) PIVOT (sum(amount) FOR quarter IN ('q1' AS first, 'q2' AS second))

# pivot of two aggregates
SELECT * FROM (SELECT region, quarter, amount FROM sales) PIVOT (sum(amount) AS s, count(*) AS n FOR quarter IN ('q1', 'q2'))

# pivot of two aggregates without aliases
SELECT * FROM (SELECT region, quarter, amount FROM sales) PIVOT (sum(amount), max(amount) FOR quarter IN ('q1', 'q2' AS q))

# pivot by two columns
SELECT * FROM (SELECT region, quarter, year, amount FROM sales) PIVOT (sum(amount) FOR (quarter, year) IN (('q1', 2025), ('q2', 2026)))

# pivot by two columns with aliases
SELECT * FROM (SELECT region, quarter, year, amount FROM sales) PIVOT (sum(amount) AS s, count(amount) AS n FOR (quarter, year) IN (('q1', 2025) AS old, ('q2', 2026) AS new))

# pivot by a number
SELECT * FROM (SELECT region, year, amount FROM sales) PIVOT (sum(amount) FOR year IN (2025, 2026, 2027))

# pivot without keys of its own
SELECT * FROM (SELECT quarter, amount FROM sales) PIVOT (sum(amount) AS s FOR quarter IN ('q1', 'q2'))

# pivot over all columns of a table
SELECT * FROM sales PIVOT (sum(amount) FOR quarter IN ('q1', 'q2'))

# pivot of a count: NULL where a group has no row
SELECT * FROM (SELECT region, product FROM sales) PIVOT (count(*) FOR product IN ('tea', 'milk', 'none'))

# pivot of an expression over an aggregate
SELECT region, q1 + 1 AS more FROM (SELECT region, quarter, amount FROM sales) PIVOT (coalesce(sum(amount), 0) FOR quarter IN ('q1' AS q1))

# pivot by NULL too
SELECT * FROM (SELECT region, product, amount FROM sales) PIVOT (sum(amount) FOR product IN ('tea', NULL))

# pivot, then filter and order columns
SELECT `q2_n`, region FROM (SELECT region, quarter, amount FROM sales) PIVOT (count(amount) AS n, max(amount) AS m FOR quarter IN ('q1', 'q2')) WHERE q1_n > 0

# pivot of an aggregate of an expression
SELECT * FROM (SELECT region, year, amount FROM sales) PIVOT (sum(amount * 2) AS twice, avg(amount) AS a FOR year IN (2025 AS y25, 2026 AS y26))

# pivot of distinct values
SELECT * FROM (SELECT region, year, product FROM sales) PIVOT (count(DISTINCT product) FOR year IN (2025, 2026))

# pivot over a join, in a CTE
WITH q AS (SELECT c.region, o.status, o.amount FROM orders o JOIN customers c ON c.id = o.customer) SELECT * FROM q PIVOT (sum(amount) FOR status IN ('paid', 'open'))

# pivot joined with a table
SELECT p.region, p.paid, c.name FROM (SELECT * FROM (SELECT c.region, o.status, o.id FROM orders o JOIN customers c ON c.id = o.customer) PIVOT (count(id) FOR status IN ('paid'))) AS p JOIN customers c ON c.region = p.region

# unpivot
SELECT * FROM wide UNPIVOT (amount FOR quarter IN (q1, q2, q3, q4))

# unpivot including NULLs
SELECT * FROM wide UNPIVOT INCLUDE NULLS (amount FOR quarter IN (q1, q2, q3, q4))

# unpivot excluding NULLs by word
SELECT id, quarter, amount FROM wide UNPIVOT EXCLUDE NULLS (amount FOR quarter IN (q3, q4))

# unpivot with aliases
SELECT * FROM wide UNPIVOT (amount FOR quarter IN (q1 AS first, q2 AS `second one`))

# unpivot of several values
SELECT * FROM wide UNPIVOT ((low, high) FOR half IN ((q1, q2), (q3, q4)))

# unpivot of several values with aliases, with NULLs
SELECT id, half, low, high FROM wide UNPIVOT INCLUDE NULLS ((low, high) FOR half IN ((q1, q2) AS h1, (q3, q4) AS h2))

# unpivot of a subquery with an alias
SELECT p.id, p.name, p.value FROM (SELECT id, n1, n2 FROM wide) UNPIVOT (value FOR name IN (n1, n2)) AS p

# unpivot of columns of several numeric types
SELECT * FROM (SELECT a, CAST(a AS BIGINT) AS big, c FROM t) UNPIVOT (v FOR n IN (big, c))

# unpivot, then group
SELECT quarter, count(*) AS n, sum(amount) AS s FROM wide UNPIVOT (amount FOR quarter IN (q1, q2, q3, q4)) GROUP BY quarter

# unpivot and join
SELECT u2.id, u2.q, t.b FROM (SELECT * FROM wide UNPIVOT (v FOR q IN (q1, q2))) AS u2 JOIN t ON t.a = u2.id

# pivot what was unpivoted
SELECT * FROM (SELECT id, quarter, amount FROM wide UNPIVOT (amount FOR quarter IN (q1, q2, q3))) PIVOT (max(amount) FOR quarter IN ('q1', 'q3'))
