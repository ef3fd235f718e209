-- Expressions: operators, CASE, casts, predicates, dates and intervals, lambdas.

# arithmetic and its precedence
SELECT a + 2 * a - -a AS x, (a + 2) * a AS y, a - (2 - a) AS z, -(a - 1) AS m, +a AS p FROM t

# subtraction and division are not associative
SELECT c - (c - 1) AS x, 8 / (4 / 2) AS y, 8 / 4 / 2 AS z, a - 1 - 1 AS w FROM t

# integer division and remainders
SELECT a DIV 2 AS d, a % 2 AS m, mod(-a, 3) AS n, -7 % 3 AS r, pmod(-7, 3) AS p, 7 DIV -2 AS q FROM t

# division gives doubles and decimals
SELECT a / 2 AS x, y / 3 AS y, x / 2.5 AS z FROM t JOIN dup ON dup.k = t.a

# bit operators
SELECT a & 3 AS x, a | 4 AS y, a ^ 1 AS z, ~a AS n, a & 1 | 2 ^ 3 AS m, a << 2 AS l, a >> 1 AS r FROM t

# a shift without a sign
SELECT a >>> 1 AS u, shiftrightunsigned(-a, 1) AS v FROM t

# concatenation and NULL
SELECT b || '-' || a AS x, concat(b, a) AS y, concat_ws(',', b, a, NULL) AS z FROM t

# concatenation before comparison
SELECT a FROM t WHERE b || 'x' = 'xx' OR b || a > 'y1'

# boolean logic with NULLs
SELECT a > 1 AND b = 'x' AS x, a > 1 OR b = 'x' AS y, NOT a > 1 AS z, NOT (a > 1 AND c > 1) AS w FROM t

# exclamation mark as NOT
SELECT a FROM t WHERE !(a = 1) AND ! b IS NULL

# AND binds tighter than OR
SELECT a, b FROM t WHERE a = 1 OR a = 2 AND b = 'y' OR NOT a < 5 AND b = 'w'

# NOT binds looser than comparison
SELECT NOT a = 1 AS x, NOT a IS NULL AS y, NOT a IN (1, 2) AS z, NOT b LIKE 'x' AS w FROM t

# comparisons chained by equality of booleans
SELECT (a > 1) = (c > 1) AS same, (a = 1) <=> (b = 'x') AS also, a = 1 = true AS more FROM t

# equality that knows NULL
SELECT a <=> NULL AS x, b <=> 'x' AS y, a == 1 AS z, NOT a <=> 2 AS w FROM t

# IS DISTINCT FROM
SELECT a, b FROM t WHERE b IS DISTINCT FROM 'x' AND a IS NOT DISTINCT FROM 2

# IS NULL of an expression and IS TRUE
SELECT (a + c) IS NULL AS x, (a > 1) IS TRUE AS y, (a > 1) IS NOT FALSE AS z, (a > 1) IS UNKNOWN AS w FROM t

# BETWEEN and NOT BETWEEN
SELECT a, c FROM t WHERE a BETWEEN 2 AND 4 AND c NOT BETWEEN -1 AND 1 OR a BETWEEN 5 AND 1

# BETWEEN with AND around it
SELECT a FROM t WHERE a BETWEEN 1 AND 1 + 1 AND b IS NOT NULL

# IN a list with NULL
SELECT a, a IN (1, NULL) AS x, a NOT IN (1, NULL) AS y, a IN (NULL) AS z FROM t

# IN a list of expressions and rows
SELECT a, b FROM t WHERE a IN (1 + 1, length(b), 5) OR (a, b) IN ((3, 'z'), (4, ''))

# IN a list of other types
SELECT a, a IN (1.0, 2.5) AS x, b IN ('1', 'x') AS y FROM t

# LIKE, escapes and underscores
SELECT s, s LIKE 'a%' AS x, s LIKE 'a\\%' AS y, s LIKE 'a!%' ESCAPE '!' AS z, s LIKE '_b' AS w FROM VALUES ('a%'), ('ab'), ('abc'), (NULL) AS q(s)

# ILIKE and RLIKE
SELECT b, b ILIKE 'Z' AS i, b NOT ILIKE 'x%' AS n, b RLIKE '^[xyz]$' AS r, b REGEXP '[A-Z]' AS g, b NOT RLIKE 'w' AS nr FROM t

# LIKE ANY and LIKE ALL
SELECT b, b LIKE ANY ('x%', '%z') AS y, b LIKE ALL ('%', '_') AS a, b NOT LIKE ANY ('x', 'y') AS n, b ILIKE SOME ('Z', 'q') AS s FROM t

# CASE with and without an operand
SELECT CASE a WHEN 1 THEN 'one' WHEN 2 THEN 'two' END AS x, CASE WHEN a > 2 THEN 'big' WHEN b IS NULL THEN 'null' ELSE b END AS y FROM t

