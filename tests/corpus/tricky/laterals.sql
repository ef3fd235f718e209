-- LATERAL joins, LATERAL VIEW, table functions, VALUES, SELECT without FROM.

# lateral join with an equality
SELECT t.a, q.e FROM t, LATERAL (SELECT e FROM u WHERE u.a = t.a) AS q

# lateral join by word
SELECT t.a, q.e, q.b FROM t JOIN LATERAL (SELECT e, b FROM u WHERE u.a = t.a AND u.e > 10) AS q

# left lateral join
SELECT t.a, q.e FROM t LEFT JOIN LATERAL (SELECT e FROM u WHERE u.a = t.a AND u.b = t.b) AS q ON true

# left lateral join with a condition
SELECT t.a, q.e FROM t LEFT JOIN LATERAL (SELECT e FROM u WHERE u.a = t.a) AS q ON q.e > 15

# cross lateral join with a computed column
SELECT t.a, q.twice FROM t CROSS JOIN LATERAL (SELECT t.a * 2 AS twice) AS q

# lateral joins that use each other
SELECT t.a, x.p, y.q FROM t, LATERAL (SELECT t.a + 1 AS p) AS x, LATERAL (SELECT x.p * 2 AS q) AS y

# lateral aggregate keeps rows without a match
SELECT t.a, q.n, q.s FROM t, LATERAL (SELECT count(*) AS n, sum(e) AS s FROM u WHERE u.a = t.a) AS q

# lateral aggregate with a group
SELECT t.a, q.b, q.n FROM t, LATERAL (SELECT u.b, count(*) AS n FROM u WHERE u.a = t.a GROUP BY u.b) AS q

# lateral with a limit
SELECT c.name, o.id, o.amount FROM customers c, LATERAL (SELECT id, amount FROM orders WHERE customer = c.id ORDER BY amount DESC NULLS LAST, id LIMIT 2) AS o

# left lateral with a limit
SELECT c.name, o.id FROM customers c LEFT JOIN LATERAL (SELECT id FROM orders WHERE customer = c.id ORDER BY id LIMIT 1) AS o ON true

# lateral over a union
SELECT t.a, q.v FROM t, LATERAL (SELECT t.a AS v UNION ALL SELECT -t.a) AS q

# lateral with column aliases
SELECT t.a, q.x, q.y FROM t, LATERAL (SELECT u.e, u.b FROM u WHERE u.a = t.a) AS q(x, y)

# lateral subquery under a group
SELECT c.region, sum(q.s) AS s FROM customers c, LATERAL (SELECT coalesce(sum(amount), 0) AS s FROM orders o WHERE o.customer = c.id) AS q GROUP BY c.region

# lateral table function
SELECT n.id, x.col FROM nested n, LATERAL explode(n.xs) AS x

# left lateral table function
SELECT n.id, p.k, p.v FROM nested n LEFT JOIN LATERAL inline(n.ps) AS p(k, v) ON true

# lateral view explode
SELECT id, x FROM nested LATERAL VIEW explode(xs) e AS x

# lateral view explode without a column's name
SELECT id, col FROM nested LATERAL VIEW explode(xs) e

# lateral view without a table's name
SELECT id, x FROM nested LATERAL VIEW explode(xs) AS x

# lateral view outer explode
SELECT id, x FROM nested LATERAL VIEW OUTER explode(xs) e AS x

# lateral view explode of a map
SELECT id, key, value FROM nested LATERAL VIEW explode(m) e

# lateral view outer explode of a map with names
SELECT id, k, v FROM nested LATERAL VIEW OUTER explode(m) e AS k, v

# lateral view posexplode
SELECT id, pos, col FROM nested LATERAL VIEW posexplode(xs) e

# lateral view posexplode with names
SELECT id, p.i, p.x FROM nested LATERAL VIEW OUTER posexplode(xs) p AS i, x

# lateral view inline
SELECT id, k, v FROM nested LATERAL VIEW inline(ps) p

# lateral view outer inline with names
SELECT id, q.a, q.b FROM nested LATERAL VIEW OUTER inline(ps) q AS a, b

# lateral view stack
SELECT t.a, s.n, s.v FROM t LATERAL VIEW stack(2, 'c', c, 'a', CAST(a AS DOUBLE)) s AS n, v

# lateral view json_tuple
SELECT id, q.a, q.b FROM nested LATERAL VIEW json_tuple(j, 'a', 'b') q AS a, b

# two lateral views multiply
SELECT id, x, k FROM nested LATERAL VIEW explode(xs) e AS x LATERAL VIEW explode(map_keys(m)) f AS k

# a lateral view over another
SELECT a, g, n FROM (SELECT 1 AS a, array(array(1, 2), array(3)) AS gg) LATERAL VIEW explode(gg) x AS g LATERAL VIEW explode(g) y AS n

# lateral view and WHERE and GROUP BY
SELECT x, count(*) AS n, sum(id) AS ids FROM nested LATERAL VIEW explode(xs) e AS x WHERE x > 1 OR x IS NULL GROUP BY x

# lateral view after a join
SELECT t.a, n.id, x FROM t JOIN nested n ON n.id = t.a LATERAL VIEW explode(n.xs) e AS x

