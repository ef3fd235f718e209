"""Seed 001 on deferring: changes that wait and are composed (example 5.4), and figure 2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from everview.algebra.meaning.plans import CountedBag, minus
from tests.seeds.retail import HOURS, V, day, whole
from tests.seeds.worked import Example, Maintained, Rows, Table, applied

# Example 5.4


def summed(propagated: list[Maintained]) -> CountedBag:
    found: CountedBag = Counter()
    for each in propagated:
        found = applied(found, each.changes)
    return found


def test_example_5_4_changes_propagated_by_the_hour_make_up_the_day() -> None:
    """Policy 1, k = 1 and m = 24 hours: what was propagated each hour, put together, is what one
    refresh of the day finds, and the view is brought up to date with it.

    The seed prints no rows. That the view is out of reach for a shorter time is not shown here.
    """
    hours = day()
    propagated = [hour.maintained(V) for hour in hours]
    assert all(each.refreshed == each.new for each in propagated)
    assert sum(bool(each.changes) for each in propagated) > HOURS // 3
    assert {n < 0 for each in propagated for n in each.changes.values()} == {True, False}
    at_once = whole(hours).maintained(V)
    assert summed(propagated) == at_once.changes
    assert at_once.refreshed == at_once.new == propagated[-1].new


def test_example_5_4_what_is_propagated_can_be_published_alone() -> None:
    """Policy 2: the changes propagated until an hour ago give the view of an hour ago, while the
    sales of the last hour wait.
    """
    hours = day()
    propagated = [hour.maintained(V) for hour in hours]
    view = applied(propagated[0].old, summed(propagated[:-1]))
    assert view == propagated[-1].old
    assert view != propagated[-1].new


def test_lemma_3_the_composition_of_changes_is_their_sum() -> None:
    """D3 = D1 + (D2 - I1) and I3 = (I1 - D2) + I2, hour after hour: as much is inserted less
    deleted as our weights say, which hold no row on both sides.
    """
    propagated = [hour.maintained(V) for hour in day()]
    deleted: CountedBag = Counter()
    inserted: CountedBag = Counter()
    for each in propagated:
        gone, come = -each.changes, +each.changes
        deleted, inserted = deleted + (gone - inserted), (inserted - gone) + come
        assert deleted <= propagated[0].old
    assert minus(inserted, deleted) == summed(propagated)
    assert deleted & inserted, "rows on both sides: the composition is weakly minimal"


# Figure 2

E = Table(
    "x y",
    (("a", "1"), ("a", "1"), ("a", "2"), ("b", "1"), ("c", "3"), ("c", "3"), ("e", "5")),
    deleted=(("a", "1"), ("b", "1"), ("c", "3")),
    inserted=(("a", "2"), ("b", "1"), ("d", "4")),
)
F = Table(
    "x y",
    (("a", "1"), ("c", "3"), ("c", "3"), ("c", "3"), ("d", "4")),
    deleted=(("c", "3"), ("c", "3"), ("d", "4")),
    inserted=(("a", "2"), ("a", "1")),
)
Many = dict[str, CountedBag]  # E and F, their deletions DE, DF and insertions AE, AF


def times(left: CountedBag, right: CountedBag) -> CountedBag:
    return Counter({r + s: n * m for r, n in left.items() for s, m in right.items()})


def once(some: CountedBag) -> CountedBag:
    return Counter(set(some))


def first(some: CountedBag) -> CountedBag:
    found: CountedBag = Counter()
    for (x, _), n in some.items():
        found[x,] += n
    return found


def not_a(some: CountedBag) -> CountedBag:
    return Counter({row: n for row, n in some.items() if row[0] != "a"})


@dataclass(frozen=True)
class Operator:
    """A row of figure 2: the operator as a view, and the formulas of what is deleted and added."""

    view: str
    deleted: Callable[[Many], CountedBag]
    added: Callable[[Many], CountedBag]


FIGURE_2 = {
    "table": Operator("SELECT * FROM E", lambda t: t["DE"], lambda t: t["AE"]),
    "selection": Operator(
        "SELECT * FROM E WHERE x <> 'a'", lambda t: not_a(t["DE"]), lambda t: not_a(t["AE"])
    ),
    "projection": Operator("SELECT x FROM E", lambda t: first(t["DE"]), lambda t: first(t["AE"])),
    "duplicate elimination": Operator(
        "SELECT DISTINCT * FROM E",
        lambda t: once(t["DE"]) - (t["E"] - t["DE"]),
        lambda t: once(t["AE"]) - (t["E"] - t["DE"]),
    ),
    "additive union": Operator(
        "SELECT * FROM E UNION ALL SELECT * FROM F",
        lambda t: t["DE"] + t["DF"],
        lambda t: t["AE"] + t["AF"],
    ),
    "monus": Operator(
        "SELECT * FROM E EXCEPT ALL SELECT * FROM F",
        lambda t: (t["DE"] + t["AF"]) & (t["E"] - t["F"]),
        lambda t: (
            ((t["AE"] + t["DF"]) - (t["F"] - t["E"])) - ((t["DE"] + t["AF"]) - (t["E"] - t["F"]))
        ),
    ),
    "product": Operator(
        "SELECT * FROM E CROSS JOIN F",
        lambda t: (
            times(t["DE"], t["DF"])
            + times(t["DE"], t["F"] - t["DF"])
            + times(t["E"] - t["DE"], t["DF"])
        ),
        lambda t: (
            times(t["AE"], t["AF"])
            + times(t["AE"], t["F"] - t["DF"])
            + times(t["E"] - t["DE"], t["AF"])
        ),
    ),
}


def bags(e: tuple[Rows, Rows, Rows], f: tuple[Rows, Rows, Rows]) -> Many:
    return {
        n: Counter(some) for n, some in zip(("E", "DE", "AE", "F", "DF", "AF"), e + f, strict=True)
    }


@pytest.mark.parametrize("name", FIGURE_2)
def test_figure_2_before_the_update(name: str) -> None:
    """FUTURE(Q) = (Q - DEL) + ADD, and DEL within Q (theorem 2): ours is ADD less DEL."""
    rule = FIGURE_2[name]
    tables = bags((E.rows, E.deleted, E.inserted), (F.rows, F.deleted, F.inserted))
    view = Example({"E": E, "F": F}).maintained(rule.view)
    assert rule.deleted(tables) <= view.old
    assert view.changes == minus(rule.added(tables), rule.deleted(tables))
    assert view.refreshed == view.new


@pytest.mark.parametrize("name", FIGURE_2)
def test_figure_2_after_the_update(name: str) -> None:
    """PAST(Q) = (Q - DEL) + ADD with the roles of what was inserted and deleted exchanged: ours is
    DEL less ADD (duality, section 4).
    """
    rule = FIGURE_2[name]
    tables = bags((E.new, E.inserted, E.deleted), (F.new, F.inserted, F.deleted))
    view = Example({"E": E, "F": F}).maintained(rule.view)
    assert rule.deleted(tables) <= view.new
    assert view.changes == minus(rule.deleted(tables), rule.added(tables))
