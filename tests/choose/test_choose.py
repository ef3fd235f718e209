"""Which strategy is taken, and why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everview.algebra.relations import Net
from everview.algebra.walk import walk_plan
from everview.choose.choose import choose
from everview.choose.strategies import Full, Incremental, Move, Refusal, Skip
from everview.errors import Place, RefreshRefused
from everview.facts.files import Sign
from everview.facts.methods import Way
from everview.facts.refreshes import RefreshFacts
from everview.facts.tables import TableChanges
from everview.facts.views import Moment
from everview.program.program import program
from everview.program.steps import Publish
from everview.shape.shape import Shape
from tests.choose.facts import facts, source
from tests.choose.shapes import FULL, GROUPS, MINUS, PLUS, ROWS
from tests.sql.schemas import SOURCES


def test_nothing_moved() -> None:
    choice = choose(facts(ROWS, source("t"), source("u")), ROWS, full=False)
    assert isinstance(choice.strategy, Skip)
    assert list(choice.estimates()) == ["skipped"]
    assert program(choice, ROWS).steps == ()


def test_versions_moved_without_rows() -> None:
    still = source("t")
    moved = replace(still, new=3, changes=TableChanges("id", "uri", 1, 3, SOURCES["t"], ()))
    choice = choose(facts(GROUPS, moved), GROUPS, full=False)
    assert isinstance(choice.strategy, Move)
    assert "t hold no change" in choice.reason
    assert program(choice, GROUPS).steps == (Publish(),)


@pytest.mark.parametrize("policy", ["AUTO", "FULL"])
def test_what_depends_on_the_clock_is_never_skipped(policy: str) -> None:
    shape = replace(FULL, moment=Moment("now()", Place(1, 8, 3, "SELECT now()")))
    still = source("t")
    moved = replace(still, new=3, changes=TableChanges("id", "uri", 1, 3, SOURCES["t"], ()))
    for given in (still, moved):
        choice = choose(facts(shape, given, policy=policy), shape, full=False)
        assert isinstance(choice.strategy, Full)
        assert choice.reason == "it depends on the clock: now() (line 1, column 8)"


@pytest.mark.parametrize("policy", ["AUTO", "INCREMENTAL", "INCREMENTAL STRICT", "FULL"])
@pytest.mark.parametrize(
    ("given", "full", "reason"),
    [
        (facts(ROWS, source("t", PLUS, old=None)), False, "first build"),
        (facts(ROWS, source("t")), True, "asked for"),
        (facts(ROWS, source("t", PLUS), distrust="changed by another writer"), True, "asked for"),
    ],
)
def test_what_must_be_full_is_full_under_every_policy(
    given: RefreshFacts, full: bool, reason: str, policy: str
) -> None:
    choice = choose(replace(given, policy=policy), ROWS, full=full)
    assert isinstance(choice.strategy, Full)
    assert reason in choice.reason


@pytest.mark.parametrize(
    ("kind", "signs", "name"),
    [
        (ROWS, (PLUS,), "incremental: append"),
        (ROWS, (PLUS, MINUS), "incremental: rows"),
        (ROWS, (Sign.FEED,), "incremental: rows"),
        (GROUPS, (PLUS,), "incremental: groups"),
        (GROUPS, (MINUS,), "incremental: groups"),
    ],
)
def test_small_changes_are_propagated(kind: Shape, signs: tuple[Sign, ...], name: str) -> None:
    others = [source("u")] if kind is ROWS else []
    choice = choose(facts(kind, source("t", *signs), *others), kind, full=False)
    assert choice.strategy.method.name == name
    assert "% of the bytes" in choice.reason
    assert choice.runner_up is not None
    assert set(choice.estimates()) == {name, "full"}


def test_only_a_bag_with_deletions_is_netted() -> None:
    def nets(*signs: Sign) -> int:
        found = choose(facts(ROWS, source("t", *signs), source("u")), ROWS, full=False).strategy
        assert isinstance(found, Incremental)
        return sum(isinstance(r, Net) for r in walk_plan(found.changes))

    assert nets(PLUS) == 0
    assert nets(MINUS) == 1


BIG = [source("t", PLUS, MINUS, size=1000)]


def test_auto_takes_the_cheaper_way() -> None:
    choice = choose(facts(GROUPS, *BIG), GROUPS, full=False)
    assert isinstance(choice.strategy, Full)
    assert choice.reason == "cheaper: reads 8 % of the bytes"
    assert isinstance(choice.runner_up, Incremental)


@pytest.mark.parametrize("policy", ["INCREMENTAL", "INCREMENTAL STRICT"])
def test_incremental_never_chooses_full_by_cost(policy: str) -> None:
    choice = choose(facts(GROUPS, *BIG, policy=policy), GROUPS, full=False)
    assert isinstance(choice.strategy, Incremental)
    assert choice.reason == f"the policy is {policy}"


def test_full_is_full() -> None:
    choice = choose(facts(GROUPS, source("t", PLUS), policy="FULL"), GROUPS, full=False)
    assert isinstance(choice.strategy, Full)
    assert choice.reason == "the policy is FULL"


LOST = facts(GROUPS, source("t", lost="version 3 was vacuumed"))


@pytest.mark.parametrize("policy", ["AUTO", "INCREMENTAL"])
def test_lost_history_falls_back_to_full_with_the_reason(policy: str) -> None:
    choice = choose(replace(LOST, policy=policy), GROUPS, full=False)
    assert isinstance(choice.strategy, Full)
    assert choice.reason == "t: version 3 was vacuumed"
    assert choice.refusals == (Refusal(Way.INCREMENTAL, choice.reason),)


FOREIGN = facts(ROWS, source("t"), distrust="changed by another writer")


@pytest.mark.parametrize("policy", ["AUTO", "INCREMENTAL", "FULL"])
def test_rows_of_another_writer_are_recomputed_with_the_reason(policy: str) -> None:
    choice = choose(replace(FOREIGN, policy=policy), ROWS, full=False)
    assert isinstance(choice.strategy, Full)
    assert choice.reason == "changed by another writer"


@pytest.mark.parametrize(
    ("given", "shape", "why"), [(LOST, GROUPS, "vacuumed"), (FOREIGN, ROWS, "another writer")]
)
def test_strict_raises_instead(given: RefreshFacts, shape: Shape, why: str) -> None:
    with pytest.raises(RefreshRefused, match=rf"`v` .*{why}") as raised:
        choose(replace(given, policy="INCREMENTAL STRICT"), shape, full=False)
    assert "refresh(full=True)" in raised.value.remedy


def test_a_view_that_is_full_only_says_why_and_where() -> None:
    choice = choose(facts(FULL, source("t", PLUS)), FULL, full=False)
    assert choice.reason == "LIMIT or OFFSET is not maintained incrementally (line 2, column 3)"
    choice = choose(facts(FULL, source("t", PLUS), policy="FULL"), FULL, full=False)
    assert choice.reason == "the policy is FULL"
    nowhere = replace(FULL, place=None)
    choice = choose(facts(nowhere, source("t", PLUS)), nowhere, full=False)
    assert choice.reason == "LIMIT or OFFSET is not maintained incrementally"


def test_the_cost_of_a_full_refresh_that_others_read_has_the_comparison_in_it() -> None:
    alone = facts(GROUPS, source("t", PLUS), policy="FULL")
    choice = choose(replace(alone, read_by=("gold",)), GROUPS, full=False)
    assert isinstance(choice.strategy, Full)
    assert choice.reason == "the policy is FULL; read by gold, so only what differs is told"
    before = choose(alone, GROUPS, full=False).strategy.cost
    stored = alone.stored.snapshot.bytes
    assert choice.strategy.cost == before.with_comparison(stored)
    assert choice.strategy.cost.bytes_read == before.bytes_read + 2 * stored
    assert [s.name for s in program(choice, GROUPS).steps] == ["write", "compare", "commit"]


def test_a_first_build_is_compared_with_nothing() -> None:
    given = facts(GROUPS, source("t", PLUS, old=None))
    read = choose(replace(given, read_by=("gold",)), GROUPS, full=False)
    assert read == choose(given, GROUPS, full=False)
