-- Views as an analyst would write them, and worse.

# revenue by region and month with shares
WITH paid AS (
  SELECT c.region, date_trunc('MONTH', o.placed) AS month, o.amount
  FROM orders o JOIN customers c ON c.id = o.customer
  WHERE o.status = 'paid' AND o.amount IS NOT NULL
), totals AS (SELECT region, month, sum(amount) AS s FROM paid GROUP BY region, month)
SELECT region, month, s, round(s / sum(s) OVER (PARTITION BY region), 4) AS share,
  s - lag(s) OVER (PARTITION BY region ORDER BY month) AS more
FROM totals

# customers without paid orders, and how many others
SELECT c.name, count(o.id) AS others
FROM customers c LEFT JOIN orders o ON o.customer = c.id AND coalesce(o.status, '') <> 'paid'
WHERE NOT EXISTS (SELECT 1 FROM orders p WHERE p.customer = c.id AND p.status = 'paid')
GROUP BY c.name

# orders whose lines do not add up
SELECT o.id, o.amount, l.total FROM orders o
LEFT JOIN (SELECT order_id, sum(quantity * price) AS total FROM lines GROUP BY order_id) AS l ON l.order_id = o.id
WHERE NOT o.amount <=> CAST(l.total AS DECIMAL(10, 2))

# the latest order of each customer, or none
SELECT c.id, c.name, o.id AS last, coalesce(o.status, 'none') AS status
FROM customers c
LEFT JOIN (SELECT *, row_number() OVER (PARTITION BY customer ORDER BY placed DESC NULLS LAST, id) AS n FROM orders) AS o
  ON o.customer = c.id AND o.n = 1

# cohorts by first month
WITH first AS (SELECT customer, min(placed) AS f FROM orders WHERE customer IS NOT NULL GROUP BY customer)
SELECT date_format(f, 'yyyy-MM') AS cohort, timestampdiff(MONTH, f, o.placed) AS age, count(DISTINCT o.customer) AS customers, sum(o.amount) AS amount
FROM first JOIN orders o USING (customer) GROUP BY 1, 2

# totals and subtotals with labels
SELECT CASE WHEN grouping(region) = 1 THEN 'all regions' ELSE coalesce(region, 'unknown') END AS region,
  CASE WHEN grouping(product) = 1 THEN 'all products' ELSE coalesce(product, 'unknown') END AS product,
  sum(amount) AS amount, count(*) FILTER (WHERE year = 2026) AS n26
FROM sales GROUP BY ROLLUP (region, product) HAVING sum(amount) IS NOT NULL

# products above the average of their order
SELECT l.order_id, l.product FROM lines l JOIN (SELECT order_id, avg(price) AS m FROM lines GROUP BY order_id) USING (order_id) WHERE l.price >= m

# a funnel by conditional counts
SELECT region, count(*) AS customers, count(first_paid) AS payers, round(count(first_paid) / count(*), 3) AS rate
FROM (SELECT c.region, (SELECT min(o.id) FROM orders o WHERE o.customer = c.id AND o.status = 'paid') AS first_paid FROM customers c)
GROUP BY region

# the same product bought again
SELECT DISTINCT a.product FROM lines a JOIN lines b ON a.product = b.product AND a.order_id < b.order_id
WHERE a.order_id IN (SELECT id FROM orders WHERE status = 'paid')

# gaps between orders
SELECT customer, max(gap) AS longest FROM (
  SELECT customer, datediff(placed, lag(placed) OVER (PARTITION BY customer ORDER BY id)) AS gap FROM orders
) WHERE gap IS NOT NULL GROUP BY customer

# managers with the orders of their people
SELECT m.name, count(DISTINCT c.id) AS people, count(o.id) AS orders, sum(coalesce(o.amount, 0)) AS amount
FROM customers m JOIN customers c ON c.manager = m.id LEFT JOIN orders o ON o.customer = c.id
GROUP BY m.name, m.id HAVING count(o.id) > 0

