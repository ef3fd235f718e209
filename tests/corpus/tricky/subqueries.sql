-- Subqueries: EXISTS, IN and scalar, correlated or not, everywhere Spark takes them.

# EXISTS correlated
SELECT a, b FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)

# NOT EXISTS correlated
SELECT a, b FROM t WHERE NOT EXISTS (SELECT * FROM u WHERE u.a = t.a AND u.e > 10)

# EXISTS without correlation
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE e > 50)

# NOT EXISTS over an empty table
SELECT a FROM t WHERE NOT EXISTS (SELECT * FROM nothing)

# EXISTS correlated by inequality
SELECT a, c FROM t WHERE EXISTS (SELECT 1 FROM v WHERE v.c > t.c AND v.a < t.a)

# EXISTS correlated by null-safe equality
SELECT a, b FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a <=> t.a AND u.b <=> t.b)

# EXISTS correlated with nothing but the outer side
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE t.a = 1)

# EXISTS over a global aggregate is always true
SELECT a FROM t WHERE EXISTS (SELECT count(*) FROM u WHERE u.a = t.a)

# NOT EXISTS over a global aggregate is never true
SELECT count(*) AS n FROM t WHERE NOT EXISTS (SELECT max(e) FROM u WHERE u.a = t.a)

# EXISTS over a grouped subquery with HAVING
SELECT a, b FROM t WHERE EXISTS (SELECT u.a FROM u WHERE u.a = t.a GROUP BY u.a HAVING count(*) > 1)

# EXISTS with a LIMIT inside
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a LIMIT 1)

# EXISTS over a join
SELECT c.name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o JOIN lines l ON l.order_id = o.id WHERE o.customer = c.id AND l.product = 'apple')

# EXISTS over a union
SELECT a, b FROM t WHERE EXISTS (SELECT a FROM u WHERE u.a = t.a UNION ALL SELECT a FROM v WHERE v.a = t.a)

# EXISTS with DISTINCT inside
SELECT a FROM t WHERE EXISTS (SELECT DISTINCT e FROM u WHERE u.a = t.a AND e IS NOT NULL)

# EXISTS of the same table
SELECT x.a, x.b FROM t x WHERE EXISTS (SELECT 1 FROM t y WHERE y.a = x.a AND NOT y.b <=> x.b)

# two EXISTS
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a) AND NOT EXISTS (SELECT 1 FROM v WHERE v.a = t.a)

# EXISTS under OR
SELECT a, b FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND u.e > 25) OR b = 'w' OR a IS NULL

# EXISTS and NOT EXISTS under OR
SELECT a, b FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND u.b = t.b) OR NOT EXISTS (SELECT 1 FROM v WHERE v.a = t.a)

# EXISTS under NOT and AND
SELECT a, b FROM t WHERE NOT (EXISTS (SELECT 1 FROM u WHERE u.a = t.a) AND b > 'a')

# EXISTS in the select list
SELECT a, b, EXISTS (SELECT 1 FROM u WHERE u.a = t.a) AS has FROM t

# EXISTS in CASE
SELECT a, CASE WHEN EXISTS (SELECT 1 FROM u WHERE u.a = t.a) THEN 'u' WHEN EXISTS (SELECT 1 FROM v WHERE v.a = t.a) THEN 'v' ELSE '-' END AS place FROM t

# EXISTS in HAVING
SELECT a, count(*) AS n FROM t GROUP BY a HAVING EXISTS (SELECT 1 FROM u WHERE u.a = t.a)

# EXISTS two levels deep
SELECT c.name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer = c.id AND EXISTS (SELECT 1 FROM lines l WHERE l.order_id = o.id AND l.quantity > 5))

# IN without correlation
SELECT a, b FROM t WHERE a IN (SELECT a FROM u)

# IN with a correlation
SELECT a, b FROM t WHERE b IN (SELECT b FROM u WHERE u.a = t.a)

