-- Aggregate functions: NULLs, DISTINCT, FILTER, constants as arguments, orders within.

# counts of everything
SELECT count(*) AS n, count(1) AS n1, count(NULL) AS nn, count(x) AS nx, count(k, g) AS nkg FROM dup

# sums of each type
SELECT sum(x) AS si, sum(y) AS sd, sum(CAST(x AS DOUBLE)) AS sf, sum(CAST(x AS TINYINT)) AS st FROM dup

# averages of each type
SELECT k, avg(x) AS a, avg(y) AS ay, mean(CAST(x AS DOUBLE)) AS m FROM dup GROUP BY k

# distinct arguments
SELECT count(DISTINCT x) AS n, sum(DISTINCT x) AS s, avg(DISTINCT y) AS a, max(DISTINCT x) AS m FROM dup

# distinct pairs skip rows with a NULL
SELECT count(DISTINCT k, g) AS n, count(DISTINCT g, x, y) AS m FROM dup

# distinct expressions beside plain ones
SELECT k, count(DISTINCT x % 5) AS n, count(*) AS c, sum(x) AS s, count(DISTINCT g) AS dg FROM dup GROUP BY k

# filter
SELECT k, count(*) FILTER (WHERE x > 4) AS big, sum(x) FILTER (WHERE g = 'g') AS sg, count(*) AS n FROM dup GROUP BY k

# filter with DISTINCT
SELECT count(DISTINCT x) FILTER (WHERE k IS NOT NULL) AS n, sum(DISTINCT x) FILTER (WHERE y > 1) AS s FROM dup

# filter that keeps nothing
SELECT count(*) FILTER (WHERE false) AS none, sum(x) FILTER (WHERE x > 1000) AS s, max(x) FILTER (WHERE CAST(NULL AS BOOLEAN)) AS m FROM dup

# count_if and boolean aggregates
SELECT k, count_if(x > 4) AS n, bool_or(x > 6) AS some, bool_and(x > 0) AS every, every(g = 'g') AS e, any(x IS NULL) AS nulls FROM dup GROUP BY k

# minimum and maximum of strings, dates and structs
SELECT min(b) AS lo, max(b) AS hi, min(d) AS first, max(struct(c, a)) AS top FROM t

# max_by and min_by
SELECT region, max_by(product, amount) AS top, min_by(quarter, amount) AS low FROM sales WHERE year = 2025 AND region <> 'north' GROUP BY region

# max_by over a struct as a tie-break
SELECT max_by(b, struct(c, a)) AS b, min_by(struct(a, b), struct(e, b)) AS p FROM (SELECT t.a, t.b, c, e FROM t JOIN u ON t.a = u.a AND t.b = u.b)

# the mode
SELECT mode(x) AS m, mode(g) AS mg FROM dup

# the mode, deterministic among equals
SELECT k, mode(g, true) AS m FROM dup GROUP BY k

# mode WITHIN GROUP
SELECT mode() WITHIN GROUP (ORDER BY x DESC) AS m FROM dup

# any_value of one value
SELECT k, any_value(k + 1) AS k1, any_value(x, true) AS x FROM dup WHERE k = 2 GROUP BY k

# first and last of one value
SELECT a, first(a) AS f, last(a + 0) AS l, first(CASE WHEN a = 2 THEN 'two' END) AS w FROM t GROUP BY a

# first and last without NULLs
SELECT first(v, true) AS f, last(v) IGNORE NULLS AS l, first_value(v) IGNORE NULLS AS fv FROM VALUES (CAST(NULL AS INT)), (NULL), (5) AS q(v)

# collect and sort
SELECT k, sort_array(collect_list(x)) AS xs, sort_array(collect_set(g)) AS gs, size(collect_list(y)) AS n FROM dup GROUP BY k

# array_agg with DISTINCT
SELECT array_sort(array_agg(DISTINCT x)) AS xs FROM dup

# collected structs, sorted
SELECT customer, sort_array(collect_list(struct(id, status, amount)), false) AS os FROM orders GROUP BY customer

# a map from collected entries
SELECT map_from_entries(sort_array(collect_list(struct(name, id)))) AS ids FROM customers

# listagg with an order
SELECT k, listagg(g, ',') WITHIN GROUP (ORDER BY g) AS gs FROM dup GROUP BY k

# string_agg without a separator
SELECT string_agg(name) WITHIN GROUP (ORDER BY name DESC) AS names FROM customers

