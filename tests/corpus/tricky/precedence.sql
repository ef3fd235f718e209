-- Which operator binds tighter, as Spark reads it.

# IS NULL after a comparison tests the comparison
SELECT a, a = 1 IS NULL AS x, c > 1 IS NOT NULL AS y, NOT a = 1 IS NULL AS z FROM t

# IN after a comparison tests the comparison
SELECT a, a = 1 IN (true) AS x, a > 2 IN (false, NULL) AS y FROM t

# concatenation and addition from left to right
SELECT 1 || 2 + 3 AS x, 1 + 2 || 3 AS y, 10 - 1 || 1 AS z, a || 1 - 1 AS w FROM t

# concatenation and bits
SELECT '1' || 2 & 7 AS x, 1 | 2 || 4 AS y, 6 & 3 || '' AS z FROM u WHERE a = 6

# and before exclusive or before or, in bits
SELECT 1 | 2 ^ 3 & 6 AS x, 7 ^ 1 | 8 AS y, 5 & 6 ^ 2 AS z, a | 1 ^ 1 & 3 AS w FROM t

# shifts between sums and bits
SELECT a << 1 + 1 AS x, a << 1 | 1 AS y, 16 >> 1 & 7 AS z, 1 + a << 2 AS w, a << 1 << 1 AS v FROM t

# signs bind tightest
SELECT -a * 2 AS x, - a + a AS y, ~a & 1 AS z, - - a AS w, -a % 3 AS v, 2 - -a AS u FROM t

# a sign and a cast
SELECT -a::string AS x, -(1)::double AS y, +'5'::int AS z, a % 2::double AS w FROM t

# comparisons are of one level, from left to right
SELECT a = 1 = true < false AS x, a < 2 = true AS y, a = 2 <> false AS z, 1 < 2 = true >= false AS w FROM t

# LIKE a concatenation
SELECT b FROM t WHERE b LIKE 'x' || '%' OR b = 'z' || '' OR b NOT LIKE '%' || '_' AND a = 4

# BETWEEN with sums and AND
SELECT a, a + 1 BETWEEN 1 + 1 AND 2 * 2 AND b = 'x' OR c BETWEEN 0 AND 2 AS x FROM t

# NOT before AND before OR
SELECT NOT a = 1 AND b = 'y' OR c > 1 AS x, NOT (a = 1 AND b = 'y') OR c > 1 AS y, NOT NOT a = 1 AS z, a = 1 OR NOT b = 'x' AND c > 1 AS w FROM t

# exclamation mark before a comparison
SELECT ! a = 1 AS x, !(a = 1) AND b = 'y' AS y, NOT ! a > 2 AS z FROM t

# division, DIV and remainder from left to right
SELECT 7 DIV 2 * 2 AS x, 7 % 4 * 2 AS y, 8 / 2 * 4 AS z, 8 * 3 DIV 5 % 3 AS w, 2 * (7 DIV 2) AS v FROM u WHERE a = 6

# subtraction in parentheses on the right
SELECT 10 - (5 - (3 - 1)) AS x, 10 - 5 - 3 - 1 AS y, 100 / (10 / (5 / 1)) AS z, 5 - (3 + 1) AS w, -(a - (c - 1)) AS v FROM t

# a path before everything
SELECT -s.x + s.y.n AS x, NOT s.x = 1 AS y, s.x::string || s.y.z AS z, - get(xs, 0) AS w FROM nested

# lambda bodies reach as far as they can
SELECT filter(array(1, 2, 3, 4), x -> x > 1 AND x < 4 OR x = 4) AS a, transform(array(1, 2), x -> x + 1 = 2) AS b, exists(array(1), x -> NOT x = 2) AS c FROM u WHERE a = 6

# CASE inside operators
SELECT 1 + CASE WHEN a > 1 THEN a ELSE 0 END * 2 AS x, CASE a WHEN 1 THEN 2 END IS NULL AS y, CASE WHEN a = 1 THEN 'p' ELSE 'q' END || 'r' AS z FROM t

# intervals inside operators
SELECT d + INTERVAL '1' DAY * 2 AS x, d - INTERVAL 1 DAY - INTERVAL 1 MONTH AS y, 2 * INTERVAL '1' DAY + d AS z, d > DATE '2026-01-01' + INTERVAL 10 DAY AS w FROM times

# IN with a subquery on its left
SELECT a FROM t WHERE (SELECT max(a) FROM v) IN (SELECT a FROM v) AND a + 1 NOT IN (SELECT a FROM v WHERE a IS NOT NULL) OR a = 1

# null-safe equality among others
SELECT a <=> 1 = true AS x, NOT a <=> NULL AS y, a = 1 <=> NULL AS z FROM t

# a sum of differences of columns of two tables
SELECT t.a - u.e - (t.a - u.e) AS zero, (t.a + u.e) * (t.a - u.e) AS p, t.a - (u.e - t.a) AS q FROM t JOIN u USING (a)

# OR of ANDs in a join
SELECT t.a, u.e FROM t JOIN u ON t.a = u.a AND t.b = u.b OR t.a = u.a AND u.e > 15 OR NOT t.a = u.a AND t.b = u.b

# OR in WHERE around a subquery and AND
SELECT a, b FROM t WHERE a = 4 OR a IN (SELECT a FROM u WHERE e > 20) AND b = 'y' OR NOT EXISTS (SELECT 1 FROM v WHERE v.a = t.a) AND b IS NOT NULL
