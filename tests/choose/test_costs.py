"""What a strategy costs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everview.algebra.relations import At, Scan
from everview.algebra.walk import walk_plan
from everview.choose.choose import choose
from everview.choose.cost import LOCATED_SHARE, Cost
from everview.choose.fetching import leaf_bytes
from everview.choose.strategies import Full, Incremental
from everview.errors import RefreshRefused
from everview.facts.files import DataFile, Sign
from everview.facts.pace import Pace
from everview.facts.refreshes import RefreshFacts, SourceFacts
from everview.facts.schema import Field, Schema
from everview.facts.tables import TableChanges
from everview.shape.shape import Shape
from tests.choose.facts import facts, snapshot, source
from tests.choose.shapes import GROUPS, MINUS, PLUS, ROWS
from tests.sql.schemas import SOURCES

SHARE = LOCATED_SHARE  # of what Spark would read, where the driver fetches few rows


def cost_of(given: RefreshFacts, kind: Shape) -> Cost:
    strategy = choose(replace(given, policy="INCREMENTAL"), kind, full=False).strategy
    assert isinstance(strategy, Incremental)
    return strategy.cost


def test_costs_add_up() -> None:
    cost = Cost(60_000_000, 20_000_000, 2, ("a guess",))
    assert cost.seconds == pytest.approx(2.5)
    assert cost.to_dict()["seconds"] == 2.5
    assert list(cost.to_dict()["guessed"]) == ["a guess"]


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (Cost(1_200_000, 50_000_000, 2), "reads 1 % of the bytes"),
        (Cost(0, 50_000_000, 2), "reads less than 1 % of the bytes"),
        (Cost(120_000_000, 5_000_000, 2), "writes 10 % of the bytes"),
        (Cost(120_000_000, 50_000_000, 1), "1 action rather than 2"),
    ],
)
def test_what_makes_a_cost_the_lower_one(cost: Cost, text: str) -> None:
    assert cost.advantage(Cost(120_000_000, 50_000_000, 2)) == text


def test_every_leaf_is_paid_for() -> None:
    one = cost_of(facts(ROWS, source("t", PLUS), source("u")), ROWS)
    assert one.bytes_read == SHARE * (1000 + 200_000_000)
    both = cost_of(facts(ROWS, source("t", PLUS), source("u", PLUS)), ROWS)
    assert both.bytes_read == SHARE * (2 * 1000 + 2 * 200_000_000)


def test_what_many_changes_meet_is_read_by_spark() -> None:
    given = source("t", PLUS)
    assert isinstance(given.changes, TableChanges)
    files = tuple(replace(f, file=DataFile("c", 1000, 300_000)) for f in given.changes.files)
    many = replace(given, changes=replace(given.changes, files=files))
    assert cost_of(facts(ROWS, many, source("u")), ROWS).bytes_read == 1000 + 200_000_000


def test_what_few_changes_of_a_small_table_meet_may_be_many_rows() -> None:
    few, large = source("t", PLUS), source("u")
    large = replace(large, at_new=snapshot(200_000_000, rows=10_000_000))
    assert cost_of(facts(ROWS, few, large), ROWS).bytes_read == SHARE * 1000 + 200_000_000


def test_refreshes_before_say_how_far_an_estimate_is_off() -> None:
    given = facts(ROWS, source("t", PLUS), source("u"))
    slow = replace(given, stored=replace(given.stored, pace=Pace(full=0.5, incremental=3.0)))
    before, after = choose(given, ROWS, full=False), choose(slow, ROWS, full=False)
    assert after.strategy.cost.seconds == pytest.approx(3 * before.strategy.cost.seconds)
    assert before.runner_up is not None
    assert after.runner_up is not None
    assert after.runner_up.cost.seconds == pytest.approx(before.runner_up.cost.seconds / 2)
    never = replace(given, stored=replace(given.stored, pace=Pace(incremental=1000.0)))
    assert isinstance(choose(never, ROWS, full=False).strategy, Full)
    others = replace(given, typical_pace=Pace(incremental=1000.0))
    assert isinstance(choose(others, ROWS, full=False).strategy, Full)


def test_an_append_writes_what_it_appends() -> None:
    cost = cost_of(facts(ROWS, source("t", PLUS), source("u"), stored=snapshot(1000)), ROWS)
    assert cost.bytes_written == 1000 * 5 // 100
    assert cost.actions == 1


def test_no_more_files_are_rewritten_than_rows_changed() -> None:
    many = snapshot(*[100] * 50)
    cost = cost_of(facts(GROUPS, source("t", MINUS), stored=many), GROUPS)
    assert cost.bytes_written == 5 * 100
    assert cost.actions == 2, "the largest value may be lost"


def test_in_large_files_rows_are_marked_and_not_written_anew() -> None:
    large = snapshot(*[10_000_000] * 5)
    cost = cost_of(facts(GROUPS, source("t", MINUS), stored=large), GROUPS)
    assert cost.bytes_written == 50_000_000 * 5 // 500


def test_what_is_not_known_counts_as_everything() -> None:
    given = source("t", MINUS)
    assert isinstance(given.changes, TableChanges)
    files = tuple(replace(f, file=DataFile("c", 9, None)) for f in given.changes.files)
    unknown = replace(given, changes=replace(given.changes, files=files))
    assert cost_of(facts(GROUPS, unknown, stored=snapshot(10, 20)), GROUPS).bytes_written == 30


def test_a_first_build_guesses_what_it_writes() -> None:
    given = facts(ROWS, source("t", PLUS, old=None), stored=snapshot())
    cost = choose(given, ROWS, full=False).strategy.cost
    assert cost.bytes_written == 200_000_000 // 4
    assert cost.guessed


def gone(name: str, *signs: Sign, columns: Schema = SOURCES["t"]) -> SourceFacts:
    """A source of which the version where the view is exact cannot be read any more."""
    given = source(name, *signs)
    return replace(given, at_old=None, at_new=replace(given.at_new, schema=columns))


def test_instead_of_a_snapshot_that_is_gone_the_newer_one_and_the_changes_are_read() -> None:
    given = facts(ROWS, gone("t", PLUS), gone("u", PLUS), policy="INCREMENTAL")
    strategy = choose(given, ROWS, full=False).strategy
    assert isinstance(strategy, Incremental)
    leaves = [leaf for leaf in walk_plan(strategy.changes) if isinstance(leaf, Scan)]
    assert {(leaf.table, leaf.at) for leaf in leaves} == {("t", At.NEW), ("u", At.NEW)}
    read = sum(leaf_bytes(given, leaf) for leaf in walk_plan(strategy.changes))
    assert read == 3 * 1000 + 2 * 200_000_000
    assert strategy.cost.bytes_read >= SHARE * read


def test_a_snapshot_that_is_gone_of_rows_that_cannot_be_compared_is_full_with_the_reason() -> None:
    variant = Schema((Field("a", "variant"),))
    given = facts(ROWS, gone("t", PLUS, columns=variant), source("u", PLUS))
    choice = choose(replace(given, policy="INCREMENTAL"), ROWS, full=False)
    assert isinstance(choice.strategy, Full)
    assert "t: version 1 cannot be read any more" in choice.reason
    with pytest.raises(RefreshRefused, match="version 1 cannot be read any more"):
        choose(replace(given, policy="INCREMENTAL STRICT"), ROWS, full=False)


def test_a_snapshot_that_is_gone_and_that_nothing_reads_is_no_matter() -> None:
    given = facts(ROWS, gone("t", PLUS), source("u"), policy="INCREMENTAL STRICT")
    assert isinstance(choose(given, ROWS, full=False).strategy, Incremental)
