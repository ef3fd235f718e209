-- GROUP BY in all its forms, HAVING, grouping sets, DISTINCT.

# group by a column
SELECT a, count(*) AS n, count(b) AS nb, sum(c) AS s FROM t GROUP BY a

# group by NULL keys
SELECT k, g, count(*) AS n, sum(x) AS s, sum(y) AS sy FROM dup GROUP BY k, g

# group by an expression
SELECT a % 2 AS odd, count(*) AS n FROM t GROUP BY a % 2

# group by an expression and use it in a larger one
SELECT (a + 1) * 10 AS ten, count(*) AS n FROM t GROUP BY a + 1

# group by an expression in other spelling
SELECT A+1 AS x, max(b) AS m FROM t GROUP BY t.a + 1

# group by an ordinal
SELECT upper(b), count(*) AS n FROM t GROUP BY 1

# group by two ordinals and an expression
SELECT a, c, count(*) FROM t GROUP BY 2, 1, a + c

# group by an alias
SELECT coalesce(b, '-') AS key, count(*) AS n FROM t GROUP BY key

# group by an alias that is also a column: the column wins
SELECT a % 2 AS a, count(*) AS n FROM t GROUP BY a

# group by ALL
SELECT a, upper(b) AS b, count(*) AS n, max(c) AS c FROM t GROUP BY ALL

# group by ALL without keys
SELECT count(*) AS n, sum(c) AS s FROM t GROUP BY ALL

# group by ALL with an aggregate inside an expression
SELECT a, a + sum(e) AS s FROM u GROUP BY ALL

# group by a constant
SELECT 'k' AS k, count(*) AS n FROM t GROUP BY 'k'

# group by an alias of a constant
SELECT 1 AS one, sum(a) AS s FROM t GROUP BY one

# group by a key that is not selected
SELECT count(*) AS n FROM t GROUP BY a, b

# group by without aggregates
SELECT a, b FROM t GROUP BY a, b

# group by with a filter before and after
SELECT a, sum(c) AS s FROM t WHERE b IS NOT NULL GROUP BY a HAVING sum(c) > 1

# having on an alias
SELECT a, count(*) AS n FROM t GROUP BY a HAVING n > 1

# having on an aggregate that is not selected
SELECT a FROM t GROUP BY a HAVING max(c) > 1.5 AND count(DISTINCT b) >= 1

# having on a key
SELECT k, count(*) AS n FROM dup GROUP BY k HAVING k IS NULL OR k > 1

# having without GROUP BY that keeps the row
SELECT sum(a) AS s FROM t HAVING count(*) > 3

# having without GROUP BY that drops the row
SELECT sum(a) AS s FROM t HAVING count(*) > 300

# having without GROUP BY over no rows
SELECT count(*) AS n, max(a) AS m FROM nothing HAVING count(*) = 0

# having without any aggregate in the list
SELECT 'all' AS word FROM t HAVING max(a) = 5

# a global aggregate over no rows
SELECT count(*) AS n, sum(a) AS s, max(b) AS m, count(DISTINCT a) AS d, avg(c) AS c FROM nothing

# a grouped aggregate over no rows, counted
SELECT count(*) AS groups FROM (SELECT a, count(*) AS n FROM nothing GROUP BY a)

# a global aggregate over a filter that keeps nothing
SELECT count(*) AS n, sum(e) + 1 AS s FROM u WHERE a > 100

# arithmetic on aggregates
SELECT a, sum(c) / count(*) AS mean, max(c) - min(c) AS span, count(*) * 100 / 10 AS p FROM t GROUP BY a

# a key inside an aggregate's argument
SELECT a, sum(a + c) AS s, max(a) AS m FROM t GROUP BY a

# a key inside CASE over aggregates
SELECT CASE WHEN k IS NULL THEN -count(*) WHEN k = 1 THEN sum(x) ELSE k END AS v FROM dup GROUP BY k

# group by a struct
SELECT struct(a, b) AS p, count(*) AS n FROM t GROUP BY struct(a, b)

# group by a struct's field
SELECT s.x, count(*) AS n FROM nested GROUP BY s.x

# group by a struct's field in a struct
SELECT s.y.z AS z, s.y.n + 1 AS n, count(*) AS c FROM nested GROUP BY s.y.z, s.y.n

# group by an array
SELECT xs, count(*) AS n FROM nested GROUP BY xs

# group by a double with minus zero and NaN
SELECT c, count(*) AS n FROM (VALUES (0.0D), (-0.0D), (double('NaN')), (double('NaN')), (NULL)) AS q(c) GROUP BY c

# group by a date's parts
SELECT year(d) AS y, month(d) AS m, count(*) AS n FROM t GROUP BY year(d), month(d)

# group by truncated time
SELECT date_trunc('MONTH', placed) AS month, sum(amount) AS s FROM orders GROUP BY date_trunc('MONTH', placed)

