-- Structs, arrays, maps and variants: paths, constructors, positions.

# fields of structs
SELECT id, s.x, s.y.z, nested.s.y.n AS n FROM nested

# fields in other case and in backticks
SELECT S.X AS a, s.`Y`.`Z` AS b, `S`.y.N AS c FROM nested

# a struct's field named as a column
SELECT s.id, q.id AS outer_id FROM (SELECT id, struct(id + 100 AS id) AS s FROM nested) AS q

# a table's name wins over a column of structs
SELECT s.id, s.x FROM (SELECT id, s.x FROM nested) AS s

# a filter on a struct's field
SELECT id FROM nested WHERE s.y.n > 5 OR s.x IS NULL

# elements of arrays
SELECT id, get(xs, 0) AS a, try_element_at(xs, -1) AS b, ps[0].k AS c, element_at(xs, 1) AS d FROM nested WHERE size(xs) > 0

# a field of all structs of an array
SELECT id, ps.k AS ks, ps.v AS vs, get(ps.v, 0) AS v FROM nested

# values of maps
SELECT id, m['a'] AS a, m.b AS b, element_at(m, 'c') AS c, map_contains_key(m, 'a') AS h FROM nested

# keys of maps that are expressions
SELECT id, m[lower('A')] AS a, m[concat('b', '')] + 1 AS b FROM nested

# a path through all kinds
SELECT q.p.ls[1].m['k'].z AS z FROM (SELECT struct(array(NULL, struct(map('k', struct(5 AS z)) AS m)) AS ls) AS p) AS q

# struct with names taken from its columns
SELECT struct(a, b AS x, c + 1, 5) AS s FROM t

# named_struct
SELECT named_struct('a', a, 'B', b).B AS b, named_struct('p', named_struct('q', a)).p.q AS q FROM t

# rows in parentheses
SELECT (a, b) AS p, (a, b, c + 1).col3 AS c, (a, b).b AS b, (a, (b, c)) AS n FROM t

# structs compared
SELECT a, b FROM t WHERE (a, b) = (1, 'x') OR struct(a, b) > struct(3, 'a')

# structs compared with NULL fields
SELECT (a, b) <=> (2, CAST(NULL AS STRING)) AS x, (a, b) = (CAST(NULL AS INT), 'y') AS y, (a, b) IS NULL AS z FROM t

# arrays made and taken apart
SELECT array(a, a + 1)[1] AS x, array(b, NULL) AS y, size(array()) AS z, array_contains(array(1, 2), a) AS c FROM t

# arrays_zip and its names
SELECT id, arrays_zip(xs, sequence(1, size(xs) + 1)) AS z FROM nested WHERE id IN (1, 5)

# arrays_zip and a field of it
SELECT id, arrays_zip(xs, ps).xs AS xs, arrays_zip(ps, xs).`ps`.k AS k FROM nested

# flatten, slice, sequence, array_distinct
SELECT id, flatten(array(xs, xs)) AS f, slice(xs, 1, 2) AS s, array_distinct(xs) AS d, array_union(xs, array(9)) AS u, array_compact(xs) AS c FROM nested

# maps made and taken apart
SELECT map(a, b) AS m, map_keys(map('k', a)) AS k, map_from_arrays(array('p', 'q'), array(a, 0)) AS ma, map_entries(map('e', b)) AS es FROM t WHERE a IS NOT NULL

# maps concatenated and compared through their entries
SELECT id, map_concat(m, map('zz', 0)) AS m, map_entries(m) = array(struct('a', 1), struct('b', 2)) AS same FROM nested

# a struct in a join's condition
SELECT n.id, t.a FROM nested n JOIN t ON n.s.x = t.a AND n.s.y.z < t.b

# a struct as a key of a join
SELECT l.id, r.id AS rid FROM nested l JOIN nested r ON l.s = r.s AND l.id < r.id

# an array as a key of USING
SELECT xs, l.id, r.id AS rid FROM nested l LEFT JOIN nested r USING (xs)

# NULL structs, their fields and IS NULL
SELECT id, s IS NULL AS a, s.y IS NULL AS b, s.y.n IS NULL AS c, coalesce(s.y.z, '-') AS d FROM nested

# star of a struct made in a subquery
SELECT p.* FROM (SELECT struct(a AS x, struct(b AS y) AS q) AS p FROM t) AS r

# star of a struct in a struct constructor
SELECT struct(s.*) AS again, id FROM nested

# count of distinct structs
SELECT count(DISTINCT s) AS n, count(DISTINCT s.y) AS m, count(DISTINCT xs) AS x FROM nested

# a struct that is updated through named_struct
SELECT id, named_struct('x', coalesce(s.x, 0), 'y', s.y) AS s FROM nested

# an aggregate of structs and a field of it
SELECT max(struct(e, b)).b AS top, min(named_struct('k', a, 'v', e)).v AS low FROM u

# a scalar subquery that gives a struct, and a field of it
SELECT a, (SELECT max(struct(e, b)) FROM u WHERE u.a = t.a).b AS b FROM t

# a path into a variant
SELECT id, v:a.b::int AS b, v:a.c::string AS c, v:l[1]::int AS l FROM docs

# a path into a variant with odd keys
SELECT id, v:['odd key']::boolean AS k, v:`odd key`::boolean AS k2, v:a['b']::double AS b FROM docs WHERE id < 4

# variants by function
SELECT id, variant_get(v, '$.a.c', 'string') AS c, try_variant_get(v, '$.a.b', 'int') AS b, is_variant_null(variant_get(v, '$.a')) AS n, schema_of_variant(v) AS s, to_json(v) AS j FROM docs

# a filter and a group on a variant's path
SELECT v:a.b::int AS b, count(*) AS n FROM docs WHERE v:a IS NOT NULL OR id = 5 GROUP BY v:a.b::int

# a path into a variant, the call as text
SELECT id, v:a AS a, to_json(v:l) AS l FROM docs

# variants made of text
SELECT parse_json('{"x": [1, {"y": 2}]}'):x[1].y::int AS y, try_parse_json('{') IS NULL AS n

# a variant exploded
SELECT id, e.pos, e.key, to_json(e.value) AS value FROM docs, LATERAL variant_explode(v) AS e

# a variant exploded outer by path
SELECT id, e.value::int AS l FROM docs, LATERAL variant_explode_outer(v:l) AS e