# one row per customer as nested values
SELECT c.id, struct(c.name, c.region) AS who, o.os, size(o.os) AS n FROM customers c
LEFT JOIN (SELECT customer, sort_array(collect_list(struct(id, amount, status))) AS os FROM orders GROUP BY customer) AS o ON o.customer = c.id

# nested values taken apart again
SELECT who.name, e.id, e.amount FROM (
  SELECT struct(c.name) AS who, collect_list(struct(o.id, o.amount)) AS os FROM customers c JOIN orders o ON o.customer = c.id GROUP BY c.name
) LATERAL VIEW explode(os) x AS e WHERE e.amount > 10

# top product per region by pivot and by hand
SELECT p.region, p.tea, p.milk, q.best FROM (SELECT * FROM (SELECT region, product, amount FROM sales) PIVOT (sum(amount) FOR product IN ('tea' AS tea, 'milk' AS milk))) AS p
JOIN (SELECT region, max_by(product, struct(amount, product)) AS best FROM sales WHERE product IS NOT NULL GROUP BY region) AS q ON q.region <=> p.region

# a slowly changing dimension by dates
WITH prices(product, price, since, until) AS (VALUES ('apple', 5.0D, DATE '2026-01-01', DATE '2026-02-01'), ('apple', 6.0D, DATE '2026-02-01', NULL), ('pear', 9.0D, DATE '2026-01-01', NULL))
SELECT l.order_id, l.product, p.price FROM lines l JOIN orders o ON o.id = l.order_id
LEFT JOIN prices p ON p.product = l.product AND o.placed >= p.since AND (o.placed < p.until OR p.until IS NULL)

# everything twice: a union of the view with its own total
WITH s AS (SELECT region, sum(amount) AS amount FROM sales GROUP BY region)
SELECT 0 AS level, region, amount FROM s UNION ALL SELECT 1, NULL, sum(amount) FROM s UNION ALL SELECT 2, NULL, max(amount) FROM s WHERE region IS NOT NULL

# subqueries in every clause
SELECT a, (SELECT max(e) FROM u WHERE u.a = q.a) AS m, q.n + (SELECT count(*) FROM v) AS n
FROM (SELECT a, count(*) AS n FROM t WHERE c > (SELECT min(c) FROM v) GROUP BY a HAVING count(*) < (SELECT count(*) FROM u)) AS q
WHERE q.a IN (SELECT a FROM u) OR NOT EXISTS (SELECT 1 FROM v WHERE v.a = q.a)

# outer joins, distinct, a union and a window
SELECT a, src, n, rank() OVER (PARTITION BY src ORDER BY n DESC, a) AS r FROM (
  SELECT a, 'tu' AS src, count(DISTINCT e) AS n FROM t FULL JOIN u USING (a) GROUP BY a
  UNION ALL
  SELECT v.a, 'v', count(t.b) FROM v LEFT JOIN t ON t.a = v.a AND t.c = v.c GROUP BY v.a
)

# names that collide at every level
WITH t AS (SELECT a AS b, b AS a FROM t), u AS (SELECT t.a, t.b, u.e FROM t JOIN u ON t.b = u.a)
SELECT t.a, u.a AS ua, u.b FROM t JOIN u ON t.b = u.b WHERE EXISTS (SELECT 1 FROM u AS t WHERE t.b = u.b AND t.e > 10)

# odd names through every operator
WITH `q {1}` AS (SELECT `{z}` AS `k.k`, sum(`x.y`) AS `s``s` FROM odd GROUP BY `{z}`)
SELECT `k.k`, `s``s`, count(*) OVER (PARTITION BY `s``s`) AS `n n` FROM `q {1}` UNION ALL SELECT `a b`, `x.y`, 0 FROM odd WHERE `größe €` AND `a b` IN (SELECT max(`a b`) FROM odd)