# rollup
SELECT k, g, count(*) AS n, sum(x) AS s FROM dup GROUP BY ROLLUP (k, g)

# rollup, the older spelling
SELECT region, product, sum(amount) AS s FROM sales GROUP BY region, product WITH ROLLUP

# cube
SELECT region, year, sum(amount) AS s FROM sales GROUP BY CUBE (region, year)

# cube, the older spelling
SELECT region, quarter, count(*) AS n FROM sales GROUP BY region, quarter WITH CUBE

# grouping sets
SELECT region, product, year, sum(amount) AS s FROM sales GROUP BY GROUPING SETS ((region, product), (year), ())

# grouping sets, the older spelling
SELECT region, product, sum(amount) AS s FROM sales GROUP BY region, product GROUPING SETS ((region, product), region, ())

# duplicate grouping sets
SELECT region, count(*) AS n FROM sales GROUP BY GROUPING SETS ((region), (region), ())

# grouping() tells a NULL key from a total
SELECT region, grouping(region) AS g, count(*) AS n FROM sales GROUP BY ROLLUP (region)

# grouping_id() of all keys
SELECT k, g, grouping_id() AS id, count(*) AS n FROM dup GROUP BY CUBE (k, g)

# grouping_id() by name, and grouping() in an expression
SELECT k, g, grouping_id(k, g) AS id, CASE WHEN grouping(g) = 1 THEN 'all' ELSE coalesce(g, '?') END AS label
FROM dup GROUP BY ROLLUP (k, g)

# having on grouping()
SELECT k, g, sum(x) AS s FROM dup GROUP BY CUBE (k, g) HAVING grouping(k) = 1 OR sum(x) > 5

# having on grouping_id()
SELECT k, count(*) AS n FROM dup GROUP BY ROLLUP (k) HAVING grouping_id() = 1

# rollup over no rows
SELECT a, count(*) AS n, sum(c) AS s FROM nothing GROUP BY ROLLUP (a)

# grouping sets over no rows with the empty set twice
SELECT a, count(*) AS n FROM nothing GROUP BY GROUPING SETS ((), (a), ())

# the empty grouping set alone
SELECT count(*) AS n, max(a) AS m FROM t GROUP BY GROUPING SETS (())

# a key and a rollup
SELECT region, product, year, sum(amount) AS s FROM sales GROUP BY region, ROLLUP (product, year)

# a cube and a rollup
SELECT region, product, year, count(*) AS n FROM sales GROUP BY CUBE (region), ROLLUP (product, year)

# grouping sets that hold a rollup
SELECT region, product, year, sum(amount) AS s FROM sales GROUP BY GROUPING SETS (ROLLUP (region, product), (year))

# rollup of two columns at once
SELECT region, product, year, count(*) AS n FROM sales GROUP BY ROLLUP ((region, product), year)

# rollup of an expression
SELECT year % 2 AS odd, upper(region) AS r, sum(amount) AS s FROM sales GROUP BY ROLLUP (year % 2, upper(region))

# rollup with an aggregate over a key
SELECT k, sum(k) AS sk, count(k) AS ck, max(k) AS mk FROM dup GROUP BY ROLLUP (k)

# rollup with DISTINCT aggregates
SELECT k, count(DISTINCT g) AS dg, sum(DISTINCT x) AS dx, count(*) AS n FROM dup GROUP BY ROLLUP (k)

# rollup by ordinals
SELECT region, product, count(*) FROM sales GROUP BY ROLLUP (1, 2)

# distinct
SELECT DISTINCT a, b FROM t

# distinct over an expression
SELECT DISTINCT a % 2 AS odd, b IS NULL AS missing FROM t

# distinct star
SELECT DISTINCT * FROM dup

# distinct above a group
SELECT DISTINCT count(*) AS n FROM t GROUP BY a

# distinct of a global aggregate
SELECT DISTINCT max(a) AS m FROM t

# distinct of nested values
SELECT DISTINCT s, xs FROM nested

# distinct of nothing but NULLs
SELECT DISTINCT CAST(NULL AS INT) AS n FROM t

# distinct counted
SELECT count(*) AS n FROM (SELECT DISTINCT k, g FROM dup)

# distinct with a lateral alias
SELECT DISTINCT a + 1 AS x, x * 2 AS y FROM t

# group by over a distinct over a join
SELECT q.b, count(*) AS n FROM (SELECT DISTINCT t.b, u.e FROM t JOIN u ON t.a = u.a) AS q GROUP BY q.b

# an aggregate over an aggregate over an aggregate
SELECT max(m) AS top, count(*) AS n FROM (SELECT g, max(s) AS m FROM (SELECT k, g, sum(x) AS s FROM dup GROUP BY k, g) GROUP BY g)

# HAVING with a subquery whose column is called as an alias
SELECT a, max(c) AS e FROM t GROUP BY a HAVING max(c) < (SELECT max(e) FROM u)
