-- What docs/sql.md shows of Spark's SELECT: `## group`, `# construct`, and its example.

## tables
# a table, its columns renamed
SELECT shop, town FROM stores AS s(shop, town) WHERE shop > 7
# a whole table
TABLE stores
# a query in FROM
SELECT x.city FROM (SELECT city, store_id FROM stores) AS x WHERE x.store_id > 7
# VALUES in FROM
SELECT v.code, v.word FROM VALUES (1, 'low'), (2, 'high') AS v(code, word)
# VALUES as a query
VALUES (1, 'low'), (2, 'high')
# SELECT without FROM
SELECT 1 AS one, 'x' AS letter
# a table function
SELECT r.n, s.city FROM range(1, 4) AS r(n) JOIN stores s ON s.store_id = r.n
# TABLESAMPLE
SELECT sale_id FROM sales TABLESAMPLE (10 PERCENT)

## joins
# JOIN ... ON
SELECT s.sale_id, t.city FROM sales s JOIN stores t ON s.store_id = t.store_id
# USING
SELECT sale_id, city FROM sales JOIN stores USING (store_id)
# NATURAL JOIN
SELECT sale_id, city FROM sales NATURAL JOIN stores
# a condition that is no equality; a table with itself
SELECT a.sale_id FROM sales a JOIN sales b ON a.amount < b.amount AND a.day = b.day
# CROSS JOIN
SELECT city, day FROM stores CROSS JOIN sales
# a comma, the condition in WHERE
SELECT sale_id, city FROM sales, stores WHERE sales.store_id = stores.store_id
# LEFT JOIN
SELECT city, sale_id FROM stores LEFT JOIN sales USING (store_id)
# RIGHT JOIN
SELECT city, sale_id FROM sales RIGHT JOIN stores USING (store_id)
# FULL JOIN
SELECT s.sale_id, o.sale_id AS old_id FROM sales s FULL OUTER JOIN old_sales o ON s.sale_id = o.sale_id
# LEFT SEMI JOIN
SELECT city FROM stores LEFT SEMI JOIN sales USING (store_id)
# LEFT ANTI JOIN
SELECT city FROM stores LEFT ANTI JOIN sales USING (store_id)
# joins in parentheses
SELECT s.sale_id, b.q1 FROM sales s JOIN (stores t JOIN budgets b ON b.store_id = t.store_id) ON s.store_id = t.store_id
# LATERAL, a query of one row
SELECT s.sale_id, q.twice FROM sales s, LATERAL (SELECT s.amount * 2 AS twice) AS q
# LATERAL, rows of another table
SELECT t.city, q.sale_id FROM stores t JOIN LATERAL (SELECT sale_id FROM sales s WHERE s.store_id = t.store_id) AS q
# LATERAL with LIMIT: the first of each
SELECT t.city, q.sale_id FROM stores t LEFT JOIN LATERAL (SELECT sale_id FROM sales s WHERE s.store_id = t.store_id ORDER BY amount DESC, sale_id LIMIT 3) AS q ON true
# LATERAL of a function
SELECT o.order_id, l.item FROM orders o, LATERAL inline(o.lines) AS l(item, price)
# a subquery in ON
SELECT s.sale_id, t.city FROM sales s JOIN stores t ON s.store_id = t.store_id AND s.sale_id IN (SELECT sale_id FROM old_sales)
# a subquery in ON that reads both sides
SELECT s.sale_id, t.city FROM sales s LEFT JOIN stores t ON EXISTS (SELECT 1 FROM budgets b WHERE b.store_id = t.store_id AND b.q1 > s.amount)
# a hint
SELECT /*+ BROADCAST(stores) */ sale_id, city FROM sales JOIN stores USING (store_id)

