"""Each rule of key derivation by an example in SQL; tests/laws holds them on random data."""

from __future__ import annotations

import pytest

from everview.algebra.calls import WorkDelta
from everview.algebra.derive.keys import DeclaredKeys, has_key_among, keys
from everview.algebra.relations import (
    At,
    Changes,
    ChangeTable,
    Local,
    Negate,
    Net,
    Rel,
    Scan,
    Shared,
    Signed,
    TableFunction,
    TopK,
    Touched,
)
from everview.algebra.scalars import Call, Column, Constant, integer
from everview.algebra.walk import walk_plan
from everview.facts.schema import Field, Schema
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query

SOURCES = {
    "t": Schema((Field("a", "long"), Field("b", "long"), Field("s", "string"))),
    "u": Schema((Field("c", "long"), Field("d", "integer"), Field("e", "double"))),
    "w": Schema((Field("f", "string"), Field("items", '{"type": "array"}'))),
}
ONE: DeclaredKeys = {"t": (("a",),), "u": (("c",),)}  # single keys
TWO: DeclaredKeys = {"t": (("a", "b"),), "u": (("c", "d"),)}


def plan(sql: str) -> Rel:
    found = bind(parse_query(sql), SOURCES)
    assert isinstance(found, Lowered), found
    return found.rel


def scan_types(rel: Rel) -> dict[int, str]:
    scans = [r for r in walk_plan(rel) if isinstance(r, Scan)]
    return {c.id: SOURCES[s.table][c.name].type for s in scans for c in s.columns}