# listagg with DISTINCT
SELECT listagg(DISTINCT g, '; ') WITHIN GROUP (ORDER BY g DESC) AS gs FROM dup

# listagg ordered by another column
SELECT region, listagg(name, '|') WITHIN GROUP (ORDER BY id DESC) AS names FROM customers GROUP BY region

# percentile
SELECT percentile(x, 0.5) AS m, percentile(x, array(0.25, 0.75)) AS q, median(y) AS md FROM dup

# percentile with weights
SELECT percentile(price, 0.5, quantity) AS p FROM lines

# percentile_cont and percentile_disc
SELECT k, percentile_cont(0.5) WITHIN GROUP (ORDER BY x) AS c, percentile_disc(0.25) WITHIN GROUP (ORDER BY x DESC) AS d FROM dup GROUP BY k

# percentile_cont with FILTER
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FILTER (WHERE k IS NOT NULL) AS c FROM dup

# approx_percentile with constants
SELECT approx_percentile(x, 0.5, 100) AS a, percentile_approx(x, array(0.0, 1.0), 1000) AS b FROM dup

# approx_count_distinct with a constant
SELECT approx_count_distinct(x) AS n, approx_count_distinct(g, 0.01) AS m FROM dup

# standard deviations and variances
SELECT g, stddev(x) AS s, stddev_pop(x) AS sp, variance(x) AS v, var_pop(x) AS vp FROM dup GROUP BY g

# skewness and kurtosis
SELECT skewness(x) AS s, kurtosis(x) AS k FROM dup

# correlation and covariance
SELECT corr(a, e) AS c, covar_pop(a, e) AS cp, covar_samp(a, e) AS cs FROM u

# regressions
SELECT regr_slope(e, a) AS slope, regr_intercept(e, a) AS at, regr_r2(e, a) AS r2, regr_count(e, a) AS n, regr_avgx(e, a) AS ax, regr_avgy(e, a) AS ay, regr_sxx(e, a) AS sxx, regr_sxy(e, a) AS sxy, regr_syy(e, a) AS syy FROM u

# bit aggregates
SELECT bit_and(x) AS a, bit_or(x) AS o, bit_xor(x) AS x FROM dup WHERE x > 0

# histogram_numeric and count_min_sketch's kin with constants
SELECT histogram_numeric(x, 3) AS h FROM dup

# product by logarithms
SELECT k, round(exp(sum(ln(x))), 6) AS p FROM dup WHERE x > 0 GROUP BY k

# try_sum and try_avg
SELECT try_sum(x) AS s, try_avg(y) AS a, try_sum(9223372036854775807L) AS o FROM dup

# aggregate of a CASE
SELECT sum(CASE WHEN status = 'paid' THEN amount ELSE 0 END) AS paid, count(CASE WHEN status = 'open' THEN 1 END) AS open FROM orders

# aggregate of a constant
SELECT a, sum(1) AS n, max('x') AS x, count(DISTINCT 1) AS d, sum(NULL) AS s FROM t GROUP BY a

# aggregate with a function of aggregates as another's neighbour
SELECT greatest(max(a), count(*)) AS g, coalesce(sum(c), 0) AS c, concat(min(b), max(b)) AS bb FROM t

# aggregate over a struct's field and an array's element
SELECT sum(s.x) AS x, max(s.y.n) AS n, sum(get(xs, 0)) AS first, min(m['a']) AS a FROM nested

# aggregate with a lambda around it
SELECT transform(sort_array(collect_list(a)), a -> a * 2) AS twice, aggregate(collect_list(e), 0, (s, x) -> s + x) AS s FROM u

# aggregate with a lambda inside it
SELECT max(aggregate(xs, 0, (acc, x) -> acc + coalesce(x, 0))) AS top, sum(size(filter(xs, x -> x > 2))) AS n FROM nested

# the same aggregate twice under two names
SELECT k, sum(x) AS s, sum(x) AS s2, sum(x) + 1 AS s3 FROM dup GROUP BY k

# the aggregate of an aggregate's name
SELECT sum(s) AS sum FROM (SELECT sum(x) AS s FROM dup GROUP BY k)

# decimals of several scales
SELECT sum(y * 1.5BD) AS s, avg(y / 3) AS a, max(y % 2) AS m, sum(CAST(y AS DECIMAL(38, 10))) AS w FROM dup

# sums of intervals
SELECT sum(dt) AS s, CAST(avg(ym) AS STRING) AS a, max(dt) AS m, CAST(max(ym) AS STRING) AS my FROM times
