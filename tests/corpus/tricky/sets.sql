-- UNION, INTERSECT, EXCEPT: precedence, ALL, parentheses, coercion.

# union all
SELECT a, b FROM t UNION ALL SELECT a, b FROM u

# union removes duplicates and NULL rows
SELECT a, b FROM t UNION SELECT a, b FROM u

# union distinct by word
SELECT k FROM dup UNION DISTINCT SELECT a FROM t

# union of a table with itself
SELECT k, g FROM dup UNION ALL SELECT k, g FROM dup

# union takes the names of its first branch
SELECT a AS x, b AS y FROM t UNION ALL SELECT e, b FROM u

# union all and then union
SELECT a FROM t UNION ALL SELECT a FROM u UNION SELECT a FROM v

# union and then union all
SELECT a FROM t UNION SELECT a FROM u UNION ALL SELECT a FROM v

# intersect
SELECT a, b FROM t INTERSECT SELECT a, b FROM u

# intersect all
SELECT k, g, x FROM dup INTERSECT ALL SELECT k, g, x FROM dup WHERE x = 5 OR x IS NULL

# except
SELECT a, b FROM t EXCEPT SELECT a, b FROM u

# except all
SELECT k, g FROM dup EXCEPT ALL SELECT k, g FROM dup WHERE x = 5

# minus
SELECT a FROM t MINUS SELECT a FROM v

# minus all
SELECT a FROM t MINUS ALL SELECT a FROM u

# except of an empty set
SELECT a, b FROM t EXCEPT SELECT a, b FROM nothing

# except of everything, and one row more
SELECT a FROM t EXCEPT SELECT a FROM t UNION ALL SELECT 99

# intersect binds tighter than union
SELECT a FROM t UNION SELECT a FROM u INTERSECT SELECT a FROM v

# intersect binds tighter than union all
SELECT a FROM t UNION ALL SELECT a FROM u INTERSECT SELECT a FROM v UNION ALL SELECT e FROM u

# intersect binds tighter than except
SELECT a FROM u EXCEPT SELECT a FROM t INTERSECT SELECT a FROM v

# intersect before union
SELECT a FROM t INTERSECT SELECT a FROM u UNION SELECT a FROM v

# except and union go from left to right
SELECT a FROM t EXCEPT SELECT a FROM u UNION ALL SELECT a FROM v EXCEPT SELECT 7

# parentheses against precedence
(SELECT a FROM t UNION SELECT a FROM u) INTERSECT SELECT a FROM v

# parentheses on the right
SELECT a FROM t EXCEPT (SELECT a FROM u EXCEPT SELECT a FROM v)

# parentheses around a union on the right
SELECT a FROM t UNION ALL (SELECT a FROM u UNION SELECT a FROM u)

# parentheses twice
((SELECT a FROM t)) UNION ALL ((SELECT a FROM u WHERE e > 20))

# coercion of int and double
SELECT a AS n FROM t UNION ALL SELECT c FROM v

# coercion of int and decimal
SELECT x FROM dup UNION SELECT y FROM dup

# coercion of NULL and a type
SELECT a, b FROM t UNION ALL SELECT NULL, f FROM v

# coercion of date and timestamp
SELECT d FROM t WHERE a < 3 UNION ALL SELECT placed FROM orders WHERE id < 102

# coercion of int and string
SELECT a FROM t WHERE a < 3 UNION ALL SELECT '7'

# coercion in an intersection
SELECT a FROM t INTERSECT SELECT c FROM t

# coercion through three branches
SELECT 1 AS n UNION ALL SELECT 2.5BD UNION ALL SELECT 3e0

# coercion of structs and arrays
SELECT array(1, 2) AS xs, struct(1 AS p) AS s UNION ALL SELECT array(1.5D), struct(2.5D AS p)

# order and limit in a parenthesised branch
(SELECT a, b FROM t ORDER BY a DESC NULLS LAST, b LIMIT 2) UNION ALL SELECT a, b FROM u WHERE a = 6

# order and limit in both branches
(SELECT id FROM orders ORDER BY id LIMIT 2) UNION ALL (SELECT id FROM orders ORDER BY id DESC LIMIT 2)

# order and limit over a union
SELECT a, b FROM t UNION SELECT a, b FROM u ORDER BY a DESC NULLS LAST, b NULLS FIRST LIMIT 4

# a union in a subquery, grouped
SELECT a, count(*) AS n, max(src) AS src FROM (SELECT a, 't' AS src FROM t UNION ALL SELECT a, 'u' FROM u) GROUP BY a

# a union in a subquery, filtered and joined
SELECT q.a, v.f FROM (SELECT a FROM t UNION SELECT a FROM u) AS q JOIN v ON v.a = q.a WHERE q.a > 1

# a union of aggregates
SELECT 'n' AS what, count(*) AS v FROM t UNION ALL SELECT 'a', sum(a) FROM t UNION ALL SELECT 'c', max(c) FROM nothing

# a set operation of distinct and windows
SELECT DISTINCT a FROM t UNION ALL SELECT CAST(rank() OVER (ORDER BY e) AS INT) FROM u

# a set operation with a WITH of its own in a branch
SELECT a FROM t UNION ALL (WITH q AS (SELECT max(e) AS m FROM u) SELECT m FROM q)

# a set operation of stars over joins
SELECT * FROM t JOIN u USING (a, b) UNION ALL SELECT * FROM t LEFT JOIN u USING (a, b)

# except under a correlated EXISTS
SELECT a FROM t WHERE EXISTS (SELECT a FROM u EXCEPT SELECT a FROM v) AND a > 2

# intersect of nested values
SELECT xs, s FROM nested INTERSECT SELECT xs, s FROM nested WHERE id > 1

# except with NULLs on both sides
SELECT b FROM t EXCEPT ALL SELECT b FROM u

# four set operations
SELECT a FROM t UNION ALL SELECT a FROM u EXCEPT SELECT a FROM v INTERSECT SELECT a FROM u UNION ALL SELECT k FROM dup

# values and tables
VALUES (1, 'x'), (2, 'y') UNION SELECT a, b FROM t

# table by word
TABLE u
