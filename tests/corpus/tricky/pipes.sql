-- The pipe syntax.

# pipe: where and select
FROM t |> WHERE a > 1 |> SELECT a, b

# pipe: a table by FROM alone
FROM t

# pipe: from and select without a pipe
FROM u SELECT e, a WHERE e > 10

# pipe: extend
FROM u |> EXTEND e * 2 AS twice, a + 1 AS more |> WHERE twice > 30

# pipe: set
FROM u |> SET e = coalesce(e, 0) + 1, b = upper(b)

# pipe: drop
FROM t |> DROP c, d

# pipe: as, and a join with it
FROM t |> AS x |> JOIN u ON x.a = u.a |> SELECT x.a, u.e

# pipe: left join USING
FROM t |> LEFT JOIN u USING (a) |> SELECT a, e

# pipe: aggregate without keys
FROM dup |> AGGREGATE count(*) AS n, sum(x) AS s

# pipe: aggregate with keys
FROM dup |> AGGREGATE count(*) AS n, sum(x) AS s GROUP BY k, g

# pipe: aggregate with a key that is an expression, then where
FROM t |> AGGREGATE max(c) AS m GROUP BY a % 2 AS odd |> WHERE m > 0

# pipe: aggregate twice
FROM dup |> AGGREGATE sum(x) AS s GROUP BY k, g |> AGGREGATE max(s) AS m, count(*) AS n GROUP BY g

# pipe: aggregate over no rows
FROM nothing |> AGGREGATE count(*) AS n, sum(a) AS s

# pipe: order and limit
FROM orders |> ORDER BY id DESC |> LIMIT 3 |> SELECT id, status

# pipe: limit and offset
FROM orders |> ORDER BY id |> LIMIT 2 OFFSET 3 |> SELECT id

# pipe: set operations
FROM t |> SELECT a |> UNION ALL (SELECT a FROM u) |> EXCEPT (SELECT a FROM v)

# pipe: intersect
FROM t |> SELECT a, b |> INTERSECT ALL (SELECT a, b FROM u) |> WHERE a > 1

# pipe: pivot
FROM sales |> SELECT region, quarter, amount |> PIVOT (sum(amount) FOR quarter IN ('q1', 'q2'))

# pipe: unpivot
FROM wide |> SELECT id, q1, q2 |> UNPIVOT (v FOR q IN (q1, q2))

# pipe: a window by extend
FROM u |> EXTEND sum(e) OVER (PARTITION BY a) AS s |> WHERE s > 20 |> SELECT a, b, s

# pipe: lateral join
FROM nested |> JOIN LATERAL explode(xs) AS x |> SELECT id, col

# pipe: a subquery in where
FROM t |> WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a) |> AGGREGATE count(*) AS n GROUP BY a

# pipe: after a whole query
SELECT a, b FROM t WHERE c > 0 |> EXTEND a * 10 AS ten |> DROP b

# pipe: with a CTE
WITH q AS (FROM u |> WHERE e > 10) FROM q |> AGGREGATE count(*) AS n, max(e) AS m GROUP BY a

# pipe: values and pipes
VALUES (1, 'a'), (2, 'b') AS q(n, s) |> WHERE n = 2 |> EXTEND n + 1 AS m

# pipe: distinct by select
FROM dup |> SELECT DISTINCT k, g |> AGGREGATE count(*) AS n

# pipe: after a whole query, its list is kept
SELECT a, b FROM t WHERE c > 0 |> EXTEND a * 10 AS ten

# pipe: after a whole query with a group
SELECT a, count(*) AS n FROM t GROUP BY a |> WHERE n > 1 |> SELECT n, a

# pipe: where after a limit
FROM orders |> ORDER BY id |> LIMIT 4 |> WHERE status = 'paid' |> SELECT id

# pipe: a smaller limit, then a larger one
FROM orders |> ORDER BY id |> LIMIT 2 |> LIMIT 5 |> SELECT id

# pipe: aggregate after a limit
FROM orders |> ORDER BY id |> LIMIT 3 |> AGGREGATE count(*) AS n, sum(amount) AS s

# pipe: where after a window
FROM orders |> EXTEND row_number() OVER (ORDER BY id) AS n |> WHERE n > 2 |> EXTEND count(*) OVER () AS left_over |> SELECT id, n, left_over

# pipe: select after select
FROM t |> SELECT a + 1 AS x, b |> SELECT x * 2 AS y |> WHERE y > 4

# pipe: select that swaps names, then where
FROM u |> SELECT a AS e, e AS a |> WHERE a > 10

# pipe: distinct, then where and select
FROM dup |> SELECT DISTINCT k, g |> WHERE g = 'g' |> SELECT k

# pipe: where around an aggregate
FROM dup |> WHERE x > 0 |> AGGREGATE sum(x) AS s, count(*) AS n GROUP BY k |> WHERE s > 5 |> ORDER BY s |> LIMIT 2

# pipe: extend in terms of an extension
FROM u |> EXTEND e + 1 AS p |> EXTEND p + 1 AS q |> SELECT a, q

# pipe: join after an aggregate
FROM t |> AGGREGATE count(*) AS n GROUP BY a |> AS q |> JOIN v ON v.a = q.a |> SELECT q.a, q.n, v.f

# pipe: join after a limit
FROM (SELECT * FROM orders ORDER BY id LIMIT 3) AS o |> LEFT JOIN customers AS c ON c.id = o.customer |> SELECT o.id, c.name

# pipe: aggregate that groups by an ordinal of its input
FROM (SELECT g, x FROM dup) |> AGGREGATE sum(x) AS s GROUP BY 1

# pipe: union and then a filter over both
FROM t |> SELECT a, b |> UNION ALL (SELECT a, b FROM u) |> WHERE a = 1 |> AGGREGATE count(*) AS n GROUP BY b

# pipe: three set operations, each over all before it
FROM t |> SELECT a |> UNION ALL (SELECT a FROM u) |> INTERSECT (SELECT a FROM v) |> UNION ALL (SELECT 100)

# pipe: where twice
FROM t |> WHERE a > 1 OR c > 5 |> WHERE b IS NOT NULL |> SELECT a, b

# pipe: subquery in FROM that is itself a pipe
SELECT q.a, q.n FROM (FROM t |> AGGREGATE count(*) AS n GROUP BY a) AS q WHERE q.n > 1

# pipe: pivot and then where
FROM sales |> SELECT region, year, amount |> PIVOT (sum(amount) FOR year IN (2025 AS y25, 2026 AS y26)) |> WHERE y25 > 7 |> EXTEND y25 + coalesce(y26, 0) AS both

# pipe: a tablesample of everything
FROM t |> TABLESAMPLE (100 PERCENT) |> SELECT a, b
