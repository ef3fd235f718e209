-- Joins of every kind, form and order, with NULL keys and empty sides.

# join on an equality
SELECT t.a, t.b, u.e FROM t JOIN u ON t.a = u.a

# join on an equality that counts NULLs as equal
SELECT t.a, t.b AS tb, u.b AS ub, u.e FROM t JOIN u ON t.a <=> u.a AND t.b <=> u.b

# inner join of three, the last condition over all of them
SELECT t.b, u.e, v.f FROM t JOIN u ON t.a = u.a JOIN v ON v.a = u.a AND v.c > t.c - 1

# left join with a condition on the left side only
SELECT t.a, t.b, u.e FROM t LEFT JOIN u ON t.a = u.a AND t.c > 1

# left join with a condition on the right side only
SELECT t.a, u.b, u.e FROM t LEFT JOIN u ON t.a = u.a AND u.e > 15

# right join with conditions on both sides
SELECT t.a AS ta, u.a AS ua, e FROM t RIGHT JOIN u ON t.a = u.a AND t.c > 1 AND u.e < 40

# full join with a condition that is no equality
SELECT t.a AS ta, u.a AS ua, c, e FROM t FULL OUTER JOIN u ON t.a < u.a AND t.b = u.b

# full join with NULL keys that never match
SELECT t.a AS ta, u.a AS ua FROM t FULL JOIN u ON t.a = u.a

# full join on null-safe equality
SELECT t.a AS ta, u.a AS ua, t.b AS tb, u.b AS ub FROM t FULL JOIN u ON t.a <=> u.a AND t.b <=> u.b

# a filter above a left join that looks at its NULLs
SELECT t.a, t.b FROM t LEFT JOIN u ON t.a = u.a WHERE u.a IS NULL

# a filter above a full join on coalesced keys
SELECT coalesce(t.a, v.a) AS k, t.b, v.f FROM t FULL JOIN v ON t.a = v.a WHERE coalesce(t.a, v.a) > 2

# left semi join
SELECT * FROM t LEFT SEMI JOIN u ON t.a = u.a AND u.e > 10

# semi join, the word LEFT left out
SELECT a, b FROM t SEMI JOIN u USING (a)

# left anti join
SELECT * FROM t LEFT ANTI JOIN u ON t.a = u.a

# anti join on an inequality
SELECT u.* FROM u ANTI JOIN t ON u.e < t.a * 10

# anti join over an empty side keeps every row
SELECT a, b FROM t ANTI JOIN nothing ON t.a = nothing.a

# semi join over an empty side keeps none, the count is still one row
SELECT count(*) AS n FROM t SEMI JOIN nothing ON true

# cross join by word
SELECT t.a, v.f FROM t CROSS JOIN v WHERE t.a = 2

# cross join by comma, the condition in WHERE
SELECT t.b, u.e FROM t, u WHERE t.a = u.a AND t.c > 1

# three tables by comma
SELECT t.a, u.b, v.f FROM t, u, v WHERE t.a = u.a AND u.a = v.a AND v.c = t.c

# comma and JOIN mixed: JOIN binds tighter
SELECT t.a, u.e, v.f FROM t, u JOIN v ON u.a = v.a WHERE t.a = v.a

# comma after a left join
SELECT t.a, u.e, w.n FROM t LEFT JOIN u ON t.a = u.a AND u.e > 20, (VALUES (1), (2)) AS w(n)

# join without a condition
SELECT count(*) AS n, sum(t.a * u.a) AS s FROM t JOIN u

# join on a constant that is true
SELECT t.a, v.f FROM t JOIN v ON true WHERE t.a = 1 AND v.a = 1

# left join on a constant that is false
SELECT t.a, u.e FROM t LEFT JOIN u ON false

# full join on a constant that is false
SELECT t.a, t.b, u.e FROM t FULL JOIN u ON 1 = 0

# left join on NULL
SELECT t.a, u.e FROM t LEFT JOIN u ON CAST(NULL AS BOOLEAN)

# join on OR
SELECT t.a AS ta, t.b AS tb, u.a AS ua, u.b AS ub FROM t JOIN u ON t.a = u.a OR t.b = u.b

# left join on OR with a NULL test
SELECT t.a AS ta, u.a AS ua, u.e FROM t LEFT JOIN u ON t.a = u.a OR (t.b IS NULL AND u.b IS NULL)