def named_keys(sql: str, declared: DeclaredKeys | None = None) -> list[str]:
    """The keys of a query, each by the names of its columns; "-" is the empty one."""
    rel = plan(sql)
    names = {c.id: c.name for c in rel.columns}
    found = keys(rel, scan_types(rel), declared)
    return sorted(" ".join(sorted(names[c] for c in key)) or "-" for key in found)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        # what removes duplicates
        ("SELECT a, b FROM t", []),
        ("SELECT DISTINCT a, b FROM t", ["a b"]),
        ("SELECT a FROM t UNION SELECT c FROM u", ["a"]),
        ("SELECT a, b FROM t EXCEPT SELECT c, c FROM u", ["a b"]),
        ("SELECT a, b FROM t INTERSECT SELECT c, c FROM u", ["a b"]),
        # groups (seed 002, error E5: the group columns, not the keys of the input)
        ("SELECT a, b, count(*) AS n FROM t GROUP BY a, b", ["a b"]),
        ("SELECT a, count(*) AS n FROM (SELECT DISTINCT a, b FROM t) GROUP BY a", ["a"]),
        ("SELECT count(*) AS n FROM t", ["-"]),
        ("SELECT * FROM t PIVOT (sum(b) FOR s IN ('x', 'y'))", ["a"]),
        # constants
        ("SELECT * FROM VALUES (1, 'x'), (2, 'x'), (NULL, 'x') AS v(a, b)", ["a"]),
        ("SELECT * FROM VALUES (1, 1), (1, 2), (2, 1) AS v(a, b)", ["a b"]),
        ("SELECT * FROM VALUES (1), (1) AS v(a)", []),
        ("SELECT * FROM VALUES (1), ('1') AS v(a)", []),
        ("SELECT * FROM VALUES (1), (1.0) AS v(a)", []),
        (r"SELECT * FROM VALUES ('a'), ('\141') AS v(a)", []),
        ("SELECT 1 AS a", ["-"]),
        # windows
        ("SELECT b, row_number() OVER (PARTITION BY b ORDER BY a) AS n FROM t", ["b n"]),
        ("SELECT b, rank() OVER (PARTITION BY b ORDER BY a) AS n FROM t", []),
        (
            "SELECT * FROM (SELECT a, b, row_number() OVER (PARTITION BY b ORDER BY a) AS n FROM t)"
            " WHERE n = 1",
            ["b"],
        ),
    ],
)
def test_structural_keys(sql: str, expected: list[str]) -> None:
    assert named_keys(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        # σ: what is bound is left out, what is equal is put in its place
        ("SELECT * FROM t WHERE b > 5", ["a b"]),
        ("SELECT * FROM t WHERE b = 5", ["a"]),
        ("SELECT * FROM t WHERE 5 <=> b AND a = 3", ["-"]),
        ("SELECT * FROM t WHERE a IS NULL", ["b"]),
        ("SELECT * FROM t WHERE a = b", ["a", "b"]),
        ("SELECT * FROM t WHERE a = b AND b = 1", ["-"]),
        ("SELECT * FROM t WHERE a = 5 OR b = 5", ["a b"]),
        ("SELECT * FROM t WHERE b = '5'", ["a b"]),  # as far as is known, b may be cast
        # π: keys that are shown whole, under any name
        ("SELECT b AS y, a AS x FROM t", ["x y"]),
        ("SELECT a FROM t", []),
        ("SELECT a + 0 AS a, b FROM t", []),
        ("SELECT a, b, a AS c FROM t", ["a b", "b c"]),
        ("SELECT DISTINCT a, b, s FROM t", ["a b"]),
        # sets
        ("SELECT a, b FROM t EXCEPT ALL SELECT c, d FROM u", ["a b"]),
        ("SELECT a, b FROM t INTERSECT ALL SELECT b, a FROM t", ["a b"]),
        ("SELECT a, b FROM t UNION ALL SELECT c, d FROM u", []),
        ("SELECT 1 AS n, a, b FROM t UNION ALL SELECT 2, c, d FROM u", ["a b n"]),
        ("SELECT 1 AS n, a, b FROM t UNION ALL SELECT 1, c, d FROM u", []),
        ("SELECT 1 AS n, a, b FROM t UNION ALL SELECT '1', c, d FROM u", []),
        ("SELECT 1 AS n, a, b FROM t UNION ALL SELECT 2, c, e FROM u", []),  # b cast to double
        ("SELECT a, b FROM t EXCEPT ALL SELECT c, e FROM u", []),
        # groups that hold a key of the input
        ("SELECT a, b, s, count(*) AS n FROM t GROUP BY a, b, s", ["a b"]),
        ("SELECT b, s, count(*) AS n FROM t WHERE b = 1 GROUP BY b, s", ["s"]),
        # rows made of one row
        ("SELECT a, b, q.* FROM t LATERAL VIEW posexplode(array(1, 1)) q AS p, x", ["a b p"]),
        ("SELECT a, b, x FROM t LATERAL VIEW explode(array(1, 1)) q AS x", []),
        (
            "SELECT * FROM (SELECT a, b, a AS x, b AS y FROM t) UNPIVOT (v FOR n IN (x, y))",
            ["a b n"],
        ),
        ("SELECT * FROM (SELECT a, b, b AS y FROM t) UNPIVOT (v FOR n IN (y))", ["a b"]),
        ("SELECT * FROM t UNPIVOT (v FOR n IN (a, b))", []),
        ("SELECT a, b, sum(b) OVER (PARTITION BY s) AS n FROM t", ["a b"]),
        ("SELECT a, b FROM t ORDER BY s LIMIT 3", ["a b"]),
        ("SELECT a, b FROM t ORDER BY s LIMIT 1", ["-"]),
    ],
)
def test_keys_over_a_key_of_two_columns(sql: str, expected: list[str]) -> None:
    assert named_keys(sql, TWO) == expected


T_U = "SELECT a, b, c, d, e FROM t {} JOIN u {}"


@pytest.mark.parametrize(
    ("join", "condition", "declared", "expected"),
    [
        # ×: combined keys, and the cases of one row at most
        ("CROSS", "", TWO, ["a b c d"]),
        ("CROSS", "", {"t": (("a",),)}, []),
        ("CROSS", "", {"t": ((),), "u": (("c",),)}, ["c"]),
        ("CROSS", "", {"t": ((),), "u": ((),)}, ["-"]),
        # ⋈ on a whole key of one side, of both, on a part of it
        ("INNER", "ON b = c", ONE, ["a"]),
        ("INNER", "ON b <=> c", ONE, ["a"]),
        ("INNER", "ON a = c", ONE, ["a", "c"]),
        ("INNER", "ON a = c", TWO, ["a b d", "b c d"]),
        ("INNER", "ON a = c AND b = d", TWO, ["a b", "a d", "b c", "c d"]),
        ("INNER", "ON a = c AND d = 7", TWO, ["a b", "b c"]),
        ("INNER", "ON a = c AND b = 7 AND d = 7", TWO, ["a", "c"]),
        ("INNER", "ON a < c", ONE, ["a c"]),
        # values of other types are cast before they are compared
        ("INNER", "ON b = d", {"t": (("a",),), "u": (("d",),)}, ["a"]),
        ("INNER", "ON b = e", {"t": (("a",),), "u": (("e",),)}, ["a e"]),
        ("INNER", "ON a = e", {"t": (("a",),), "u": (("e",),)}, ["a e"]),
        # padded rows: the key of the padded side is no key, and what ON says holds of pairs
        ("LEFT", "ON b = c", ONE, ["a"]),
        ("LEFT", "ON a = c", ONE, ["a"]),
        ("LEFT", "ON a = c AND a = 5", ONE, ["a"]),
        ("LEFT", "ON a = c", TWO, ["a b d"]),
        ("LEFT", "ON a = c AND d = 7", TWO, ["a b"]),
        ("LEFT", "ON a < c", ONE, ["a c"]),
        ("RIGHT", "ON b = c", ONE, ["a c"]),
        ("RIGHT", "ON a = c", ONE, ["c"]),
        # padded on both sides: two rows with NULL keys would look the same
        ("FULL", "ON a = c", ONE, []),
        ("FULL", "ON a = c", {"t": ((),), "u": ((),)}, []),
    ],
)
def test_keys_of_joins(
    join: str, condition: str, declared: DeclaredKeys, expected: list[str]
) -> None:
    assert named_keys(T_U.format(join, condition), declared) == expected