# CASE with NULL as an operand
SELECT CASE b WHEN NULL THEN 1 WHEN 'x' THEN 2 ELSE 3 END AS x FROM t

# CASE inside CASE
SELECT CASE WHEN a IS NULL THEN 0 ELSE CASE WHEN a % 2 = 0 THEN CASE b WHEN 'y' THEN 1 END ELSE 2 END END AS x FROM t

# CASE of mixed types
SELECT CASE WHEN a = 1 THEN 1 WHEN a = 2 THEN 2.5 ELSE c END AS x, if(a > 1, a, c) AS y, if(a = 1, NULL, 'z') AS z FROM t

# coalesce, nullif, nvl2, ifnull and decode
SELECT coalesce(a, c, 0) AS x, nullif(b, '') AS y, nvl2(b, 1, 0) AS z, ifnull(c, -1) AS w, decode(a, 1, 'I', 2, 'II', 'more') AS d, nullifzero(a - 1) AS n FROM t

# casts by both spellings
SELECT CAST(a AS STRING) AS x, a::double AS y, '12'::int + 1 AS z, (a + 1)::string || '!' AS w, c::decimal(10, 1)::string AS v FROM t

# a cast of a negative number
SELECT -1::string AS x, - a::int AS y, (-a)::string AS z FROM t

# try_cast and try functions
SELECT try_cast(b AS INT) AS x, try_divide(a, a - 1) AS y, try_add(2147483647, a) AS z, try_to_number(b, '9') AS w FROM t

# casts to nested types
SELECT CAST(array(a, 1) AS ARRAY<STRING>) AS x, CAST(struct(a, b) AS STRUCT<p: BIGINT, q: STRING>) AS y, CAST(map(b, a) AS MAP<STRING, DOUBLE>) AS m FROM t WHERE b IS NOT NULL

# casts of every other type
SELECT CAST('2026-01-01' AS DATE) AS d, CAST('2026-01-01 10:00:00' AS TIMESTAMP) AS t, CAST(1 AS BOOLEAN) AS b, CAST('ab' AS BINARY) AS x, CAST(3 AS TINYINT) AS y, CAST('1.50' AS DECIMAL(5, 2)) AS n, CAST('2026-01-01 10:00:00' AS TIMESTAMP_NTZ) AS z FROM u WHERE a = 6

# date arithmetic
SELECT d + 1 AS x, d - 1 AS y, d + INTERVAL 1 MONTH AS m, d - DATE '2026-01-01' AS diff, date_add(d, a) AS z, add_months(d, 1) AS w FROM t

# date functions with unit words
SELECT dateadd(DAY, a, d) AS x, dateadd(MONTH, -1, d) AS y, datediff(DAY, DATE '2026-01-01', d) AS z, timestampadd(HOUR, a, d) AS w, timestampdiff(WEEK, DATE '2025-01-01', d) AS v, date_diff(MONTH, DATE '2025-01-01', d) AS m FROM t

# extract in all spellings
SELECT extract(YEAR FROM d) AS y, extract(DOW FROM d) AS w, date_part('MONTH', d) AS m, extract(SECONDS FROM ts) AS s, extract(DAY FROM dt) AS dd, datepart('quarter', d) AS q FROM times

# interval literals of every form
SELECT ts + INTERVAL '1' DAY AS x, ts - INTERVAL 2 HOURS 30 MINUTES AS y, d + INTERVAL '1-2' YEAR TO MONTH AS z, ts + INTERVAL '1 02:03:04.5' DAY TO SECOND AS w, ts - INTERVAL -3 DAYS AS n, d + INTERVAL '2' YEARS AS yy FROM times

# intervals compared and computed
SELECT id, dt * 2 AS x, dt / 4 AS y, -dt AS n, dt > INTERVAL '1' DAY AS b, CAST(ym + INTERVAL '1' MONTH AS STRING) AS m, abs(dt) AS a FROM times

# differences of timestamps
SELECT ts - TIMESTAMP '2026-01-01 00:00:00' AS x, ntz - TIMESTAMP_NTZ '2026-01-01 00:00:00' AS y, ts::date - d AS z, datediff(ts, d) AS w FROM times

# intervals made of columns
SELECT id, d + make_interval(0, id) AS x, ts + make_dt_interval(id, 1) AS y, d + id * INTERVAL '1' DAY AS z FROM times

# truncation and formats
SELECT date_trunc('HOUR', ts) AS h, trunc(d, 'MM') AS m, date_format(ts, 'yyyy-MM-dd''T''HH:mm') AS f, to_date('31/01/2026', 'dd/MM/yyyy') AS d, last_day(d) AS l, next_day(d, 'MON') AS n FROM times

# typed literals
SELECT DATE '2026-01-01' AS d, TIMESTAMP '2026-01-01 10:11:12.123456' AS t, TIMESTAMP_NTZ '2026-01-01' AS n, X'4142' AS x, 1L AS l, 1S AS s, 1Y AS y, 1.5BD AS bd, 1.5F AS f, 1e3 AS e, 2D AS dd, .5 AS h FROM u WHERE a = 6