# lateral view over no rows, counted
SELECT count(*) AS n FROM nothing LATERAL VIEW explode(array(1, 2)) e AS x

# star over a lateral view
SELECT * FROM (SELECT id, xs FROM nested) LATERAL VIEW OUTER posexplode(xs) p AS i, x

# explode in the select list
SELECT id, explode(xs) AS x FROM nested

# explode_outer in the select list
SELECT id, explode_outer(m) FROM nested

# posexplode with aliases in the select list
SELECT id, posexplode(xs) AS (i, x) FROM nested

# a generator over an expression, with a lateral alias
SELECT id + 1 AS more, explode(transform(xs, x -> x + id)) AS x FROM nested

# inline in the select list
SELECT id, inline_outer(ps) FROM nested

# split and explode words
SELECT w, count(*) AS n FROM (SELECT explode(split('a b  a c', ' ')) AS w) GROUP BY w

# range in FROM
SELECT id, id * 2 AS twice FROM range(5)

# range with a start, an end, a step and partitions
SELECT r.id FROM range(10, 0, -3, 2) AS r

# range with a column's alias
SELECT n, t.b FROM range(1, 4) AS r(n) LEFT JOIN t ON t.a = r.n

# explode in FROM
SELECT x.col FROM explode(array(3, 1, 2)) AS x

# inline in FROM with names
SELECT n, s FROM inline(array(struct(1, 'a'), struct(2, NULL))) AS q(n, s)

# stack in FROM
SELECT * FROM stack(2, 1, 'a', 2, 'b') AS s(n, w)

# posexplode of a map in FROM
SELECT * FROM posexplode(map('a', 1, 'b', 2))

# VALUES as a query
VALUES (1, 'a'), (2, NULL), (NULL, 'c')

# VALUES in FROM without aliases
SELECT col1, col2 FROM VALUES (1, 'a'), (2, 'b')

# VALUES in FROM with aliases
SELECT x + 1 AS y FROM VALUES (1), (2.5), (NULL) AS q(x)

# VALUES in parentheses
SELECT q.a, q.b FROM (VALUES (1, DATE '2026-01-01'), (2, NULL)) AS q(a, b)

# VALUES of expressions and nested types
SELECT * FROM VALUES (1 + 1, array(1, NULL), struct('x' AS p)), (3, array(), NULL) AS q(n, xs, s)

# VALUES joined
SELECT t.b, q.w FROM t JOIN (VALUES (1, 'uno'), (2, 'dos')) AS q(n, w) ON q.n = t.a

# a row without FROM
SELECT 1 AS one, 'x' AS x, NULL AS nothing, DATE '2026-01-01' + 1 AS d

# a row without FROM, filtered
SELECT 1 AS one WHERE 1 < 2

# a row without FROM, kept out
SELECT count(*) AS n FROM (SELECT 1 AS one WHERE 1 > 2)

# an aggregate without FROM
SELECT count(*) AS n, sum(5) AS s, max('x') AS m

# a subquery without FROM beside tables
SELECT t.a, q.n FROM t, (SELECT 10 AS n UNION ALL SELECT 20) AS q WHERE t.a = 1

# lateral aggregate, the keys NULL on both sides
SELECT u.a, u.b, q.n FROM u, LATERAL (SELECT count(*) AS n FROM t WHERE t.a = u.a AND t.b = u.b) AS q

# lateral aggregate by null-safe equality
SELECT u.a, q.n, q.m FROM u, LATERAL (SELECT count(*) AS n, max(c) AS m FROM t WHERE t.a <=> u.a) AS q

# lateral aggregate by inequality
SELECT u.a, q.n FROM u, LATERAL (SELECT count(*) + 1 AS n FROM v WHERE v.c < u.a) AS q

# lateral DISTINCT over NULL keys
SELECT u.a, q.b FROM u LEFT JOIN LATERAL (SELECT DISTINCT b FROM t WHERE t.a = u.a) AS q ON true

# lateral window
SELECT u.a, u.b, q.c, q.r FROM u, LATERAL (SELECT c, rank() OVER (ORDER BY c) AS r FROM t WHERE t.a = u.a) AS q

# lateral over a left join inside
SELECT u.a, q.tb, q.f FROM u, LATERAL (SELECT t.b AS tb, v.f FROM t LEFT JOIN v ON v.a = t.a AND v.c > u.e WHERE t.a = u.a) AS q

# lateral aggregate over an empty table
SELECT u.a, q.n, q.s FROM u, LATERAL (SELECT count(*) AS n, sum(c) AS s FROM nothing WHERE nothing.a = u.a) AS q

# lateral except
SELECT u.a, u.b, q.b AS other FROM u, LATERAL (SELECT b FROM t WHERE t.a = u.a EXCEPT SELECT u.b) AS q

# lateral over duplicate rows on the left
SELECT d.k, q.n FROM dup d, LATERAL (SELECT count(*) AS n FROM dup e WHERE e.k = d.k AND e.x = d.x) AS q

# lateral in lateral
SELECT c.name, q.id, q.n FROM customers c, LATERAL (SELECT o.id, r.n FROM orders o, LATERAL (SELECT count(*) AS n FROM lines l WHERE l.order_id = o.id) AS r WHERE o.customer = c.id) AS q