## columns
# an alias
SELECT sale_id, amount * 2 AS twice FROM sales WHERE amount > 100
# an alias used further right
SELECT amount * 2 AS twice, twice + 1 AS more FROM sales
# a star
SELECT * FROM sales
# the star of a table
SELECT s.*, t.city FROM sales s JOIN stores t ON s.store_id = t.store_id
# EXCEPT of a star
SELECT * EXCEPT (day) FROM sales
# EXCEPT of a struct's field
SELECT * EXCEPT (customer.town) FROM orders
# the star of a struct
SELECT order_id, customer.* FROM orders
# a star among arguments
SELECT sale_id, struct(old_sales.*) AS both FROM old_sales
# a function that makes rows
SELECT order_id, explode(lines) AS line FROM orders
# the same with several names
SELECT order_id, posexplode(lines) AS (place, line) FROM orders
# DISTINCT
SELECT DISTINCT city FROM stores

## expressions
# operators and functions
SELECT sale_id, upper(city) || ', ' || year(day) AS said FROM sales JOIN stores USING (store_id)
# a cast
SELECT CAST(amount AS DECIMAL(10, 2)) AS amount, sale_id::string AS id, try_cast(city AS INT) AS number FROM sales JOIN stores USING (store_id)
# CASE
SELECT sale_id, CASE WHEN amount > 100 THEN 'big' WHEN amount > 10 THEN 'middle' ELSE 'small' END AS size FROM sales
# LIKE, BETWEEN, IN a list
SELECT sale_id FROM sales JOIN stores USING (store_id) WHERE city LIKE 'B%' AND amount BETWEEN 1 AND 9 AND store_id IN (1, 2)
# IS NULL, <=>, IS DISTINCT FROM
SELECT sale_id FROM sales WHERE day IS NOT NULL AND amount <=> 5 OR amount IS DISTINCT FROM store_id
# dates and intervals
SELECT sale_id, day + INTERVAL 1 MONTH AS due, date_trunc('MONTH', day) AS month FROM sales WHERE day >= DATE '2026-01-01'
# a lambda
SELECT order_id, transform(lines, line -> line.price * 2) AS twice FROM orders
# a field of a struct
SELECT order_id, customer.name, orders.customer.town AS town FROM orders
# an element of an array, a field of all
SELECT order_id, lines[0].item AS first, lines.price AS prices FROM orders
# a value of a map
SELECT order_id, marks['colour'] AS colour, marks.size AS size FROM orders
# a path into a variant
SELECT order_id, doc:ship.city::string AS city FROM orders
# a variant as it is
SELECT order_id, doc FROM orders
# a struct, an array, a map
SELECT struct(sale_id, amount AS paid) AS pair, array(store_id, amount) AS both, map('day', day) AS days FROM sales
# fields that a function names after its arguments
SELECT order_id, arrays_zip(lines, marked) AS zipped FROM (SELECT order_id, lines, map_keys(marks) AS marked FROM orders)
# a collation
SELECT store_id FROM stores WHERE city COLLATE UTF8_LCASE = 'oslo'
# the day or time of the query
SELECT sale_id FROM sales WHERE day = current_date()
# another value at every call
SELECT sale_id, uuid() AS id FROM sales