# IN with an expression on both sides
SELECT a FROM t WHERE a + 1 IN (SELECT a - 1 FROM u)

# IN with different types on both sides
SELECT a FROM t WHERE a IN (SELECT c FROM v)

# IN over a group
SELECT id, customer FROM orders WHERE customer IN (SELECT customer FROM orders GROUP BY customer HAVING count(*) > 1)

# IN over a distinct union
SELECT a FROM t WHERE a IN (SELECT a FROM u UNION SELECT a FROM v)

# IN of two columns
SELECT a, b FROM t WHERE (a, b) IN (SELECT a, b FROM u)

# IN of a struct of two columns
SELECT a, b FROM t WHERE struct(a, b) IN (SELECT a, b FROM u)

# NOT IN where the subquery has a NULL keeps nothing
SELECT count(*) AS n FROM t WHERE a NOT IN (SELECT a FROM u)

# NOT IN where the subquery has no NULL
SELECT a, b FROM t WHERE a NOT IN (SELECT a FROM u WHERE a IS NOT NULL AND a > 1)

# NOT IN an empty subquery keeps NULLs too
SELECT a, b FROM t WHERE a NOT IN (SELECT a FROM nothing)

# NOT IN of two columns with NULLs on both sides
SELECT a, b FROM t WHERE (a, b) NOT IN (SELECT a, b FROM u WHERE a IS NOT NULL)

# NOT IN with a correlation
SELECT a, b FROM t WHERE a NOT IN (SELECT u.a FROM u WHERE u.b = t.b)

# NOT of IN in parentheses
SELECT a FROM t WHERE NOT (a IN (SELECT a FROM v WHERE a < 3))

# NOT of IN and something else
SELECT a, b, c FROM t WHERE NOT (a IN (SELECT a FROM u WHERE e > 10) AND c > 0)

# IN under OR
SELECT a, b FROM t WHERE a IN (SELECT a FROM v WHERE c > 1) OR b = 'w'

# NOT IN under OR with NULLs
SELECT a, b FROM t WHERE a NOT IN (SELECT a FROM u) OR b IS NULL

# IN and NOT IN in the select list
SELECT a, a IN (SELECT a FROM u) AS known, a NOT IN (SELECT a FROM v WHERE a < 3) AS other FROM t

# IN in CASE
SELECT a, CASE WHEN a IN (SELECT a FROM v) THEN 'in' ELSE 'out' END AS io FROM t

# IN is false, not NULL, where it stands inside an expression
SELECT a, b, (a IN (SELECT a FROM u)) IS NULL AS unknown, coalesce(a IN (SELECT a FROM v), true) AS c FROM t

# IN with HAVING and an aggregate on its left
SELECT a, sum(c) AS s FROM t GROUP BY a HAVING count(*) IN (SELECT a FROM v)

# IN and EXISTS together under OR and AND
SELECT a, b FROM t WHERE (a IN (SELECT a FROM u) OR EXISTS (SELECT 1 FROM v WHERE v.c = t.c)) AND b IS NOT NULL

# IN two levels deep
SELECT name FROM customers WHERE id IN (SELECT customer FROM orders WHERE id IN (SELECT order_id FROM lines WHERE price > 4))

# scalar subquery without correlation
SELECT a, (SELECT max(e) FROM u) AS top FROM t

# scalar subquery in WHERE
SELECT a, c FROM t WHERE c > (SELECT avg(c) FROM t)

# scalar subquery over no rows is NULL
SELECT a, (SELECT b FROM nothing) AS missing FROM t

# scalar subquery with a limit
SELECT a, (SELECT f FROM v ORDER BY c DESC NULLS LAST, f LIMIT 1) AS top FROM t

# scalar correlated
SELECT a, (SELECT sum(e) FROM u WHERE u.a = t.a) AS s FROM t

# scalar correlated count: 0 where nothing matches
SELECT a, b, (SELECT count(*) FROM u WHERE u.a = t.a) AS n FROM t