def test_a_full_join_has_keys_where_a_column_is_never_null() -> None:
    left = "(SELECT a, count(*) AS n FROM t GROUP BY a)"
    right = "(SELECT c, max(d) AS m FROM u GROUP BY c)"
    sql = f"SELECT a, n, c, m FROM {left} FULL JOIN {right} ON a = c"
    assert named_keys(sql) == ["a c n"]
    filled = right.replace("GROUP", "WHERE c > 0 GROUP")
    assert named_keys(sql.replace(right, filled)) == ["a c"]


@pytest.mark.parametrize("test", ["IN (SELECT c FROM u)", "NOT IN (SELECT c FROM u)"])
def test_a_tested_side_keeps_its_keys(test: str) -> None:
    assert named_keys(f"SELECT * FROM t WHERE b {test}", ONE) == ["a"]
    assert named_keys(f"SELECT * FROM t WHERE b {test} OR s IS NULL", ONE) == ["a"]


def test_nothing_is_told_by_comparison_where_types_are_not_known() -> None:
    rel = plan("SELECT a, c FROM t JOIN u ON a = c WHERE a = 1")
    a, c = (column.id for column in rel.columns)
    assert keys(rel, {}, ONE) == {frozenset({a, c})}
    assert keys(rel, scan_types(rel), ONE) == {frozenset()}


def test_keys_are_few() -> None:
    columns = ", ".join(f"a AS a{i}, b AS b{i}" for i in range(9))
    assert len(named_keys(f"SELECT {columns} FROM t", TWO)) == 8


A, B = Column(1, "a"), Column(2, "b")
CHANGES = Changes("t", (A, B))
ONE_KEY = frozenset({1})


@pytest.mark.parametrize(
    ("rel", "expected"),
    [
        (CHANGES, set()),
        (Local("rows", (A, B)), set()),
        (Net(CHANGES), set()),
        (Touched(CHANGES, (A,)), {ONE_KEY}),
        (ChangeTable(CHANGES, (A,), ((Column(3, "n"), WorkDelta("weight")),)), {ONE_KEY}),
        (Signed(Touched(CHANGES, (A,)), 1), {ONE_KEY}),
        (Negate(Signed(Touched(CHANGES, (A,)), 1)), {ONE_KEY}),
        (Shared("x", Touched(CHANGES, (A,))), {ONE_KEY}),
        (TableFunction(Call("range", (integer(3),)), (A,)), {ONE_KEY}),
        (TableFunction(Call("explode", (Constant("array(1, 1)"),)), (A,)), set()),
        (TopK(Scan("t", At.NEW, (A, B)), (), integer(1)), {frozenset()}),
        (TopK(Scan("t", At.NEW, (A, B)), (), integer(2)), set()),
    ],
)
def test_keys_of_the_operators_of_deltas_and_of_rows_at_hand(
    rel: Rel, expected: set[object]
) -> None:
    assert keys(rel) == expected


def test_what_holds_a_key_tells_rows_apart() -> None:
    found = frozenset({frozenset({1, 2})})
    assert has_key_among((1, 2, 3), found)
    assert not has_key_among((1, 3), found)
    assert not has_key_among((1, 2), frozenset())
    assert has_key_among((), frozenset({frozenset[int]()}))
