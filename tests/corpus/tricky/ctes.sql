-- WITH: nested, shadowed, used several times, with column lists.

# one CTE
WITH q AS (SELECT a, sum(c) AS s FROM t GROUP BY a) SELECT * FROM q WHERE s > 1

# a CTE over a CTE
WITH q AS (SELECT a, c FROM t WHERE a > 1), r AS (SELECT a, max(c) AS m FROM q GROUP BY a) SELECT * FROM r

# a CTE used twice
WITH q AS (SELECT a, count(*) AS n FROM t GROUP BY a) SELECT x.a, x.n, y.n AS next FROM q x LEFT JOIN q y ON y.a = x.a + 1

# a CTE used thrice
WITH q AS (SELECT k, sum(x) AS s FROM dup GROUP BY k)
SELECT k, s FROM q WHERE s > (SELECT avg(s) FROM q) UNION ALL SELECT NULL, max(s) FROM q

# a self-join of a CTE
WITH q AS (SELECT DISTINCT a, b FROM t) SELECT l.a AS la, r.a AS ra, l.b FROM q l JOIN q r ON lower(l.b) <=> lower(r.b) AND coalesce(l.a, 0) < coalesce(r.a, 4)

# a CTE with a column list
WITH q(key, total) AS (SELECT a, sum(c) FROM t GROUP BY a) SELECT key, total FROM q WHERE key IS NOT NULL

# a CTE that shadows a table
WITH t AS (SELECT a, e AS b FROM u) SELECT a, b FROM t

# a CTE that shadows a table and reads it
WITH t AS (SELECT a, count(*) AS n FROM t GROUP BY a) SELECT * FROM t WHERE n > 1

# a CTE in a subquery shadows the outer one
WITH q AS (SELECT 1 AS x) SELECT o.x, i.x AS y FROM q o, (WITH q AS (SELECT 2 AS x) SELECT x FROM q) i

# a CTE inside a CTE
WITH q AS (WITH inner_q AS (SELECT a, e FROM u WHERE e > 10) SELECT a, max(e) AS m FROM inner_q GROUP BY a) SELECT * FROM q

# a CTE inside a CTE that hides its sibling
WITH q AS (SELECT a FROM t WHERE a = 1), r AS (WITH q AS (SELECT a FROM v WHERE a > 2) SELECT a FROM q) SELECT 'q' AS w, a FROM q UNION ALL SELECT 'r', a FROM r

# a CTE that is never used
WITH unused AS (SELECT a FROM t), q AS (SELECT e FROM u) SELECT e FROM q

# a CTE in an EXISTS
SELECT a FROM t WHERE EXISTS (WITH q AS (SELECT a FROM u WHERE e > 10) SELECT 1 FROM q WHERE q.a = t.a)

# a CTE in a scalar subquery
SELECT a, (WITH q AS (SELECT max(e) AS m FROM u) SELECT m FROM q) AS m FROM t

# a CTE in other case
WITH Q AS (SELECT A FROM t) SELECT q.a FROM q WHERE Q.A > 1

# a CTE with an odd name
WITH `my {q}` AS (SELECT a AS `a b` FROM t) SELECT `a b` FROM `my {q}` WHERE `my {q}`.`a b` = 2

# a CTE of VALUES
WITH w(n, s) AS (VALUES (1, 'one'), (2, 'two'), (NULL, 'none')) SELECT t.a, w.s FROM t JOIN w ON w.n <=> t.a

# a CTE under a union, in both branches
WITH q AS (SELECT a FROM t) SELECT a FROM q WHERE a > 2 UNION SELECT a + 10 FROM q

# a CTE over a union used by a join
WITH keys AS (SELECT a FROM t UNION SELECT a FROM u UNION SELECT a FROM v)
SELECT keys.a, count(t.b) AS tb, count(v.f) AS vf FROM keys LEFT JOIN t ON t.a <=> keys.a LEFT JOIN v ON v.a <=> keys.a GROUP BY keys.a

# a CTE with an order and a limit, used twice
WITH top AS (SELECT id, amount FROM orders ORDER BY amount DESC NULLS LAST, id LIMIT 3) SELECT * FROM top UNION ALL SELECT count(*), sum(amount) FROM top

# a chain of five CTEs
WITH one AS (SELECT id, customer, amount FROM orders WHERE amount IS NOT NULL),
two AS (SELECT customer, sum(amount) AS s FROM one GROUP BY customer),
three AS (SELECT c.region, s FROM two JOIN customers c ON c.id = two.customer),
four AS (SELECT region, avg(s) AS m FROM three GROUP BY region),
five AS (SELECT region, m, m > (SELECT avg(m) FROM four) AS above FROM four)
SELECT * FROM five

# a CTE joined with the table it reads
WITH best AS (SELECT a, max(c) AS c FROM t GROUP BY a) SELECT t.a, t.b, t.c FROM t JOIN best USING (a, c)

# a CTE in FROM of a subquery in parentheses
SELECT * FROM (WITH q AS (SELECT a, b FROM t WHERE a > 3) SELECT b, a FROM q) AS z WHERE z.a = 4

# a CTE that another CTE's subquery correlates with
WITH l AS (SELECT a, b FROM t), r AS (SELECT a FROM l WHERE EXISTS (SELECT 1 FROM u WHERE u.a = l.a AND u.b = l.b)) SELECT a, count(*) AS n FROM r GROUP BY a