# scalar correlated count plus one
SELECT a, (SELECT count(*) + 1 FROM u WHERE u.a = t.a AND u.e > 10) AS n FROM t

# scalar correlated coalesce of a sum
SELECT a, (SELECT coalesce(sum(e), 0) FROM u WHERE u.a = t.a) AS s FROM t

# scalar correlated aggregates mixed with constants
SELECT a, (SELECT CASE WHEN count(e) = 0 THEN 'none' ELSE concat(max(b), '!') END FROM u WHERE u.a = t.a) AS w FROM t

# scalar correlated struct of aggregates
SELECT a, (SELECT struct(count(*) AS n, sum(e) AS s) FROM u WHERE u.a = t.a) AS p FROM t

# scalar correlated with HAVING inside
SELECT a, (SELECT count(*) FROM u WHERE u.a = t.a HAVING count(*) > 1) AS n FROM t

# scalar correlated with HAVING that keeps the empty group
SELECT a, (SELECT count(*) FROM u WHERE u.a = t.a HAVING count(*) < 2) AS n FROM t

# scalar correlated with GROUP BY its key
SELECT a, (SELECT count(*) FROM u WHERE u.a = t.a GROUP BY u.a) AS n FROM t

# scalar correlated over a subquery that counts
SELECT a, (SELECT n * 2 FROM (SELECT count(*) AS n FROM u WHERE u.a = t.a)) AS n FROM t

# scalar correlated in WHERE where the count is zero
SELECT a, b FROM t WHERE (SELECT count(*) FROM u WHERE u.a = t.a) = 0

# scalar correlated compared with a column
SELECT o.id, o.amount FROM orders o WHERE o.amount > (SELECT avg(i.amount) FROM orders i WHERE i.customer = o.customer)

# scalar correlated with two keys
SELECT a, b, (SELECT max(e) FROM u WHERE u.a = t.a AND u.b = t.b) AS m FROM t

# scalar correlated through an expression
SELECT a, (SELECT sum(e) FROM u WHERE u.a = t.a + 1) AS next FROM t

# scalar correlated by inequality
SELECT a, (SELECT count(*) FROM v WHERE v.c < t.c) AS below FROM t

# scalar correlated with a join inside
SELECT c.name, (SELECT sum(l.quantity * l.price) FROM orders o JOIN lines l ON l.order_id = o.id WHERE o.customer = c.id) AS total FROM customers c

# scalar correlated with DISTINCT
SELECT a, (SELECT count(DISTINCT b) FROM u WHERE u.a = t.a) AS n FROM t

# scalar correlated in an aggregate's argument
SELECT sum((SELECT count(*) FROM u WHERE u.a = t.a)) AS n FROM t

# scalar without correlation in an aggregate's argument
SELECT b, max(c + (SELECT max(e) FROM u)) AS m FROM t GROUP BY b

# scalar in a group's list
SELECT a, count(*) AS n, (SELECT max(e) FROM u) AS m FROM t GROUP BY a

# scalar correlated in a group's list and its key by ordinal
SELECT a, count(*) AS n, (SELECT max(e) FROM u WHERE u.a = t.a) AS m FROM t GROUP BY a, 3

# scalar correlated inside first
SELECT a, count(*) AS n, first((SELECT max(e) FROM u WHERE u.a = t.a)) AS m FROM t GROUP BY a

# scalar in HAVING
SELECT customer, sum(amount) AS s FROM orders GROUP BY customer HAVING sum(amount) > (SELECT avg(amount) FROM orders)

# scalar as the key of a group
SELECT n, count(*) AS rows FROM (SELECT a, (SELECT count(*) FROM u WHERE u.a = t.a) AS n FROM t) GROUP BY n

# scalar in CASE and in arithmetic
SELECT a, CASE WHEN a > (SELECT min(a) FROM v) THEN a * (SELECT count(*) FROM u) ELSE -1 END AS x FROM t

# scalar in a join's condition
SELECT t.a, u.e FROM t JOIN u ON t.a = u.a AND u.e > (SELECT avg(e) - 20 FROM u)