# join on NOT
SELECT t.a AS ta, u.a AS ua FROM t JOIN u ON NOT (t.a = u.a OR t.a > 1)

# join on BETWEEN
SELECT t.a, u.e FROM t JOIN u ON u.e BETWEEN t.a * 5 AND t.a * 15

# join on an expression of both sides
SELECT t.a AS ta, u.a AS ua FROM t JOIN u ON t.a + u.a = 4

# join on equal expressions of each side
SELECT t.b AS tb, u.b AS ub FROM t JOIN u ON lower(t.b) = lower(u.b) AND coalesce(t.a, 0) = coalesce(u.a, 0)

# self join under two names
SELECT x.a AS xa, y.a AS ya, x.b FROM t AS x JOIN t AS y ON x.a = y.a + 1

# self join without aliases on one side
SELECT t.a, other.b FROM t LEFT JOIN t AS other ON t.a = other.a AND t.b < other.b

# USING one column
SELECT a, t.b, u.b AS ub, e FROM t JOIN u USING (a)

# USING two columns
SELECT * FROM t JOIN u USING (a, b)

# USING in other case
SELECT A, e FROM t JOIN u USING (A)

# star over a left join USING
SELECT * FROM t LEFT JOIN u USING (a)

# star over a right join USING
SELECT * FROM t RIGHT JOIN u USING (a)

# star over a full join USING
SELECT * FROM t FULL JOIN u USING (a, b)

# the key of a right join USING is the right one
SELECT a, t.a AS ta, u.a AS ua, e FROM t RIGHT JOIN u USING (a)

# the key of a full join USING is coalesced
SELECT a, t.a AS ta, u.a AS ua FROM t FULL JOIN u USING (a)

# the left star of a right join USING
SELECT t.* FROM t RIGHT JOIN u USING (a)

# the right star of a right join USING
SELECT u.* FROM t RIGHT JOIN u USING (a, b)

# the right star of a left join USING
SELECT u.*, t.* FROM t LEFT JOIN u USING (b)

# both stars of a full join USING
SELECT t.*, u.* FROM t FULL JOIN u USING (a)

# both stars of an inner join USING
SELECT t.*, u.* FROM t JOIN u USING (b)

# chained full joins USING
SELECT a, b, e, f FROM t FULL JOIN u USING (a, b) FULL JOIN v USING (a)

# chained full joins USING with keys from the last table
SELECT a, count(*) AS n, max(f) AS f FROM u FULL JOIN v USING (a) FULL JOIN t USING (a) GROUP BY a

# star over chained joins USING of several kinds
SELECT * FROM t LEFT JOIN u USING (a) RIGHT JOIN v USING (a)

# chained left joins USING the first key
SELECT a, u.e, v.f FROM t LEFT JOIN u USING (a) LEFT JOIN v USING (a)

# USING and then ON
SELECT u.a, t.a AS ta, e, v.f FROM t JOIN u USING (a) LEFT JOIN v ON v.a = u.a AND v.c = t.c

# ON and then USING on a name that is in two tables of the left
SELECT x.a, x.b, v.f FROM (SELECT t.a, t.b FROM t JOIN u ON t.a = u.a) AS x JOIN v USING (a)

# semi join USING, then a join
SELECT a, b, f FROM t LEFT SEMI JOIN u USING (a, b) JOIN v USING (a)

# natural join
SELECT * FROM t NATURAL JOIN u

# natural left join
SELECT * FROM t NATURAL LEFT JOIN v

# natural right join
SELECT * FROM t NATURAL RIGHT JOIN v

# natural full join
SELECT a, c, b, f FROM t NATURAL FULL OUTER JOIN v

# natural join of three
SELECT * FROM t NATURAL JOIN u NATURAL JOIN v

# natural join without a shared name is a cross join
SELECT count(*) AS n FROM u NATURAL JOIN (SELECT f FROM v) AS w

# semi and anti joins USING, in one union
SELECT 'semi' AS kind, * FROM t LEFT SEMI JOIN u USING (a, b) UNION ALL SELECT 'anti', * FROM t LEFT ANTI JOIN u USING (a, b)

# parenthesised join on the right
SELECT t.a, u.e, v.f FROM t LEFT JOIN (u JOIN v ON u.a = v.a) ON t.a = u.a

