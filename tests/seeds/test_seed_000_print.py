"""Where seed 000 is wrong in print: the printed rule fails over rows over which ours holds.

The names are those of the errors: E5 is example 5, and E14 and E15 are no rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from tests.seeds.kept_groups import kept
from tests.seeds.worked import Example, Table

Row = tuple[Any, ...]
Bag = Counter[Row]
N = None

# The printed operator (4): each change row updates, deletes or is inserted, one match each.

Match = Callable[[Row, Row], bool]


def printed(
    view: Iterable[Row],
    change: Iterable[Row],
    updates: Match,
    deletes: Match = lambda v, c: False,
    new: Callable[[Row, Row], Row] = lambda v, c: c,
) -> Bag:
    """V ⊔ □V as it is defined, change row by change row."""
    left, done = list(view), []
    for row in change:
        match = next((v for v in left if updates(v, row) or deletes(v, row)), None)
        if match is None:
            done.append(row)
            continue
        left.remove(match)
        if updates(match, row):
            done.append(new(match, row))
    return Counter([*left, *done])


def added(v: Row, c: Row) -> Row:
    """The first column is the key, the others are summed."""
    return (v[0], *(x + y for x, y in zip(v[1:], c[1:], strict=True)))


def ours(tables: dict[str, Table], sql: str) -> Bag:
    found = Example(tables).maintained(sql)
    assert found.refreshed == found.new
    return found.new


def groups_of(*rows: Row, deleted: tuple[Row, ...] = (), inserted: tuple[Row, ...] = ()) -> Bag:
    """γ k, sum(v), count(*) after these changes, kept by its change table."""
    table = Table("k v", rows, deleted, inserted)
    found = kept(Example({"r": table}), "SELECT k, sum(v) AS s, count(*) AS n FROM r GROUP BY k")
    assert found.refreshed == found.new
    return found.new


def test_e1_a_group_is_deleted_where_its_count_becomes_0() -> None:
    """Printed in table 4, row 6: deleted where it does not."""
    right = groups_of((1, 5), (1, 6), inserted=((1, 7),))
    assert right == bag((1, 18, 3))

    def p3(v: Row, c: Row) -> bool:
        return bool(v[0] == c[0] and v[2] + c[2] != 0)

    assert printed([(1, 11, 2)], [(1, 7, 1)], lambda v, c: not p3(v, c), p3, added) == bag()

    def is_0(v: Row, c: Row) -> bool:
        return bool(v[0] == c[0] and v[2] + c[2] == 0)

    same = printed([(1, 11, 2)], [(1, 7, 1)], lambda v, c: v[0] == c[0], is_0, added)
    assert same == right


FULL = "SELECT g.k, total, h.k AS hk, w FROM {g} g FULL JOIN {h} h ON g.k = h.k"
SUMS, LEASTS = (
    "(SELECT k, sum(v) AS total FROM r GROUP BY k)",
    "(SELECT k, min(w) AS w FROM s GROUP BY k)",
)


def full_join_of_groups(left: Table, right: Table) -> Bag:
    found = kept(Example({"r": left, "s": right}), FULL.format(g=SUMS, h=LEASTS))
    assert found.refreshed == found.new
    assert not found.read
    return found.new


def test_e2_the_change_table_of_a_full_join_is_a_left_join() -> None:
    """□E1 ⟗ E2 as printed has the rows of E2 that no changed group meets once more."""
    right = full_join_of_groups(
        Table("k v", ((1, 5),), inserted=((1, 2),)), Table("k w", ((1, 3), (8, 4)))
    )
    assert right == bag((1, 7, 1, 3), (N, N, 8, 4))
    view, change = [(1, 5, 1, 3), (N, N, 8, 4)], [(1, 2, 1, 3), (N, N, 8, 4)]

    def same(v: Row, c: Row) -> bool:
        return v[0] is not None and (v[0], *v[2:]) == (c[0], *c[2:])

    def summed(v: Row, c: Row) -> Row:
        return (v[0], v[1] + c[1], *v[2:])

    assert printed(view, change, same, new=summed) == right + bag((N, N, 8, 4))
    assert printed(view, change[:1], same, new=summed) == right


def test_e3_a_new_group_that_meets_a_dangling_row() -> None:
    """E1 = {}, E2 = {(1, x)}: as printed the padded row stays beside the new one."""
    right = full_join_of_groups(Table("k v", (), inserted=((1, 5),)), Table("k w", ((1, 7),)))
    assert right == bag((1, 5, 1, 7))
    view, change = [(N, N, 1, 7)], [(1, 5, 1, 7)]
    assert printed(view, change, lambda v, c: v == c) == bag((N, N, 1, 7), (1, 5, 1, 7))


def test_e4_a_selection_that_only_padded_rows_pass() -> None:
    """Th3 lets the change table through any selection; the padded row that gets a partner stays."""
    tables = {"r": Table("a b", ((1, 1),)), "s": Table("c d", (), inserted=((1, 5),))}
    assert ours(tables, "SELECT a, d FROM r LEFT JOIN s ON b = c WHERE d IS NULL") == bag()
    passed = [row for row in [(1, 5)] if row[1] is None]
    assert printed([(1, N)], passed, lambda v, c: v[0] == c[0] and v[1] is None) == bag((1, N))


def test_e6_rows_of_the_other_side_are_told_by_a_count_not_by_nulls() -> None:
    """Th2: by = the padded row of an S with a NULL is not found; null-safe, an unmatched change
    overwrites the row of an S that is all NULL.
    """
    outer = "SELECT a, b, c, d FROM r FULL JOIN s ON b = c"
    s = Table("c d", ((1, N),))
    right = ours({"r": Table("a b", (), inserted=((7, 1),)), "s": s}, outer)
    assert right == bag((7, 1, 1, N))
    stored, change = [(N, N, 1, N)], [(7, 1, 1, N)]

    def by_equal(v: Row, c: Row) -> bool:
        return v[:2] == (N, N) and N not in v[2:] and v[2:] == c[2:]

    assert printed(stored, change, by_equal) == bag((N, N, 1, N), (7, 1, 1, N))

    s = Table("c d", ((N, N),))
    right = ours({"r": Table("a b", (), inserted=((7, 2),)), "s": s}, outer)
    assert right == bag((N, N, N, N), (7, 2, N, N))

    def null_safe(v: Row, c: Row) -> bool:
        return v[:2] == (N, N) and v[2:] == c[2:]

    assert printed([(N, N, N, N)], [(7, 2, N, N)], null_safe) == bag((7, 2, N, N))


def algorithm_1(view: Iterable[Row], change: Iterable[Row], *, at_once: bool = False) -> Bag:
    """Deletions below an outer join as printed: of (r, s) the row goes if s has another partner,
    else r becomes NULL. One by one, or all by the view as it was.
    """
    before = list(view)
    now = list(before)
    for row in change:
        looked_at = list(before if at_once else now)
        looked_at.remove(row)
        others = any(v[1] == row[1] and v[0] is not None for v in looked_at if row[1] is not None)
        now.remove(row)
        if not others:
            now.append((N, row[1]))
    return Counter(now)


PAIRS = "SELECT a, c FROM r FULL JOIN s ON b = c"


def test_e7_a_dangling_row_that_goes_leaves_nothing() -> None:
    right = ours(
        {"r": Table("a b", ((7, 2),), deleted=((7, 2),)), "s": Table("c d", ((1, 1),))}, PAIRS
    )
    assert right == bag((N, 1))
    assert algorithm_1([(7, N), (N, 1)], [(7, N)]) == bag((N, N), (N, 1))


def test_e8_both_partners_that_go_at_once_leave_one_padded_row() -> None:
    """The algorithm is told for one row at a time; of a set it is right only in some order."""
    r = Table("a b", ((7, 1), (8, 1)), deleted=((7, 1), (8, 1)))
    right = ours({"r": r, "s": Table("c d", ((1, 1),))}, PAIRS)
    assert right == bag((N, 1))
    change = [(7, 1), (8, 1)]
    assert algorithm_1([(7, 1), (8, 1)], change) == right
    assert algorithm_1([(7, 1), (8, 1)], change, at_once=True) == bag()


def test_e9_copies_of_a_row_are_no_partners_of_each_other() -> None:
    """T5, rows 3 and 4: with E2 = {e, e} each copy takes the other for another partner."""
    tables = {
        "r": Table("a b", ((7, 1),), deleted=((7, 1),)),
        "s": Table("c d", ((1, 1),)),
        "e": Table("x", (("e",), ("e",))),
    }
    assert ours(tables, f"SELECT a, c, x FROM ({PAIRS}) v CROSS JOIN e") == Counter(
        {(N, 1, "e"): 2}
    )
    both = [(7, (1, "e")), (7, (1, "e"))]
    assert algorithm_1(both, both) == bag((N, (1, "e")))


def test_e10_a_group_that_came_and_went_is_not_inserted() -> None:
    """□V has (2, 0, 0), which meets no stored row."""
    table = Table("k v", ((1, 5),), deleted=((2, 6),), inserted=((2, 6), (1, 1)))
    found = kept(Example({"r": table}), "SELECT k, sum(v) AS s, count(*) AS n FROM r GROUP BY k")
    assert found.refreshed == found.new == bag((1, 6, 2))
    change = [(2, 0, 0), (1, 1, 1)]
    inserted = printed([(1, 5, 1)], change, lambda v, c: v[0] == c[0], new=added)
    assert inserted == bag((1, 6, 2), (2, 0, 0))


def test_e11_inserted_and_deleted_extremes_are_kept_apart() -> None:
    """T3 keeps the value of a deleted row as it is: the most of 5 inserted and 9 deleted is 9."""
    table = Table("k v", ((1, 9), (1, 9), (1, 3)), deleted=((1, 9),), inserted=((1, 5),))
    sql = "SELECT k, max(v) AS most, avg(v) AS mean, count(v) AS n FROM r GROUP BY k"
    found = kept(Example({"r": table}), sql)
    assert found.refreshed == found.new
    gone = Table("k v", ((1, 9), (1, 3)), deleted=((1, 9),), inserted=((1, 5),))
    found = kept(Example({"r": gone}), sql)
    assert [row[1] for row in found.refreshed] == [5]
    mixed = max(5, 9)  # □V as printed
    assert printed([(1, 9)], [(1, mixed)], lambda v, c: v[0] == c[0]) == bag((1, 9))


def test_e12_groups_of_null_are_one() -> None:
    """By = the stored group of NULL is not found, and there are two."""
    right = groups_of((N, 5), (1, 1), inserted=((N, 6),))
    assert right == bag((N, 11, 2), (1, 1, 1))
    by_equal = printed(
        [(N, 5, 1), (1, 1, 1)], [(N, 6, 1)], lambda v, c: N not in (v[0], c[0]) and v[0] == c[0]
    )
    assert by_equal == bag((N, 5, 1), (1, 1, 1), (N, 6, 1))


def test_e13_each_term_reads_the_others_at_its_own_state() -> None:
    """Two tables of a join change: in any order, if the first is met as it was and the second as it
    is; with both as they are a pair of new rows comes twice, with both as they were not at all.
    """
    r, s = Table("a", ((1,),), inserted=((2,),)), Table("c", ((1,),), inserted=((2,),))
    right = ours({"r": r, "s": s}, "SELECT a, c FROM r JOIN s ON a = c")
    assert right == bag((1, 1), (2, 2))

    def joined(left: Iterable[Row], other: Iterable[Row]) -> Bag:
        return Counter((a, c) for (a,) in left for (c,) in other if a == c)

    old = joined(r.rows, s.rows)
    both_new = old + joined(r.inserted, s.new) + joined(r.new, s.inserted)
    both_old = old + joined(r.inserted, s.rows) + joined(r.rows, s.inserted)
    assert both_new == right + bag((2, 2))
    assert both_old == right - bag((2, 2))
    assert old + joined(r.inserted, s.new) + joined(r.rows, s.inserted) == right
    assert old + joined(r.inserted, s.rows) + joined(r.new, s.inserted) == right


def bag(*rows: Row) -> Bag:
    return Counter(rows)