# numbers at the edge
SELECT 9223372036854775807 AS l, -2147483648 AS i, 12345678901234567890 AS big, 0.10 AS d, 1E-5D AS tiny, 00012 AS z, 123.450BD AS s FROM u WHERE a = 6

# lambdas
SELECT id, transform(xs, x -> x + 1) AS a, filter(xs, x -> x > 1) AS b, exists(xs, x -> x = 3) AS c, forall(xs, x -> x > 0) AS d FROM nested

# lambdas of two variables
SELECT id, transform(xs, (x, i) -> x * i) AS a, aggregate(xs, 0, (s, x) -> s + coalesce(x, 0), s -> s * 10) AS b, zip_with(xs, array(1, 2), (x, y) -> coalesce(x, 0) + y) AS z, array_sort(xs, (l, r) -> CASE WHEN l > r THEN -1 WHEN l < r THEN 1 ELSE 0 END) AS s FROM nested WHERE id <> 2

# lambdas over maps
SELECT id, transform_keys(m, (k, v) -> upper(k)) AS a, transform_values(m, (k, v) -> v + id) AS b, map_filter(m, (k, v) -> v > 1) AS c, map_zip_with(m, m, (k, x, y) -> x + y) AS d FROM nested

# a lambda's variable hides a column
SELECT id, transform(xs, id -> id + 1) AS a, transform(array(1, 2), xs -> xs + id) AS b FROM nested

# a lambda's variable hides a variable
SELECT transform(array(array(1, 2), array(3)), x -> transform(x, x -> x * 10)) AS a, transform(array(1), x -> transform(array(5), y -> x + y)) AS b FROM u WHERE a = 6

# a lambda that captures columns of two tables
SELECT n.id, t.a, transform(n.xs, x -> x + t.a + n.id) AS xs FROM nested n JOIN t ON t.a = n.id

# a lambda over an array of structs
SELECT id, transform(ps, p -> p.v) AS vs, filter(ps, p -> p.k = 'a') AS a, transform(ps, p -> struct(p.k AS key, p.v + 1 AS next)) AS q, exists(ps, p -> p IS NULL) AS n FROM nested

# a lambda's variable by an odd name
SELECT transform(array(1, 2), `x y` -> `x y` + 1) AS a, transform(array('a'), `select` -> upper(`select`)) AS b FROM u WHERE a = 6

# functions without arguments' parentheses around
SELECT b, length(trim(BOTH 'x' FROM b)) AS l, trim(LEADING 'y' FROM b) AS t, substring(b FROM 1 FOR 1) AS s, position('z' IN b) AS p, overlay('abcdef' PLACING 'XY' FROM 2 FOR 3) AS o FROM t

# functions that a parser may rewrite
SELECT to_char(a, '999') AS c, instr(b, 'x') AS i, to_number('1,234', '9,999') AS n, split_part('a.b.c', '.', 2) AS s, sha2(b, 256) AS h, date_from_unix_date(a) AS d, log(2, a) AS l, log(a) AS ln, ltrim(b) AS t FROM t

# functions with many names for one thing
SELECT ceil(c) AS x, ceiling(c, 1) AS y, round(c, 1) AS r, bround(2.5) AS b, floor(-c) AS f, sign(c) AS s, char_length(b) AS n, ucase(b) AS u, substr(b, 1, 1) AS ss, len(b) AS l FROM t

# greatest and least skip NULLs
SELECT greatest(a, c, 0) AS g, least(a, c) AS l, greatest(b, 'n') AS s FROM t

# JSON and CSV
SELECT get_json_object(j, '$.b.c') AS c, from_json(j, 'a STRING, l ARRAY<INT>').l AS l, to_json(s) AS s, from_json(j, 'a STRING').a AS a, json_array_length(get_json_object(j, '$.l')) AS n FROM nested

# named arguments
SELECT mask('AbC-1', lowerChar => 'q', digitChar => NULL) AS m, b FROM t

# collations
SELECT b FROM t WHERE b COLLATE UTF8_LCASE = 'Z'

# grouping under a collation
SELECT count(*) AS n, lower(first(b)) AS b FROM (SELECT b COLLATE UTF8_LCASE AS b FROM t WHERE b IS NOT NULL) GROUP BY b

# ordering and comparing under a collation
SELECT b, b COLLATE UTF8_LCASE < 'Y' AS x, collation(b COLLATE UNICODE_CI) AS n, contains(b COLLATE UTF8_LCASE, 'Z') AS c FROM t

# current settings that are constants of a session
SELECT a, typeof(a + c) AS t, typeof(struct(a, b)) AS s, current_schema() IS NOT NULL AS c FROM t

# hash functions
SELECT hash(a, b) AS h, xxhash64(b) AS x, crc32(b) AS c, md5(b) AS m FROM t