# parenthesised join on the left
SELECT t.a, u.e, v.f FROM (t LEFT JOIN u ON t.a = u.a) FULL JOIN v ON v.a = u.a

# star over an anti join USING puts the keys first
SELECT * FROM t LEFT ANTI JOIN u USING (b, a)

# star over an inner join USING keys in another order
SELECT * FROM t JOIN u USING (b, a)

# parenthesised joins on both sides
SELECT t.a, u.e, v.f, d.x FROM (t JOIN u ON t.a = u.a) LEFT JOIN (v JOIN dup AS d ON v.a = d.k) ON v.a = u.a AND d.x > 4

# left, right, full and inner in one chain
SELECT t.a AS ta, u.a AS ua, v.a AS va, d.k, d.x
FROM t LEFT JOIN u ON t.a = u.a RIGHT JOIN v ON v.a = u.a FULL JOIN dup AS d ON d.k = v.a AND d.x > 1

# join with subqueries on both sides
SELECT l.a, l.n, r.m FROM (SELECT a, count(*) AS n FROM t GROUP BY a) AS l
JOIN (SELECT a, max(e) AS m FROM u GROUP BY a) AS r ON l.a <=> r.a

# left join to an empty table
SELECT t.a, n.c AS nc, n.b AS nb FROM t LEFT JOIN nothing AS n ON t.a = n.a

# full join of an empty table and a full one
SELECT n.a AS na, u.* FROM nothing AS n FULL JOIN u USING (a)

# duplicate rows multiply
SELECT d1.k, d1.g FROM dup AS d1 JOIN dup AS d2 ON d1.k = d2.k AND d1.g = d2.g

# aliases of a table's columns
SELECT r.p, r.q, s.e FROM t AS r(p, q, r, s) JOIN u AS s ON s.a = r.p

# join whose sides have different types
SELECT t.a, v.c FROM t JOIN v ON t.a = v.c

# join of a string key and an int key
SELECT s.k, t.b FROM (VALUES ('1'), ('2'), ('9')) AS s(k) JOIN t ON CAST(s.k AS INT) = t.a

# inner join with the condition in both ON and WHERE
SELECT c.name, o.id FROM customers c JOIN orders o ON o.customer = c.id AND o.status = 'paid' WHERE o.amount > 30 OR c.region IS NULL

# employees and their managers, twice up
SELECT c.name, m.name AS manager, mm.name AS manager2
FROM customers c LEFT JOIN customers m ON c.manager = m.id LEFT JOIN customers mm ON m.manager = mm.id

# a join under a lateral view in parentheses
SELECT q.id, q.x, t.b FROM (SELECT id, x FROM nested LATERAL VIEW explode(xs) e AS x) AS q LEFT JOIN t ON t.a = q.x

# USING after an inner join whose key is hidden
SELECT k, d1.x, d2.x AS x2, d3.g FROM dup d1 JOIN dup d2 USING (k) JOIN dup d3 USING (k) WHERE d1.x = 7 AND d3.g = 'h'

# right join USING under a full join USING
SELECT a, e, f, c FROM (SELECT a, e FROM t RIGHT JOIN u USING (a)) AS l FULL JOIN v USING (a)

# a left join whose WHERE makes it an inner one
SELECT t.a, u.e FROM t LEFT JOIN u ON t.a = u.a WHERE u.e > 15 AND t.b IS NOT NULL

# USING where the left key has another type
SELECT a, typeof(a) AS type, e FROM (SELECT CAST(a AS BIGINT) AS a FROM v) AS w FULL JOIN u USING (a)

# a cross join of three with a filter on all
SELECT x.a, y.a AS b, z.a AS c FROM v x CROSS JOIN v y CROSS JOIN v z WHERE x.a + y.a = z.a

# an outer join chain read from right to left
SELECT t.a, u.e, v.f FROM v RIGHT JOIN u ON u.a = v.a RIGHT JOIN t ON t.a = u.a AND v.f IS NOT NULL

# a subquery that is its own join partner
SELECT l.k, l.s, r.s AS rs FROM (SELECT k, sum(x) AS s FROM dup GROUP BY k) l FULL JOIN (SELECT k, sum(x) AS s FROM dup GROUP BY k HAVING sum(x) > 3) r ON l.k = r.k