# IN in a left join's condition
SELECT t.a, u.e FROM t LEFT JOIN u ON t.a = u.a AND u.b IN (SELECT b FROM t WHERE c > 1)

# EXISTS in an inner join's condition
SELECT t.a, u.e FROM t JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM v WHERE v.a = u.a)

# scalar two levels deep
SELECT a, (SELECT max(e) FROM u WHERE u.a = t.a AND u.e < (SELECT avg(e) FROM u)) AS m FROM t

# scalar in a scalar, each correlated with its parent
SELECT c.name, (SELECT count(*) FROM orders o WHERE o.customer = c.id AND o.amount > (SELECT coalesce(sum(l.price), 0) FROM lines l WHERE l.order_id = o.id)) AS n FROM customers c

# scalar in a function and under LIKE
SELECT a, b FROM t WHERE b LIKE (SELECT min(f) FROM v) || '%' OR concat(b, (SELECT 'q')) = 'wq'

# scalar in a subquery in FROM
SELECT q.a, q.s FROM (SELECT a, (SELECT sum(e) FROM u WHERE u.a = t.a) AS s FROM t WHERE b IS NOT NULL) AS q WHERE q.s > 10

# a column of the outer query that the inner one hides
SELECT a, b FROM t WHERE EXISTS (SELECT 1 FROM u WHERE a = 3 AND t.c IS NULL)

# an unqualified column that is only outside
SELECT a, b FROM t WHERE EXISTS (SELECT 1 FROM u WHERE e > c AND u.a = t.a)

# a subquery over VALUES with a correlation
SELECT a, b FROM t WHERE EXISTS (SELECT 1 FROM (VALUES (1, 'x'), (3, 'z')) AS w(p, q) WHERE w.p = t.a AND w.q = t.b)

# a correlated subquery over a CTE
WITH big AS (SELECT a, e FROM u WHERE e > 10) SELECT a, (SELECT count(*) FROM big WHERE big.a = t.a) AS n FROM t WHERE a IN (SELECT a FROM big)

# the quantity above the average of its own product
SELECT order_id, product FROM lines l WHERE quantity > (SELECT avg(quantity) FROM lines i WHERE i.product <=> l.product) OR product IS NULL

# NOT EXISTS under OR with NULL keys
SELECT a, b FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.a) OR c > 5

# EXISTS with both an equality and an OR
SELECT a, b FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND (u.b = t.b OR u.e > 15))

# NOT IN in the select list, both sides with NULLs
SELECT a, b, b NOT IN (SELECT b FROM u) AS x, NOT b IN (SELECT b FROM u WHERE b IS NOT NULL) AS y, (a, b) NOT IN (SELECT a, b FROM u) AS z FROM t

# NOT IN in CASE
SELECT a, CASE WHEN a NOT IN (SELECT a FROM v) THEN 'out' WHEN a NOT IN (SELECT a FROM v WHERE a < 4) THEN 'far' ELSE 'in' END AS w FROM t

# NOT IN an empty subquery, in the select list
SELECT a, a NOT IN (SELECT a FROM nothing) AS x, a IN (SELECT a FROM nothing) AS y FROM t

# NOT IN under NOT
SELECT a FROM t WHERE NOT (a NOT IN (SELECT a FROM v)) OR NOT (b NOT IN (SELECT b FROM u WHERE b IS NOT NULL))

# IN compared with a boolean
SELECT a, b FROM t WHERE (a IN (SELECT a FROM v)) = (b IS NOT NULL)

# IN correlated, in the select list
SELECT a, b, b IN (SELECT u.b FROM u WHERE u.a = t.a) AS x, b NOT IN (SELECT u.b FROM u WHERE u.a = t.a) AS y FROM t

# IN over an aggregate without a group
SELECT a, b FROM t WHERE a IN (SELECT max(a) FROM u) OR c IN (SELECT min(c) FROM v)