## conditions
# WHERE
SELECT sale_id FROM sales WHERE amount > 100 AND NOT (store_id = 7 OR day IS NULL)
# IN
SELECT city FROM stores WHERE store_id IN (SELECT store_id FROM sales)
# IN of several columns
SELECT sale_id FROM sales WHERE (sale_id, amount) IN (SELECT sale_id, amount FROM old_sales)
# NOT IN
SELECT city FROM stores WHERE store_id NOT IN (SELECT store_id FROM sales)
# EXISTS
SELECT city FROM stores s WHERE EXISTS (SELECT 1 FROM sales WHERE store_id = s.store_id)
# NOT EXISTS
SELECT city FROM stores s WHERE NOT EXISTS (SELECT 1 FROM sales WHERE store_id = s.store_id)
# EXISTS with another condition than equality
SELECT a.sale_id FROM sales a WHERE EXISTS (SELECT 1 FROM sales b WHERE b.store_id = a.store_id AND b.amount > a.amount)
# a subquery under OR
SELECT sale_id FROM sales s WHERE amount > 100 OR EXISTS (SELECT 1 FROM old_sales o WHERE o.sale_id = s.sale_id)
# NOT IN under OR
SELECT sale_id FROM sales WHERE amount > 100 OR store_id NOT IN (SELECT store_id FROM stores)
# one value for all rows
SELECT sale_id FROM sales WHERE amount > (SELECT avg(amount) FROM old_sales)
# one value for each row
SELECT sale_id FROM sales s WHERE amount > (SELECT avg(a.amount) FROM sales a WHERE a.store_id = s.store_id)
# a query in a query in a query
SELECT city FROM stores t WHERE EXISTS (SELECT 1 FROM sales s WHERE s.store_id = t.store_id AND s.sale_id IN (SELECT o.sale_id FROM old_sales o WHERE o.amount = s.amount))
# a subquery in the select list
SELECT city, (SELECT count(*) FROM sales s WHERE s.store_id = t.store_id) AS n FROM stores t
# the one row of a query that does not aggregate
SELECT city, (SELECT q1 FROM budgets b WHERE b.store_id = t.store_id) AS first_quarter FROM stores t
# EXISTS and IN in the select list
SELECT store_id, store_id IN (SELECT store_id FROM sales) AS sells, EXISTS (SELECT 1 FROM budgets b WHERE b.store_id = t.store_id) AS plans FROM stores t
# a subquery in HAVING
SELECT day, sum(amount) AS total FROM sales GROUP BY day HAVING sum(amount) > (SELECT avg(amount) FROM old_sales)
# a function whose value of no rows is not known
SELECT city, (SELECT histogram_numeric(amount, 5) FROM sales s WHERE s.store_id = t.store_id) AS shape FROM stores t

## groups
# GROUP BY
SELECT city, count(*) AS n, sum(amount) AS total FROM sales JOIN stores USING (store_id) GROUP BY city
# an expression
SELECT year(day) AS year, sum(amount) AS total FROM sales GROUP BY year(day)
# a position, an alias
SELECT year(day) AS year, store_id AS shop, count(*) AS n FROM sales GROUP BY 1, shop
# ALL
SELECT store_id, day, max(amount) AS most FROM sales GROUP BY ALL
# without aggregates
SELECT store_id, day FROM sales GROUP BY store_id, day
# without GROUP BY
SELECT count(*) AS n FROM sales
# HAVING
SELECT day, count(*) AS n FROM sales GROUP BY day HAVING count(*) > 100
# HAVING by an alias
SELECT day, sum(amount) AS total FROM sales GROUP BY day HAVING total > 1000 AND max(amount) < 500
# ROLLUP
SELECT day, store_id, sum(amount) AS total FROM sales GROUP BY ROLLUP (day, store_id)
# CUBE
SELECT day, store_id, sum(amount) AS total FROM sales GROUP BY CUBE (day, store_id)
# GROUPING SETS
SELECT day, store_id, sum(amount) AS total FROM sales GROUP BY GROUPING SETS ((day, store_id), (day), ())
# grouping() and grouping_id()
SELECT day, store_id, grouping(day) AS g, grouping_id(day, store_id) AS id, count(*) AS n FROM sales GROUP BY day, store_id WITH ROLLUP
# a group of groups
SELECT max(n) AS most FROM (SELECT count(*) AS n FROM sales GROUP BY day)
# a group that is joined
SELECT city, d.total FROM stores JOIN (SELECT store_id, sum(amount) AS total FROM sales GROUP BY store_id) AS d USING (store_id)

## aggregates
# count, sum, avg, min, max
SELECT day, count(amount) AS n, sum(amount) AS total, avg(amount) AS mean, min(amount) AS least, max(amount) AS most FROM sales GROUP BY day
# inside an expression
SELECT day, round(sum(amount) / count(*), 2) AS mean, CASE WHEN max(amount) > 100 THEN 'big' ELSE 'small' END AS size FROM sales GROUP BY day
# FILTER
SELECT day, count(*) FILTER (WHERE amount > 100) AS big FROM sales GROUP BY day
# DISTINCT
SELECT day, count(DISTINCT store_id) AS stores FROM sales GROUP BY day
# DISTINCT with FILTER
SELECT day, sum(DISTINCT amount) FILTER (WHERE store_id > 7) AS total FROM sales GROUP BY day
# any other function
SELECT day, stddev(amount) AS spread, max_by(sale_id, amount) AS biggest, collect_list(amount) AS amounts FROM sales GROUP BY day
# WITHIN GROUP
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) AS middle, listagg(city, ', ') WITHIN GROUP (ORDER BY city) AS cities FROM sales JOIN stores USING (store_id)

