"""Table 4 of seed 000: which operators a change table gets past, and where rows must do."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.seeds.kept_groups import is_kept_as_groups, kept
from tests.seeds.worked import Example, Table

N = None

# Groups with NULL keys, equal sums, one that vanishes (3), one that appears (4).
R = Table(
    "k j v",
    ((1, 1, 5), (1, 2, 6), (2, 1, 11), (3, 1, 7), (N, 1, 2), (N, N, N)),
    deleted=((3, 1, 7), (1, 1, 5)),
    inserted=((4, 1, 9), (2, 2, 3), (N, 1, 8)),
)
S = Table(
    "k w",
    ((1, 4), (2, 6), (2, 6), (5, 1), (N, 3)),
    deleted=((5, 1), (2, 6)),
    inserted=((4, 2), (6, 9)),
)
E2 = Table("k name", ((1, "a"), (1, "a"), (2, "b"), (4, "c"), (N, "d")))
ONE_EACH = Table("k name", ((1, "a"), (2, "b"), (4, "c"), (6, "e")))
ALL = {"r": R, "s": S, "e": E2, "o": ONE_EACH}
G = "(SELECT k, sum(v) AS total, count(*) AS n FROM r GROUP BY k)"
H = "(SELECT k, max(w) AS most FROM s GROUP BY k)"
FINE = "(SELECT k, j, sum(v) AS total, count(*) AS n FROM r GROUP BY k, j)"

ROWS_OF_TABLE_4 = {
    "1 selection by the keys": (f"SELECT * FROM {G} g WHERE k > 1", ""),
    "1 selection by what is computed": (f"SELECT * FROM {G} g WHERE total > 9", ""),
    "2 projection": (f"SELECT total, k FROM {G} g", ""),
    "2 projection without the key": (f"SELECT total FROM {G} g", ""),
    "4 join on the keys": (
        f"SELECT g.k, total, n, name FROM {G} g"
        " JOIN (SELECT k, max(name) AS name FROM o GROUP BY k) e ON g.k = e.k",
        "",
    ),
    "4 join on some of the keys": (
        f"SELECT f.k, j, total, most FROM {FINE} f JOIN {H} h ON f.k = h.k",
        "r s",
    ),
    "5 union": (f"SELECT k, total FROM {G} g UNION ALL SELECT k, most FROM {H} h", ""),
    "5 union of equal rows": (f"SELECT k, n FROM {G} g UNION ALL SELECT k, n FROM {G} h", ""),
    "6 aggregation of sums": (
        f"SELECT k, sum(total) AS t, sum(n) AS n FROM {FINE} f GROUP BY k",
        "",
    ),
    "6 aggregation over a join": (
        f"SELECT name, sum(total) AS t FROM {FINE} f JOIN e ON f.k = e.k GROUP BY name",
        "e",
    ),
    "6 DISTINCT": (f"SELECT DISTINCT k FROM {FINE} f", ""),
    "7 full outer join": (
        f"SELECT g.k, total, h.k AS hk, most FROM {G} g FULL JOIN {H} h ON g.k = h.k",
        "",
    ),
    "7 full outer join, NULL-safe": (
        f"SELECT g.k, total, h.k AS hk, most FROM {G} g FULL JOIN {H} h ON g.k <=> h.k",
        "",
    ),
    "7 left outer join": (f"SELECT g.k, total, most FROM {G} g LEFT JOIN {H} h ON g.k = h.k", ""),
}


@pytest.mark.parametrize("name", ROWS_OF_TABLE_4)
def test_a_change_table_gets_past(name: str) -> None:
    """By it alone the stored groups become right; what is told is read beside the changes."""
    sql, read = ROWS_OF_TABLE_4[name]
    found = kept(Example(ALL), sql)
    assert found.refreshed == found.new
    assert found.new != found.old
    assert " ".join(sorted(found.read)) == read


POINTS = {
    "3 cross product": f"SELECT * FROM {G} g CROSS JOIN e",
    "4 join with several rows each": f"SELECT * FROM {G} g JOIN e ON g.k = e.k",
    "4 join by what is computed": f"SELECT * FROM {G} g JOIN s ON g.total = s.w",
    "5 union with rows": f"SELECT k, n FROM {G} g UNION ALL SELECT k, w FROM s",
    "monus": f"SELECT k, n FROM {G} g EXCEPT ALL SELECT k, w FROM s",
}


@pytest.mark.parametrize("name", POINTS)
def test_where_groups_become_rows(name: str) -> None:
    """Old and new rows of the touched groups; duplicates on the other side among them."""
    example = Example(ALL)
    assert not is_kept_as_groups(example, POINTS[name])
    found = example.maintained(POINTS[name])
    assert found.refreshed == found.new
    assert found.changes


def test_the_number_of_groups_is_not_the_number_of_rows() -> None:
    """Row 6 with count(*) over groups: the print asks for a distributive function of a column in U,
    which count(*) of groups is not; counted by changed rows it is wrong.
    """
    sql = f"SELECT k, count(*) AS n FROM {FINE} f GROUP BY k"
    found = kept(Example(ALL), sql)
    assert found.refreshed == found.new
    by_rows = Counter({row[0]: row[1] for row in found.old})
    by_rows.update(Counter(row[0] for row in R.inserted))
    by_rows.subtract(Counter(row[0] for row in R.deleted))
    assert {(k, n) for k, n in by_rows.items() if n} != set(found.new)