# IN over a correlated aggregate
SELECT a, c FROM t WHERE a IN (SELECT count(*) + 1 FROM u WHERE u.a = t.a)

# EXISTS over a correlated limit with an offset
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a ORDER BY e LIMIT 1 OFFSET 1)

# scalar correlated with max over NULLs and a default
SELECT a, coalesce((SELECT max(e) FROM u WHERE u.a = t.a), -1) AS m, (SELECT max(e) FROM u WHERE u.a = t.a) IS NULL AS n FROM t

# scalar correlated count by null-safe equality
SELECT a, (SELECT count(*) FROM u WHERE u.a <=> t.a) AS n FROM t

# scalar correlated count with a filter and DISTINCT
SELECT a, (SELECT count(DISTINCT e) FILTER (WHERE e > 10) FROM u WHERE u.a = t.a) AS n FROM t

# scalar correlated with a limit over an order
SELECT a, (SELECT e FROM u WHERE u.a = t.a ORDER BY e DESC NULLS LAST LIMIT 1) AS top FROM t

# scalar correlated bool and array aggregates over nothing
SELECT a, (SELECT bool_or(e > 10) FROM u WHERE u.a = t.a) AS some, (SELECT sort_array(collect_list(e)) FROM u WHERE u.a = t.a) AS es, (SELECT count_if(e > 10) FROM u WHERE u.a = t.a) AS n FROM t

# scalar correlated over a left join inside
SELECT a, (SELECT count(v.f) FROM u LEFT JOIN v ON v.a = u.a WHERE u.a = t.a) AS n FROM t

# scalar correlated over a union inside
SELECT a, (SELECT count(*) FROM (SELECT a FROM u UNION ALL SELECT a FROM v) AS w WHERE w.a = t.a) AS n FROM t

# scalars that give the same name as a column
SELECT a, (SELECT max(e) AS a FROM u) AS e, (SELECT a FROM v WHERE f = 'six') AS b FROM t

# scalar without correlation in GROUP BY's key
SELECT a > (SELECT avg(a) FROM u) AS above, count(*) AS n FROM t GROUP BY a > (SELECT avg(a) FROM u)

# scalar in ORDER BY's neighbour and in LIMIT's input
SELECT id, (SELECT count(*) FROM lines WHERE order_id = orders.id) AS n FROM orders ORDER BY n DESC, id LIMIT 4

# scalar in a window's order
SELECT a, e, rank() OVER (ORDER BY e - (SELECT min(e) FROM u)) AS r FROM u

# EXISTS in an aggregate's argument and FILTER
SELECT sum(CASE WHEN EXISTS (SELECT 1 FROM u WHERE u.a = t.a) THEN 1 ELSE 0 END) AS n, count(*) AS m FROM t

# NOT over OR and AND of INs
SELECT a, b FROM t WHERE NOT (a IN (SELECT a FROM v WHERE a < 3) OR b IN (SELECT b FROM u)) OR NOT (a NOT IN (SELECT a FROM v WHERE a > 2) AND c > 1)

# NOT IN inside functions
SELECT a, coalesce(a NOT IN (SELECT a FROM v), true) AS x, (a NOT IN (SELECT a FROM u)) IS NULL AS y, if(NOT a IN (SELECT a FROM v), 'p', 'q') AS z FROM t

# NOT IN in a join's condition
SELECT t.a, u.e FROM t LEFT JOIN u ON t.a = u.a AND u.b NOT IN (SELECT b FROM t WHERE b > 'x')

# NOT IN in HAVING
SELECT a, count(*) AS n FROM t GROUP BY a HAVING count(*) NOT IN (SELECT a FROM u WHERE a IS NOT NULL) OR max(c) NOT IN (SELECT c FROM v WHERE c IS NOT NULL)

# a star among the arguments of a function in a scalar subquery
SELECT a, (SELECT max(struct(*)) FROM u) IS NULL AS x, (SELECT count(*) FROM v) AS n FROM t
