-- ORDER BY, LIMIT and OFFSET, at the root and inside, over total orders.

# order by a column
SELECT a, b FROM t ORDER BY a, b

# order by an ordinal
SELECT a, c FROM t ORDER BY 2 DESC, 1

# order by an alias
SELECT id, coalesce(amount, 0) AS v FROM orders ORDER BY v DESC, id LIMIT 4

# order by an expression of aliases and columns
SELECT id, amount AS v FROM orders ORDER BY v * 2 DESC NULLS LAST, id % 3, id LIMIT 5

# order by a column that is not selected
SELECT status FROM orders ORDER BY id LIMIT 3

# order by a column that an alias hides
SELECT -a AS a, e FROM u ORDER BY a NULLS LAST, e LIMIT 3

# order with NULLS FIRST and LAST
SELECT k, x, y FROM dup ORDER BY k DESC NULLS FIRST, x ASC NULLS LAST, y LIMIT 4

# the default place of NULLs
SELECT DISTINCT a FROM t ORDER BY a LIMIT 2

# the default place of NULLs in descending order
SELECT DISTINCT a FROM t ORDER BY a DESC LIMIT 5

# limit at the root with ties that are equal rows
SELECT k, g, x, y FROM dup ORDER BY k, g, x, y LIMIT 5

# limit and offset
SELECT id FROM orders ORDER BY id LIMIT 3 OFFSET 2

# offset alone
SELECT id FROM orders ORDER BY id DESC OFFSET 7

# limit of zero, counted
SELECT count(*) AS n FROM (SELECT id FROM orders ORDER BY id LIMIT 0)

# limit ALL
SELECT id FROM orders ORDER BY id LIMIT ALL

# limit by an expression
SELECT id FROM orders ORDER BY id LIMIT 1 + 2

# limit beyond the rows
SELECT a, e FROM u ORDER BY a, e LIMIT 1000

# order by an aggregate
SELECT customer, count(*) AS n FROM orders GROUP BY customer ORDER BY count(*) DESC, customer NULLS LAST LIMIT 2

# order by an aggregate that is not selected
SELECT customer FROM orders GROUP BY customer ORDER BY sum(amount) DESC NULLS LAST, customer LIMIT 3

# order by a window under an alias
SELECT id, amount, row_number() OVER (ORDER BY amount DESC NULLS LAST, id) AS n FROM orders ORDER BY n LIMIT 3

# order and limit in a subquery in FROM
SELECT count(*) AS n, sum(amount) AS s FROM (SELECT amount FROM orders ORDER BY amount DESC NULLS LAST, id LIMIT 4)

# order without a limit in a subquery
SELECT a, count(*) AS n FROM (SELECT a, b FROM t ORDER BY b) GROUP BY a

# order and offset in a subquery
SELECT o.id, c.name FROM (SELECT * FROM orders ORDER BY id LIMIT 5 OFFSET 1) AS o LEFT JOIN customers c ON c.id = o.customer

# limit in IN
SELECT id, amount FROM orders WHERE id IN (SELECT order_id FROM lines ORDER BY order_id DESC, line LIMIT 3)

# limit over a union over limits
SELECT * FROM ((SELECT id FROM orders ORDER BY id LIMIT 3) UNION ALL (SELECT id FROM customers ORDER BY id LIMIT 3)) ORDER BY id LIMIT 4

# limit twice
SELECT * FROM (SELECT id FROM orders ORDER BY id LIMIT 6) ORDER BY id DESC LIMIT 2

# order by ALL
SELECT k, g, x FROM dup ORDER BY ALL LIMIT 6

# order by a struct's field and an array
SELECT id FROM nested ORDER BY s.x DESC NULLS LAST, xs, id LIMIT 3

# order over DISTINCT by an expression of it
SELECT DISTINCT a, b FROM t WHERE a IS NOT NULL ORDER BY a + 1 DESC, b NULLS LAST LIMIT 3

# sort by without a limit
SELECT a, b FROM t SORT BY a

# distribute by and sort by
SELECT a, b FROM t DISTRIBUTE BY a SORT BY b DESC

# cluster by
SELECT a, count(*) AS n FROM t GROUP BY a CLUSTER BY a

# order, limit and a rollup
SELECT region, sum(amount) AS s, grouping_id() AS g FROM sales GROUP BY ROLLUP (region) ORDER BY g, s DESC NULLS LAST, region LIMIT 3

# having, order by grouping() and limit
SELECT k, g, count(*) AS n FROM dup GROUP BY CUBE (k, g) HAVING count(*) > 1 ORDER BY grouping(k), grouping(g), n DESC, k, g LIMIT 5