## windows
# rank and place
SELECT sale_id, row_number() OVER (PARTITION BY store_id ORDER BY amount DESC, sale_id) AS place FROM sales
# an aggregate over a partition
SELECT sale_id, amount / sum(amount) OVER (PARTITION BY store_id) AS share FROM sales
# lag and lead
SELECT sale_id, amount - lag(amount, 1, 0) OVER (PARTITION BY store_id ORDER BY day, sale_id) AS more FROM sales
# a frame of rows
SELECT sale_id, avg(amount) OVER (ORDER BY day, sale_id ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS lately FROM sales
# a frame of rows that cannot tie, because a key orders them
SELECT store_id, day, sum(total) OVER (PARTITION BY store_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS so_far FROM (SELECT store_id, day, sum(amount) AS total FROM sales GROUP BY store_id, day)
# lag, where a key orders the rows
SELECT store_id, day, total - lag(total) OVER (PARTITION BY store_id ORDER BY day) AS more FROM (SELECT store_id, day, sum(amount) AS total FROM sales GROUP BY store_id, day)
# a frame of values
SELECT sale_id, sum(amount) OVER (ORDER BY day RANGE BETWEEN INTERVAL 7 DAYS PRECEDING AND CURRENT ROW) AS week FROM sales
# a named window
SELECT sale_id, min(amount) OVER w AS least, max(amount) OVER w AS most FROM sales WINDOW w AS (PARTITION BY store_id)
# IGNORE NULLS
SELECT sale_id, last_value(amount) IGNORE NULLS OVER (PARTITION BY store_id ORDER BY day, sale_id) AS known FROM sales
# over groups
SELECT store_id, sum(amount) AS total, rank() OVER (ORDER BY sum(amount) DESC) AS place FROM sales GROUP BY store_id
# the best of each
SELECT store_id, sale_id FROM (SELECT *, row_number() OVER (PARTITION BY store_id ORDER BY amount DESC, sale_id) AS place FROM sales) WHERE place <= 3
# QUALIFY, where Spark has it
SELECT sale_id FROM sales QUALIFY row_number() OVER (PARTITION BY store_id ORDER BY amount DESC, sale_id) = 1

## sets
# UNION ALL
SELECT sale_id FROM sales UNION ALL SELECT sale_id FROM old_sales
# UNION
SELECT sale_id FROM sales UNION SELECT sale_id FROM old_sales
# UNION BY NAME, where Spark has it
SELECT sale_id, amount FROM sales UNION ALL BY NAME SELECT amount, sale_id FROM old_sales
# EXCEPT
SELECT sale_id FROM sales EXCEPT SELECT sale_id FROM old_sales
# EXCEPT ALL, MINUS ALL
SELECT sale_id FROM sales EXCEPT ALL SELECT sale_id FROM old_sales
# INTERSECT
SELECT sale_id FROM sales INTERSECT SELECT sale_id FROM old_sales
# INTERSECT ALL
SELECT sale_id FROM sales INTERSECT ALL SELECT sale_id FROM old_sales
# several, in parentheses
(SELECT sale_id FROM sales UNION ALL SELECT sale_id FROM old_sales) EXCEPT SELECT order_id FROM orders

## with
# WITH
WITH big AS (SELECT * FROM sales WHERE amount > 100) SELECT sale_id FROM big
# columns renamed, one query on another
WITH big(id, paid) AS (SELECT sale_id, amount FROM sales WHERE amount > 100), bigger AS (SELECT id FROM big WHERE paid > 1000) SELECT id FROM bigger
# a query that is read twice
WITH big AS (SELECT * FROM sales WHERE amount > 100) SELECT a.sale_id, b.sale_id AS other FROM big a JOIN big b ON a.day = b.day AND a.sale_id < b.sale_id
# a group that is read twice
WITH days AS (SELECT day, sum(amount) AS total FROM sales GROUP BY day) SELECT day FROM days WHERE total = (SELECT max(total) FROM days)
# WITH RECURSIVE
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i, city FROM n JOIN stores ON store_id = i

## rows
# LATERAL VIEW
SELECT order_id, line.item AS item FROM orders LATERAL VIEW explode(lines) l AS line
# LATERAL VIEW OUTER
SELECT order_id, mark, value FROM orders LATERAL VIEW OUTER explode(marks) m AS mark, value
# columns that Spark names
SELECT order_id, item, price FROM orders LATERAL VIEW inline(lines) l
# PIVOT
SELECT * FROM (SELECT store_id, year(day) AS year, amount FROM sales) PIVOT (sum(amount) FOR year IN (2025 AS last_year, 2026 AS this_year))
# PIVOT of several aggregates
SELECT * FROM (SELECT store_id, year(day) AS year, amount FROM sales) PIVOT (sum(amount) AS total, count(*) AS n FOR year IN (2025, 2026))
# UNPIVOT
SELECT store_id, quarter, planned FROM budgets UNPIVOT (planned FOR quarter IN (q1, q2, q3, q4))
# UNPIVOT INCLUDE NULLS, several values
SELECT store_id, half, early, late FROM budgets UNPIVOT INCLUDE NULLS ((early, late) FOR half IN ((q1, q2) AS first, (q3, q4) AS second))

## order
# ORDER BY
SELECT sale_id, amount FROM sales ORDER BY amount DESC NULLS LAST, sale_id
# SORT BY, DISTRIBUTE BY, CLUSTER BY
SELECT sale_id, day FROM sales DISTRIBUTE BY day SORT BY sale_id
# LIMIT
SELECT day, sum(amount) AS total FROM sales GROUP BY day ORDER BY total DESC, day LIMIT 10
# OFFSET
SELECT sale_id FROM sales ORDER BY sale_id LIMIT 10 OFFSET 20
# LIMIT ALL
SELECT sale_id FROM sales LIMIT ALL
# LIMIT of a query in FROM
SELECT sum(amount) AS best FROM (SELECT amount FROM sales ORDER BY amount DESC LIMIT 10)

## pipes
# FROM first
FROM sales SELECT sale_id, amount WHERE amount > 100
# WHERE, SELECT
FROM sales |> WHERE amount > 100 |> SELECT sale_id, amount
# EXTEND, DROP
FROM sales |> EXTEND amount * 2 AS twice |> DROP day, store_id
# AS, JOIN
FROM sales |> AS s |> JOIN stores t ON s.store_id = t.store_id |> SELECT s.sale_id, t.city
# AGGREGATE
FROM sales |> AGGREGATE count(*) AS n, sum(amount) AS total GROUP BY day
# ORDER BY, LIMIT
FROM sales |> ORDER BY amount DESC, sale_id |> LIMIT 10 |> SELECT sale_id
# UNION and its like
FROM sales |> SELECT sale_id |> UNION ALL (SELECT sale_id FROM old_sales) |> WHERE sale_id > 7
# PIVOT, UNPIVOT
FROM budgets |> UNPIVOT (planned FOR quarter IN (q1, q2, q3, q4)) |> WHERE planned > 0
# SET
FROM sales |> SET amount = amount + 1

## outside
# a past version
SELECT sale_id FROM sales VERSION AS OF 3
# a past time
SELECT sale_id FROM sales TIMESTAMP AS OF '2026-01-01'
# a parameter
SELECT sale_id FROM sales WHERE amount > :least
# a variable of the session
SELECT sale_id FROM sales WHERE amount > ${least}
# windows of time among the keys
SELECT window(day, '7 days') AS week, count(*) AS n FROM sales GROUP BY window(day, '7 days')
# an operator that only Spark parses
SELECT sale_id, amount >>> 2 AS part FROM sales
# a script that rows are sent through
SELECT TRANSFORM(sale_id, amount) USING 'cat' AS (id, paid) FROM sales
