"""Strategies that a person asks for, to compare them: by the shape of the view, which apply."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everview.algebra.relations import At, Net, Scan
from everview.algebra.walk import walk_plan
from everview.choose.choose import choose
from everview.choose.strategies import Full, Incremental, Move, Skip
from everview.choose.variants import (
    AppendRows,
    Applied,
    ChangeGroups,
    ChangeRows,
    RecomputeGroups,
    ReplacePartitions,
)
from everview.errors import InvalidArgument, StrategyNotApplicable
from everview.facts.asked_strategy import AskedStrategy, asked_strategy
from everview.facts.files import Sign
from everview.facts.refreshes import Wish
from everview.program.program import program
from everview.program.programs import GroupsSteps, RowsSteps
from everview.shape.shape import Shape
from tests.choose.facts import facts, source
from tests.choose.shapes import FULL, GROUPS, MINUS, PARTITIONS, PLUS, ROWS, shape

COUNTS = shape("SELECT b, count(*) AS n FROM t GROUP BY b")
FLOATS = shape("SELECT b, sum(a) AS s FROM t GROUP BY b", "double")
DISTINCTS = shape("SELECT b, count(DISTINCT a) AS n FROM t GROUP BY b")
FIRSTS = shape("SELECT b, first(a) AS f FROM t GROUP BY b")
Asked = AskedStrategy


def strategy_of(kind: Shape, asked: AskedStrategy, *signs: Sign) -> Incremental:
    given = facts(kind, source("t", *signs, size=9_000), source("u"))
    strategy = choose(given, kind, full=False, asked=asked).strategy
    assert isinstance(strategy, Incremental)
    return strategy


@pytest.mark.parametrize(
    ("kind", "asked", "signs", "applied"),
    [
        (GROUPS, Asked.CHANGE_TABLES, (MINUS,), ChangeGroups),
        (GROUPS, Asked.TOUCHED_GROUPS, (MINUS,), RecomputeGroups),
        (GROUPS, Asked.INSERT_DELETE, (MINUS,), ChangeRows),
        (GROUPS, Asked.INSERT_DELETE, (PLUS,), ChangeRows),  # the old rows of groups go
        (FLOATS, Asked.CHANGE_TABLES, (PLUS,), ChangeGroups),
        (FLOATS, Asked.TOUCHED_GROUPS, (PLUS,), RecomputeGroups),
        (DISTINCTS, Asked.TOUCHED_GROUPS, (PLUS,), RecomputeGroups),
        (DISTINCTS, Asked.INSERT_DELETE, (PLUS,), ChangeRows),
        (FIRSTS, Asked.TOUCHED_GROUPS, (PLUS,), RecomputeGroups),
        (ROWS, Asked.INSERT_DELETE, (MINUS,), ChangeRows),
        (ROWS, Asked.INSERT_DELETE, (PLUS,), AppendRows),
        (PARTITIONS, Asked.TOUCHED_GROUPS, (PLUS,), ReplacePartitions),
    ],
)
def test_what_is_asked_for_is_done(
    kind: Shape, asked: AskedStrategy, signs: tuple[Sign, ...], applied: type[Applied]
) -> None:
    for policy in ("AUTO", "FULL", "INCREMENTAL STRICT"):
        given = facts(kind, source("t", *signs), source("u"), policy=policy)
        choice = choose(given, kind, full=False, asked=asked)
        assert isinstance(choice.strategy, Incremental)
        assert isinstance(choice.strategy.applied, applied)
        assert choice.reason == f"{asked.value} was asked for"
        assert (choice.asked, type(choice.runner_up)) == (asked, Full)


@pytest.mark.parametrize(
    ("kind", "asked", "reason", "others"),
    [
        (ROWS, Asked.CHANGE_TABLES, "its rows are stored one by one", "insert/delete"),
        (ROWS, Asked.TOUCHED_GROUPS, "its rows are stored one by one", "insert/delete"),
        (PARTITIONS, Asked.INSERT_DELETE, "its old rows need not come", "touched groups"),
        (PARTITIONS, Asked.CHANGE_TABLES, "its old rows need not come", "touched groups"),
        (FLOATS, Asked.INSERT_DELETE, "a key of the type double", "change tables, touched groups"),
        (DISTINCTS, Asked.CHANGE_TABLES, "count(DISTINCT ...)", "insert/delete, touched groups"),
        (FIRSTS, Asked.INSERT_DELETE, "first(...) need not come out", "touched groups"),
        (FULL, Asked.CHANGE_TABLES, "LIMIT or OFFSET", ""),
        (FULL, Asked.INSERT_DELETE, "LIMIT or OFFSET", ""),
        (FULL, Asked.TOUCHED_GROUPS, "LIMIT or OFFSET", ""),
    ],
)
def test_what_does_not_apply_says_why_and_what_does(
    kind: Shape, asked: AskedStrategy, reason: str, others: str
) -> None:
    with pytest.raises(StrategyNotApplicable) as raised:
        choose(facts(kind, source("t", PLUS)), kind, full=False, asked=asked)
    assert reason in raised.value.what
    assert asked.value in raised.value.what
    apply = ", ".join(filter(None, ("auto", others, "full")))
    assert raised.value.remedy == f"These apply: {apply}."


def test_sums_of_floats_are_not_found_by_value() -> None:
    kind = shape("SELECT count(*) AS n, sum(a) AS s FROM t", "double")
    with pytest.raises(StrategyNotApplicable, match=r"sum\(\.\.\.\) need not come out the same"):
        strategy_of(kind, Asked.INSERT_DELETE, PLUS)


def test_a_refresh_that_must_be_full_is_no_other() -> None:
    distrusted = facts(GROUPS, source("t", PLUS), distrust="it was changed by another writer")
    lost = facts(GROUPS, source("t", lost="version 1 was vacuumed"))
    for given, reason in ((distrusted, "by another writer"), (lost, "was vacuumed")):
        with pytest.raises(StrategyNotApplicable, match=reason) as raised:
            choose(given, GROUPS, full=False, asked=Asked.CHANGE_TABLES)
        assert raised.value.remedy == "These apply: auto, full."


def test_what_has_nothing_to_do_does_nothing() -> None:
    same = replace(facts(GROUPS, source("t")), policy="AUTO")
    assert isinstance(choose(same, GROUPS, full=False, asked=Asked.TOUCHED_GROUPS).strategy, Skip)
    moved = facts(GROUPS, replace(source("t"), new=2))
    assert isinstance(choose(moved, GROUPS, full=False, asked=Asked.INSERT_DELETE).strategy, Move)


def test_groups_are_computed_from_other_snapshots_by_each() -> None:
    """The change table reads no table; insert/delete reads both snapshots of it."""
    read = {
        asked: {leaf.at for leaf in walk_plan(strategy_of(COUNTS, asked, PLUS).changes)
                if isinstance(leaf, Scan)}
        for asked in (Asked.CHANGE_TABLES, Asked.TOUCHED_GROUPS, Asked.INSERT_DELETE)
    }  # fmt: skip
    assert read == {
        Asked.CHANGE_TABLES: set(),
        Asked.TOUCHED_GROUPS: set(),  # its step that writes reads the groups at NEW
        Asked.INSERT_DELETE: set(At),
    }


def test_the_steps_of_both_ways_beside_change_tables() -> None:
    strategy = strategy_of(GROUPS, Asked.TOUCHED_GROUPS, MINUS)
    given = facts(GROUPS, source("t", MINUS), source("u"))
    steps = program(choose(given, GROUPS, full=False, asked=Asked.TOUCHED_GROUPS), GROUPS)
    assert isinstance(steps, GroupsSteps)
    assert steps.find is None
    assert steps.write.apply.always
    assert (
        strategy.cost.bytes_read > strategy_of(GROUPS, Asked.CHANGE_TABLES, MINUS).cost.bytes_read
    )
    steps = program(choose(given, GROUPS, full=False, asked=Asked.INSERT_DELETE), GROUPS)
    assert isinstance(steps, RowsSteps)
    assert isinstance(steps.stage.changes, Net)


def test_the_names_of_strategies() -> None:
    assert [asked_strategy(s.value.upper()) for s in Asked] == list(Asked)
    assert asked_strategy("auto", full=True) is asked_strategy("full", full=True) is Asked.FULL
    with pytest.raises(InvalidArgument, match="'quick' is no strategy"):
        asked_strategy("quick")
    with pytest.raises(InvalidArgument, match="were both asked for"):
        asked_strategy("change tables", full=True)


def test_views_below_are_refreshed_as_usual() -> None:
    wish = Wish.of(strategy="touched groups", retry=2)
    assert wish.for_view(named=True, read_by=("up",)) == replace(wish, read_by=("up",))
    assert wish.for_view(named=False, read_by=()) == Wish(retry=2)
    assert Wish.of(full=True) == Wish(True, strategy=Asked.FULL)