# deduplicate, unnest, aggregate, pivot
SELECT * FROM (
  SELECT n.s.y.z AS z, e.k, e.v FROM (SELECT DISTINCT s, ps FROM nested WHERE id <> 4) AS n LATERAL VIEW OUTER inline(n.ps) e AS k, v
) PIVOT (sum(v) AS s, count(*) AS n FOR k IN ('a', 'b', 'c'))

# a running balance with an opening
SELECT id, sum(amount) OVER (PARTITION BY customer ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS balance
FROM (SELECT id, customer, amount FROM orders UNION ALL SELECT -id, id, 100 FROM customers) WHERE customer IS NOT NULL

# a median by hand
SELECT k, avg(x) AS median FROM (
  SELECT k, x, row_number() OVER (PARTITION BY k ORDER BY x, y) AS r, count(*) OVER (PARTITION BY k) AS n FROM (SELECT DISTINCT k, x, y FROM dup WHERE x IS NOT NULL AND y IS NOT NULL)
) WHERE r IN ((n + 1) DIV 2, (n + 2) DIV 2) GROUP BY k

# relational division
SELECT DISTINCT c.name FROM customers c WHERE NOT EXISTS (
  SELECT 1 FROM (SELECT k.id, s.status FROM customers k CROSS JOIN (VALUES ('paid'), ('open')) AS s(status)) AS wanted
  WHERE wanted.id = c.id AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer = wanted.id AND o.status = wanted.status)
)

# seven joins
SELECT c.name, m.name AS manager, o.id, l.product, t.b, u.e, v.f
FROM customers c
LEFT JOIN customers m ON m.id = c.manager
JOIN orders o ON o.customer = c.id
LEFT JOIN lines l ON l.order_id = o.id AND l.line = 1
LEFT JOIN t ON t.a = c.id AND t.b = 'y'
LEFT JOIN u ON u.a = t.a
LEFT JOIN v ON v.a = u.a AND v.c > 0

# ten levels of subqueries
SELECT * FROM (SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM
(SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT a FROM t))))))))))

# a correlated subquery over a union in a lateral join
SELECT t.a, q.src, q.n FROM t JOIN LATERAL (SELECT 'u' AS src, count(*) AS n FROM u WHERE u.a = t.a UNION ALL SELECT 'v', count(*) FROM v WHERE v.a = t.a) AS q ON q.n > 0

# rates with guards against zero
SELECT g, try_divide(sum(x), count(DISTINCT k)) AS r, sum(x) / nullif(count(x) FILTER (WHERE x > 6), 0) AS s FROM dup GROUP BY g

# two facts without fan-out
SELECT c.name, o.n AS orders, l.n AS lines FROM customers c
LEFT JOIN (SELECT customer, count(*) AS n FROM orders GROUP BY customer) o ON o.customer = c.id
LEFT JOIN (SELECT o.customer, count(*) AS n FROM lines l JOIN orders o ON o.id = l.order_id GROUP BY o.customer) l ON l.customer = c.id

# a calendar of all days, with what happened
SELECT day, coalesce(count(o.id), 0) AS n, sum(o.amount) AS s
FROM (SELECT explode(sequence(DATE '2026-01-01', DATE '2026-01-05', INTERVAL 1 DAY)) AS day)
LEFT JOIN orders o ON o.placed::date = day GROUP BY day

# EXCEPT both ways: what differs
(SELECT 'gone' AS what, a, b FROM t EXCEPT SELECT 'gone', a, b FROM u) UNION ALL (SELECT 'new', a, b FROM u EXCEPT SELECT 'new', a, b FROM t)

# a star over a star over a join USING over a rollup
SELECT * EXCEPT (n) FROM (SELECT * FROM (SELECT k AS a, sum(x) AS s, count(*) AS n FROM dup GROUP BY ROLLUP (k)) JOIN u USING (a)) WHERE n > 1

# QUALIFY by hand over grouped rows
SELECT region, product, s FROM (
  SELECT region, product, sum(amount) AS s, rank() OVER (PARTITION BY region ORDER BY sum(amount) DESC NULLS LAST) AS r FROM sales GROUP BY ALL
) AS ranked WHERE r = 1
