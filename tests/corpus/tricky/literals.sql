-- String literals, comments, hints, spelling.

# quotes in strings
SELECT 'it''s' AS a, "double" AS b, "it's" AS c, 'say "x"' AS d, "a""b" AS e, '' AS f FROM u WHERE a = 6

# backslashes in strings
SELECT 'a\\b' AS a, 'a\'b' AS b, 'tab\there' AS c, 'line\nbreak' AS d, '\x' AS e, '\\\\' AS f, '\%' AS g, '\_' AS h, '\0' AS i FROM u WHERE a = 6

# raw strings
SELECT r'a\b' AS a, R'\d+' AS b, r"it's \n" AS c, regexp_replace('a1b22', r'\d+', '#') AS d FROM u WHERE a = 6

# braces in strings
SELECT '{}' AS a, '{t}' AS b, '{{x}}' AS c, '}{' AS d, a AS n FROM t WHERE b <> '{u}'

# unicode in strings
SELECT 'ä€😀' AS a, '\u00e4' AS b, '\U0001F600' AS c, length('😀') AS d, '日本' || b AS e FROM t

# newlines in strings
SELECT 'one
two' AS a, length('
') AS b, b FROM t WHERE a = 1

# dollars, question marks and colons in strings
SELECT '$1' AS a, '?' AS b, ':x' AS c, '@v' AS d, '%s %%' AS e, '-- no' AS f, '/* no */' AS g, '`q`' AS h FROM u WHERE a = 6

# adjacent strings
SELECT 'a' 'b' AS ab, 'x' "y" AS xy FROM u WHERE a = 6

# strings as patterns
SELECT b RLIKE '^\\w$' AS w, regexp_extract('a-10', '([a-z])-(\\d+)', 2) AS n, split('a.b|c', '[.|]') AS s, translate(b, 'xy', '{}') AS t FROM t

# a line comment
SELECT a, -- the key
  b -- , c
FROM t -- WHERE false
WHERE a > 1

# a block comment
SELECT /* first */ a /* { */, b FROM /* from */ t /* ' */ WHERE a = /* five */ 5

# a comment in a comment
SELECT a /* outer /* inner */ still */ FROM t

# a comment at both ends
-- begins
SELECT a FROM u
-- ends

# a broadcast hint
SELECT /*+ BROADCAST(u) */ t.a, u.e FROM t JOIN u ON t.a = u.a

# several hints
SELECT /*+ MERGE(t), REPARTITION(2) */ t.a, v.f FROM t LEFT JOIN v ON t.a = v.a

# a hint in a subquery
SELECT a, n FROM (SELECT /*+ COALESCE(1) */ a, count(*) AS n FROM t GROUP BY a) WHERE n > 1

# words in all cases
sElEcT A, Count(*) As N fRoM T wHeRe B iS nOt NuLl gRoUp bY a HaViNg CoUnT(*) > 0

# a semicolon at the end
SELECT a FROM t WHERE a = 3;

# parentheses around everything
((SELECT (a), ((b)) FROM (t) WHERE ((a) > (1))))

# a trailing comment without a newline
SELECT a FROM t /* end */

# wide spaces and tabs
SELECT	a ,
   b
	FROM   t
 WHERE a
  = 2

# names that begin with digits or underscores
SELECT a AS _x, b AS x1, c AS `1x`, _x + 1 AS __y FROM t

# numbers beside dots
SELECT t.a, 1.5 AS x, 1. AS y, .5 + a AS z, 1.e2 AS w FROM t

# boolean and NULL literals in any case
SELECT TRUE AS a, False AS b, null AS c, NULL IS NULL AS d, true AND NULL AS e, NOT NULL AS f FROM u WHERE a = 6

# a text that looks like a placeholder
SELECT `{source0}`, '{source1}' AS x FROM (SELECT a AS `{source0}` FROM t) WHERE `{source0}` = 1

# a parameter's sign in a name
SELECT a AS `:p`, b AS `?`, c AS `${x}` FROM t

# division that looks like a comment
SELECT a / 2 * 3 AS x, a /* no */* 2 AS y, 5 - -3 AS z FROM t

# strings compared with trailing spaces
SELECT 'x ' = 'x' AS a, 'x' < 'X' AS b, '' IS NULL AS c, concat('a', ' ') AS d FROM u WHERE a = 6

# binary literals
SELECT X'00FF' AS a, x'41' AS b, hex(X'CAFE') AS c, X'41' = CAST('A' AS BINARY) AS d FROM u WHERE a = 6

# a doubled quote in WHERE
SELECT q.s FROM (VALUES ('it''s'), ('its'), ("a""b"), ('ab')) AS q(s) WHERE s = 'it''s' OR s IN ("a""b")

# a doubled quote beside a table
SELECT a, 'it''s' AS s, concat(b, '''') AS q, '' AS e, '''' AS one FROM t WHERE b <> 'it''s'

# octal and other escapes
SELECT '\101' AS a, '\b\r\Z' AS b, 'a\
b' AS c, '\a' AS d, length('\\n') AS n, e FROM u WHERE a = 6

# braces without a table
SELECT '{}' AS a, '{x}' AS b, '{{}}' AS `c{}`

# braces in a regular expression
SELECT b RLIKE '^.{1}$' AS one, regexp_replace('aaa', 'a{2}', '{b}') AS r FROM t

# casts to types with a length
SELECT CAST(b AS VARCHAR(3)) AS v, CAST('abc' AS CHAR(5)) AS c, CAST(a AS LONG) AS l, CAST(c AS DEC(5, 1)) AS d, CAST(a AS REAL) AS r, CAST(a AS SHORT) AS s FROM t
