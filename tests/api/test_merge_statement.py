"""MERGE INTO against its meaning written in plain Python, over random rows and clauses."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

import everview as ev
from everview.errors import AmbiguousMerge, SchemaMismatch, SqlInvalid
from tests.api.bags import bag, refused

Row = tuple[int | None, int | None, int | None]  # k, a, b
Test = Callable[[Row, Row], bool | None]
Make = Callable[[Row, Row], Row]
NOTHING: Row = (None, None, None)


def less(x: int | None, y: int | None) -> bool | None:
    return None if x is None or y is None else x < y


def same(x: int | None, y: int | None) -> bool | None:
    return None if x is None or y is None else x == y


def plus(x: int | None, y: int) -> int | None:
    return None if x is None else x + y


ON: dict[str, Test] = {
    "t.k = s.k": lambda t, s: same(t[0], s[0]),
    "t.k <=> s.k": lambda t, s: t[0] == s[0],
    "t.k = s.k AND t.a < s.a": lambda t, s: bool(same(t[0], s[0])) and less(t[1], s[1]),
    "s.k = t.k OR t.k IS NULL AND s.k IS NULL": lambda t, s: t[0] == s[0],
}
CONDITIONS: dict[str, dict[str, Test]] = {
    "MATCHED": {
        "s.b > 1": lambda t, s: less(1, s[2]),
        "t.a < s.a": lambda t, s: less(t[1], s[1]),
        "t.a IS NULL": lambda t, s: t[1] is None,
    },
    "NOT MATCHED": {
        "s.b > 1": lambda t, s: less(1, s[2]),
        "k IS NOT NULL": lambda t, s: s[0] is not None,
    },
    "NOT MATCHED BY SOURCE": {
        "t.b > 1": lambda t, s: less(1, t[2]),
        "a IS NULL": lambda t, s: t[1] is None,
    },
}
ACTIONS: dict[str, dict[str, Make | None]] = {
    "MATCHED": {
        "UPDATE SET *": lambda t, s: s,
        "UPDATE SET t.a = t.a + 1": lambda t, s: (t[0], plus(t[1], 1), t[2]),
        "UPDATE SET b = s.a, A = t.b": lambda t, s: (t[0], t[2], s[1]),
        "DELETE": None,
    },
    "NOT MATCHED": {
        "INSERT *": lambda t, s: s,
        "INSERT (b, k) VALUES (s.a, s.k)": lambda t, s: (s[0], None, s[1]),
        "INSERT (a) VALUES (-1)": lambda t, s: (None, -1, None),
    },
    "NOT MATCHED BY SOURCE": {
        "UPDATE SET b = t.b + 1": lambda t, s: (t[0], t[1], plus(t[2], 1)),
        "UPDATE SET a = NULL, b = 7": lambda t, s: (t[0], None, 7),
        "DELETE": None,
    },
}


@dataclass(frozen=True)
class Clause:
    match: str
    condition: str | None
    action: str

    def fits(self, t: Row, s: Row) -> bool:
        return self.condition is None or bool(CONDITIONS[self.match][self.condition](t, s))

    def make(self, t: Row, s: Row) -> Row | None:
        make = ACTIONS[self.match][self.action]
        return None if make is None else make(t, s)

    def __str__(self) -> str:
        condition = "" if self.condition is None else f" AND {self.condition}"
        return f"WHEN {self.match}{condition} THEN {self.action}"


def merged(
    rows: Sequence[Row], source: Sequence[Row], on: Test, clauses: Sequence[Clause]
) -> tuple[list[Row], tuple[int, int, int]] | None:
    """The rows afterwards, and how many were inserted, updated, deleted; None if it is not clear
    which source row a row is changed by.
    """
    of = {m: [c for c in clauses if c.match == m] for m in CONDITIONS}
    may_repeat = all((c.action, c.condition) == ("DELETE", None) for c in of["MATCHED"])
    after: list[Row] = []
    done: Counter[str] = Counter()
    for t in rows:
        matches = [s for s in source if on(t, s)]
        kind = "MATCHED" if matches else "NOT MATCHED BY SOURCE"
        acts = [(c, s) for s in matches or [NOTHING] if (c := _first(of[kind], t, s))]
        if len(acts) > 1 and not may_repeat:
            return None
        if not acts:
            after.append(t)
            continue
        new = acts[0][0].make(t, acts[0][1])
        done["delete" if new is None else "update"] += 1
        after += [] if new is None else [new]
    for s in source:
        clause = _first(of["NOT MATCHED"], NOTHING, s)
        if clause and not any(on(t, s) for t in rows):
            made = clause.make(NOTHING, s)
            assert made is not None
            after.append(made)
            done["insert"] += 1
    return after, (done["insert"], done["update"], done["delete"])


def _first(clauses: Sequence[Clause], t: Row, s: Row) -> Clause | None:
    return next((c for c in clauses if c.fits(t, s)), None)


def random_clauses(draw: random.Random) -> list[Clause]:
    """One to four clauses; of each kind only the last may be without a condition."""
    found: list[Clause] = []
    while not found:
        for match in CONDITIONS:
            count = draw.choice((0, 1, 1, 2))
            for i in range(count):
                is_last = i == count - 1
                free = is_last and draw.random() < 0.6
                condition = None if free else draw.choice(list(CONDITIONS[match]))
                found.append(Clause(match, condition, draw.choice(list(ACTIONS[match]))))
    return found


def random_rows(draw: random.Random, count: int, *, distinct: bool) -> list[Row]:
    keys: list[int | None] = [None, 1, 2, 3, 4, 5, 6, 7]
    chosen = draw.sample(keys, count) if distinct else draw.choices(keys[:4], k=count)
    values = [None, 0, 1, 2, 3]
    return [(k, draw.choice(values), draw.choice(values)) for k in chosen]


def source_text(rows: Sequence[Row]) -> str:
    shown = [f"({', '.join('NULL' if v is None else str(v) for v in row)})" for row in rows]
    casts = ", ".join(f"CAST({c} AS INT) AS {c}" for c in "kab")
    return f"SELECT {casts} FROM VALUES {', '.join(shown)} AS v(k, a, b)"


VIEW = "SELECT k, a + 1 AS a FROM t WHERE b IS NOT NULL"


def viewed(rows: Sequence[Row]) -> list[tuple[int | None, int | None]]:
    return [(k, plus(a, 1)) for k, a, b in rows if b is not None]


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "split"), [(1, ""), (4, " PARTITIONED BY (k)")])
def test_random_merges_do_what_they_mean_and_a_view_follows(
    wh: ev.Warehouse, seed: int, split: str
) -> None:
    draw = random.Random(seed)
    wh.sql(f"CREATE TABLE t (k INT, a INT, b INT){split}")
    rows = random_rows(draw, 8, distinct=False)
    wh.sql(f"INSERT INTO t {source_text(rows)}")
    view = wh.create_materialized_view("v", VIEW, policy="INCREMENTAL STRICT")
    hit: Counter[str] = Counter()
    for case in range(13):
        source = random_rows(draw, 4, distinct=case % 4 > 0)
        on, clauses = draw.choice(list(ON)), random_clauses(draw)
        text = "\n".join(
            [f"MERGE INTO t USING ({source_text(source)}) AS s ON {on}", *map(str, clauses)]
        )
        expected = merged(rows, source, ON[on], clauses)
        version = wh.table("t").version
        if expected is None:
            with refused(AmbiguousMerge):
                wh.sql(text)
            assert wh.table("t").version == version
            hit["ambiguous"] += 1
            continue
        after, counts = expected
        (said,) = wh.sql(text).collect()
        assert tuple(said) == (version + any(counts), *counts), text
        assert bag(wh.table("t").to_df()) == bag(after), text
        assert view.refresh().strategy.startswith(("incremental", "skipped"))
        assert bag(view.to_df()) == bag(viewed(after)), text
        hit["changed" if any(counts) else "nothing"] += 1
        rows = after if 3 <= len(after) <= 16 else _again(wh, draw)
    view.refresh()
    assert view.verify().ok
    assert hit["changed"] >= 10
    assert hit["ambiguous"] >= 2


def _again(wh: ev.Warehouse, draw: random.Random) -> list[Row]:
    """Rows anew, where few are left or they grow beyond what is quick to compare."""
    rows = random_rows(draw, 8, distinct=False)
    wh.sql(f"INSERT OVERWRITE t {source_text(rows)}")
    return rows


def test_the_oracle_knows_what_a_merge_means() -> None:
    update = Clause("MATCHED", None, "UPDATE SET *")
    insert = Clause("NOT MATCHED", None, "INSERT *")
    lone = Clause("NOT MATCHED BY SOURCE", None, "DELETE")
    rows: list[Row] = [(1, 1, 1), (2, 2, 2), (None, 3, 3)]
    source: list[Row] = [(1, 9, 9), (None, 8, 8)]
    after = merged(rows, source, ON["t.k = s.k"], [update, insert, lone])
    assert after == ([(1, 9, 9), (None, 8, 8)], (1, 1, 2))
    assert merged(rows, [(1, 1, 1)] * 2, ON["t.k = s.k"], [update]) is None
    delete = Clause("MATCHED", None, "DELETE")
    assert merged(rows, [(1, 1, 1)] * 2, ON["t.k = s.k"], [delete]) == (rows[1:], (0, 0, 1))


@pytest.fixture
def t(wh: ev.Warehouse) -> ev.Table:
    wh.run_script("CREATE TABLE t (k INT, a INT, b INT); INSERT INTO t VALUES (1, 1, 1), (2, 2, 2)")
    return wh.table("t")


TWICE = "USING (SELECT * FROM VALUES (1, 5), (1, 6) AS v(k, a)) AS s ON t.k = s.k"


def test_two_source_rows_for_one_row(wh: ev.Warehouse, t: ev.Table) -> None:
    with refused(AmbiguousMerge, "2 rows of the source", "line 2, column 12"):
        wh.run_script(f"SELECT 1;\nMERGE INTO t {TWICE} WHEN MATCHED THEN UPDATE SET a = s.a")
    with refused(AmbiguousMerge):
        wh.sql(f"MERGE INTO t {TWICE} WHEN MATCHED AND s.a > 4 THEN DELETE")
    assert t.version == 1
    wh.sql(f"MERGE INTO t {TWICE} WHEN MATCHED AND s.a > 5 THEN UPDATE SET a = s.a")
    assert bag(t.to_df()) == bag([(1, 6, 1), (2, 2, 2)]), "one of them changes it"
    said = wh.sql(f"MERGE INTO t {TWICE} WHEN MATCHED THEN DELETE")
    assert bag(said) == bag([(3, 0, 0, 1)]), "to be deleted twice is to be deleted"
    assert bag(t.to_df()) == bag([(2, 2, 2)])


def test_a_table_a_view_and_a_subquery_take_part(wh: ev.Warehouse, t: ev.Table) -> None:
    wh.run_script(
        """
        CREATE TABLE new (K INT, a BIGINT);
        INSERT INTO new VALUES (1, 10), (3, 30), (4, 40);
        CREATE VIEW some AS SELECT K, a FROM new WHERE K < 4;
        MERGE INTO t AS target USING some
        ON target.k = some.k
        WHEN MATCHED AND target.a < (SELECT max(a) FROM new) THEN UPDATE SET a = some.a
        WHEN NOT MATCHED AND some.k IN (SELECT K FROM new) THEN INSERT (k, a) VALUES (some.k, 0)
        WHEN NOT MATCHED BY SOURCE THEN UPDATE SET target.b = target.b + 100
        """
    )
    assert bag(t.to_df()) == bag([(1, 10, 1), (2, 2, 102), (3, 0, None)])
    assert t.history()[0]["rows"] == {"insert": 1, "update": 2, "delete": 0}


def test_a_value_is_computed_only_where_its_clause_fits(wh: ev.Warehouse, t: ev.Table) -> None:
    wh.sql("INSERT INTO t VALUES (3, 0, 3)")
    wh.sql(
        "MERGE INTO t USING (SELECT explode(array(1, 2, 3)) AS k) s ON t.k = s.k "
        "WHEN MATCHED AND t.a <> 0 THEN UPDATE SET b = CAST(12 / t.a AS INT)"
    )
    assert bag(t.to_df()) == bag([(1, 1, 12), (2, 2, 6), (3, 0, 3)])


@pytest.mark.parametrize(
    ("rest", "kind", "place"),
    [
        ("USING nothing ON t.k = nothing.k WHEN MATCHED THEN DELETE", ev.EverviewError, 20),
        ("USING (SELECT 1 AS k) s ON s.k = t.x WHEN MATCHED THEN DELETE", SqlInvalid, 12),
        ("USING (SELECT 1 AS k) s ON s.k = t.k WHEN MATCHED THEN UPDATE SET *", SchemaMismatch, 12),
        (
            "USING (SELECT 1 AS k) s ON s.k = t.k WHEN MATCHED THEN UPDATE SET s.k = 1",
            SchemaMismatch,
            12,
        ),
        (
            "USING (SELECT 1 AS k) s ON s.k IN (SELECT k FROM nowhere) WHEN MATCHED THEN DELETE",
            ev.EverviewError,
            63,
        ),
        (
            "USING (SELECT 9 AS k) s ON s.k = t.k WHEN NOT MATCHED THEN INSERT (k) VALUES ('x')",
            SchemaMismatch,
            12,
        ),
    ],
)
def test_what_does_not_fit_is_refused_at_its_place(
    wh: ev.Warehouse, t: ev.Table, rest: str, kind: type[ev.EverviewError], place: int
) -> None:
    with refused(kind) as caught:
        wh.run_script(f"SELECT 1;\nMERGE INTO t {rest}")
    assert (caught.value.where.line, caught.value.where.column) == (2, place)
    assert t.version == 1
