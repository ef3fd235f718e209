# an alias around a join with USING cuts off the column that USING hid
SELECT * FROM (r JOIN r AS q1 USING (k)) AS q2

# the star of an alias around a join with USING
SELECT q2.* FROM (r LEFT JOIN u AS q1 USING (k)) AS q2

# a comma binds as a JOIN does, from left to right
SELECT r.k AS o1, t.k AS o2, u.k AS o3 FROM r, t RIGHT JOIN u ON t.k = u.k AND r.k = u.k

# ORDER BY ALL is no column
SELECT k, v FROM t ORDER BY ALL LIMIT 2

# a literal that is a key of CUBE is NULL where its set leaves it out
SELECT t.d, '' AS g FROM t GROUP BY CUBE(t.d, '')

# a decimal literal as a key is no place in the SELECT list
SELECT k, 1.50 AS g FROM u GROUP BY k, 1.50 WITH ROLLUP

# NOT before NOT IN of two columns, where the answer may be NULL
SELECT q1.v FROM w AS q1 WHERE FALSE OR NOT (q1.v, q1.v) NOT IN (SELECT k, k FROM t)

# a literal as the only key of ROLLUP
SELECT 'c' AS g, min(k) AS a FROM r GROUP BY ROLLUP('c')

# the star of a table lists its hidden columns first, in the order of the names that the join shares
SELECT q2.* FROM t NATURAL JOIN w AS q1 NATURAL JOIN w AS q2

# the hidden columns of USING are in the order of USING
SELECT w.* FROM t JOIN w USING (d, v, s)
