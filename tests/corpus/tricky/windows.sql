-- Window functions: frames, named windows, over aggregates; orders are total where it matters.

# row_number over a total order
SELECT id, customer, row_number() OVER (PARTITION BY customer ORDER BY id) AS n FROM orders

# rank and dense_rank with ties
SELECT k, x, rank() OVER (PARTITION BY k ORDER BY x) AS r, dense_rank() OVER (PARTITION BY k ORDER BY x DESC NULLS FIRST) AS d FROM dup

# percent_rank and cume_dist
SELECT x, percent_rank() OVER (ORDER BY x) AS p, cume_dist() OVER (ORDER BY x) AS c FROM dup

# ntile over a total order
SELECT id, ntile(3) OVER (ORDER BY id) AS n, ntile(2) OVER (PARTITION BY status ORDER BY id DESC) AS m FROM orders

# lag and lead with offsets and defaults
SELECT id, lag(id) OVER (ORDER BY id) AS l, lead(amount, 2) OVER (ORDER BY id) AS n, lag(id, 3, -1) OVER (ORDER BY id) AS o FROM orders

# lag that ignores NULLs
SELECT id, amount, lag(amount) IGNORE NULLS OVER (ORDER BY id) AS l, lead(status, 1) IGNORE NULLS OVER (ORDER BY id) AS s FROM orders

# lag that respects NULLs
SELECT id, lag(amount) RESPECT NULLS OVER (ORDER BY id) AS l FROM orders

# first_value, last_value and nth_value over a frame
SELECT id, first_value(amount) OVER w AS f, last_value(amount) OVER w AS l, nth_value(amount, 2) OVER w AS n
FROM orders WINDOW w AS (PARTITION BY status ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)

# last_value that ignores NULLs
SELECT id, last_value(customer) IGNORE NULLS OVER (ORDER BY id) AS l, nth_value(customer, 2) IGNORE NULLS OVER (ORDER BY id) AS n FROM orders

# aggregates over the whole partition
SELECT k, x, sum(x) OVER (PARTITION BY k) AS s, count(*) OVER (PARTITION BY k) AS n, max(y) OVER () AS m FROM dup

# running sum over peers
SELECT k, x, sum(x) OVER (ORDER BY k) AS running FROM dup

# running sum over rows
SELECT id, sum(amount) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) AS s FROM orders

# moving average of rows
SELECT id, avg(amount) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS a, count(amount) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) AS n FROM orders

# a frame that lies ahead
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS later FROM orders

# a range frame over numbers
SELECT a, c, count(*) OVER (ORDER BY a RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS n FROM t

# a descending range frame with NULLs
SELECT a, sum(a) OVER (ORDER BY a DESC NULLS FIRST RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS s FROM t

# a range frame of days
SELECT id, placed, sum(amount) OVER (ORDER BY placed RANGE BETWEEN INTERVAL '20' DAY PRECEDING AND CURRENT ROW) AS s FROM orders

# a range frame of months over dates
SELECT a, d, count(*) OVER (ORDER BY d RANGE BETWEEN INTERVAL '1' MONTH PRECEDING AND INTERVAL '1' MONTH FOLLOWING) AS n FROM t

# a named window used three times
SELECT a, c, sum(c) OVER w AS s, max(c) OVER w AS m, count(*) OVER w AS n FROM t WINDOW w AS (PARTITION BY a)

# two named windows, one in terms of another
SELECT a, e, sum(e) OVER w AS s, count(*) OVER x AS n FROM u WINDOW w AS (PARTITION BY a), x AS (ORDER BY e)

# a named window in parentheses
SELECT a, e, sum(e) OVER (w) AS s FROM u WINDOW w AS (PARTITION BY a)

# a window over an aggregate
SELECT k, sum(x) AS s, sum(sum(x)) OVER () AS total, rank() OVER (ORDER BY count(*) DESC, k) AS r FROM dup GROUP BY k

# a window over an aggregate with its own aggregates in the partition
SELECT region, year, sum(amount) AS s, sum(sum(amount)) OVER (PARTITION BY region ORDER BY year) AS running, max(count(*)) OVER (PARTITION BY year) AS n
FROM sales GROUP BY region, year

# the share of a total
SELECT g, count(*) AS n, round(count(*) / sum(count(*)) OVER (), 4) AS share FROM dup GROUP BY g

# a window over an aggregate and HAVING
SELECT k, count(*) AS n, sum(count(*)) OVER () AS total FROM dup GROUP BY k HAVING count(*) > 2

# a window over ROLLUP
SELECT region, year, sum(amount) AS s, rank() OVER (PARTITION BY grouping_id(region, year) ORDER BY sum(amount) DESC NULLS LAST) AS r FROM sales GROUP BY ROLLUP (region, year)

# a window in an expression
SELECT a, e, e - avg(e) OVER (PARTITION BY a) AS diff, CASE WHEN e = max(e) OVER () THEN 'top' ELSE 'no' END AS mark FROM u

# a window partitioned by an expression and ordered by two
SELECT a, b, row_number() OVER (PARTITION BY a % 2 ORDER BY e DESC NULLS LAST, b NULLS FIRST) AS n FROM u WHERE a IS NOT NULL

# a window of a window in a subquery
SELECT id, r, sum(r) OVER (ORDER BY id) AS rr FROM (SELECT id, row_number() OVER (ORDER BY id DESC) AS r FROM orders)

# the first row of each group
SELECT customer, id, amount FROM (SELECT *, row_number() OVER (PARTITION BY customer ORDER BY amount DESC NULLS LAST, id) AS n FROM orders) WHERE n = 1

# a filter on a rank with ties
SELECT region, product, amount FROM (SELECT *, dense_rank() OVER (PARTITION BY region ORDER BY amount DESC NULLS LAST) AS r FROM sales) WHERE r <= 2

# a window with DISTINCT above it
SELECT DISTINCT k, max(x) OVER (PARTITION BY k) AS m FROM dup

# a window over a join
SELECT t.a, u.e, sum(u.e) OVER (PARTITION BY t.a) AS s, count(t.b) OVER (PARTITION BY u.b) AS n FROM t LEFT JOIN u ON t.a = u.a

# a window over an aggregate with FILTER
SELECT k, count(*) FILTER (WHERE x > 4) AS n, sum(count(*) FILTER (WHERE g = 'g')) OVER () AS s FROM dup GROUP BY k

# collect_list over a total order
SELECT id, collect_list(status) OVER (PARTITION BY customer ORDER BY id) AS path FROM orders

# a window over no rows, counted
SELECT count(*) AS n FROM (SELECT a, sum(a) OVER (PARTITION BY b) AS s FROM nothing)

# the gap to the previous day
SELECT id, placed, datediff(placed, lag(placed) OVER (ORDER BY placed NULLS LAST, id)) AS gap FROM orders

# islands of consecutive numbers
SELECT min(a) AS from_, max(a) AS to_, count(*) AS n FROM (SELECT a, a - row_number() OVER (ORDER BY a) AS island FROM (SELECT DISTINCT a FROM u WHERE a IS NOT NULL)) GROUP BY island

# max_by and percentile over a window
SELECT k, x, max_by(g, y) OVER (PARTITION BY k) AS g, percentile(x, 0.5) OVER (PARTITION BY k) AS p FROM dup WHERE y <> 100

# a window's order by an alias of the subquery and by a struct's field
SELECT id, rank() OVER (ORDER BY s.x DESC NULLS LAST, s.y.z) AS r FROM nested

# ordering a window by an interval's sum and a constant offset
SELECT id, lag(d, 1, DATE '2000-01-01') OVER (ORDER BY id) AS before FROM times
