-- Aliases, lateral column aliases, stars, odd and quoted names.

# columns under the same name
SELECT a, a, b AS a FROM t

# expressions without an alias
SELECT a + 1, upper(b), c * 2 - a, count_if(true) OVER () FROM t

# a constant without an alias
SELECT 1, 'x', NULL, a FROM t

# an alias without AS and one in quotes
SELECT a first, b `se cond`, c AS `third``s` FROM t

# several names for one struct's fields
SELECT inline(array(struct(1, 'a'), struct(2, 'b'))) AS (n, s)

# lateral alias
SELECT a + 1 AS more, more * 2 AS twice FROM t

# lateral alias of a lateral alias
SELECT a AS x, x + 1 AS y, y + x AS z FROM t

# an input column wins over a lateral alias
SELECT a + 10 AS e, e AS which FROM u

# an alias that hides its own source column
SELECT a + 1 AS a, a AS again FROM t

# lateral alias of a struct and its field
SELECT struct(a, b) AS p, p.a AS pa FROM t

# lateral alias in an aggregate query
SELECT a, count(*) AS n, n + 1 AS more FROM t GROUP BY a

# lateral alias of an aggregate and of a key
SELECT a AS key, sum(c) AS s, coalesce(s, 0) + coalesce(key, 0) AS both FROM t GROUP BY a

# lateral alias beside a window over the same column
SELECT a, b, e, e + 1 AS up, up * 2 AS more, sum(e) OVER (PARTITION BY a) AS s, s + up AS both FROM u

# a window's result as a lateral alias
SELECT e, rank() OVER (ORDER BY e) AS r, r * 10 AS r10 FROM u

# WHERE does not see the alias but the column
SELECT a AS e, e AS a FROM u WHERE e > 10

# star and more
SELECT *, a + 1 AS more FROM t

# two stars
SELECT *, * FROM u

# qualified star
SELECT t.*, u.e FROM t JOIN u ON t.a = u.a

# qualified star in other case
SELECT T.* FROM t

# star of an alias
SELECT x.* FROM t AS x

# star except one
SELECT * EXCEPT (d) FROM t

# star except two, in other case
SELECT * EXCEPT (B, c) FROM t

# qualified star except a column
SELECT t.* EXCEPT (a), u.a FROM t JOIN u ON t.a = u.a

# star except a struct's field
SELECT * EXCEPT (s.x, xs, ps, m, j) FROM nested

# star over USING except the key
SELECT * EXCEPT (a) FROM t JOIN u USING (a)

# star of a struct
SELECT id, s.* FROM nested

# star of a struct in a struct
SELECT id, s.y.* FROM nested

# star of a struct through the table's name
SELECT nested.s.* FROM nested WHERE id < 3

# star in a function
SELECT struct(*) AS row, coalesce(*) AS some FROM (SELECT e, a FROM u)

# star in count
SELECT count(*) AS n, count(struct(*)) AS rows FROM t

# odd names by backticks
SELECT `a b`, `x``y`, `{z}`, `select`, `A-1`, `x.y`, `größe €`, `"q'` FROM odd

# odd names under an alias
SELECT o.`a b` + 1 AS `c d`, o.`x``y` || '!' AS `{`, `o`.`x.y` AS `}` FROM odd AS o

# star over odd names
SELECT * FROM odd

# grouping by odd names
SELECT `{z}`, count(*) AS `n{}`, sum(`x.y`) AS `s.um` FROM odd GROUP BY `{z}`, `select`

# joins USING an odd name
SELECT `a b`, x.`x``y`, y.`A-1` FROM odd AS x JOIN odd AS y USING (`a b`)

# odd names for tables
SELECT `my t`.a, `{u}`.e, `v.v`.f FROM t AS `my t` JOIN u AS `{u}` ON `my t`.a = `{u}`.a LEFT JOIN v `v.v` ON `v.v`.a = `{u}`.a

# odd names in a subquery and in USING
SELECT `x.y`, n FROM (SELECT `x.y`, count(*) AS n FROM odd GROUP BY `x.y`) AS `sub query` WHERE `sub query`.n > 1 OR `x.y` IS NULL

# keywords as names
SELECT a AS `from`, b AS `where`, c AS date, d AS timestamp FROM t

# quoted names in other case
SELECT `A`, T.`B`, `t`.C FROM t WHERE `D` IS NOT NULL

# the name of the output keeps the case of the text
SELECT A, t.B, upper(B) AS Upper FROM t

# a table alias that is a column's name
SELECT a.a, a.b FROM t AS a WHERE a.a > 1

# a column that is named as its table
SELECT u.u, u.a FROM (SELECT e AS u, a FROM u) AS u

# a struct that is named as another table
SELECT t.x, t.y.z FROM (SELECT s AS t FROM nested) AS q

# a subquery without an alias
SELECT a, n FROM (SELECT a, count(*) AS n FROM t GROUP BY a) WHERE n > 1

# a subquery with column aliases
SELECT x, y FROM (SELECT a, count(*) FROM t GROUP BY a) AS q(x, y)

# a subquery of a subquery, columns without a name
SELECT * FROM (SELECT a + 1, b FROM (SELECT a, b FROM t WHERE c > 0))

# a column by the name Spark gave it
SELECT `(a + 1)`, `count(1)` FROM (SELECT a + 1, count(*) FROM t GROUP BY a + 1)

# names that differ in nothing but an accent
SELECT a AS e, b AS `é` FROM t
