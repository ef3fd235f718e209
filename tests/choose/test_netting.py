"""Which changes are netted before anything is computed from them, by whom, and what is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everview.algebra.relations import Changes as ChangesOf
from everview.algebra.relations import Local, Net
from everview.algebra.walk import walk_plan
from everview.choose.choose import choose
from everview.choose.netting import is_netted_by_driver, may_be_equal
from everview.choose.strategies import Incremental, Move
from everview.facts.files import ChangeFile, DataFile, InlineFile, Sign
from everview.facts.refreshes import Gross, SourceFacts
from everview.facts.tables import TableChanges
from everview.program.program import NET_FIRST, program
from everview.program.steps import Keep
from tests.choose.facts import facts, source
from tests.choose.shapes import GROUPS
from tests.choose.shapes import ROWS as JOINED
from tests.sql.schemas import SOURCES

WHOLE, TOLD = (("file difference", 1),), (("change files", 1),)


def changes(
    gone: int, come: int, *, ways: tuple[tuple[str, int], ...] = WHOLE, size: int = 1000
) -> TableChanges:
    parts = ((gone, Sign.MINUS), (come, Sign.PLUS))
    files = tuple(ChangeFile(DataFile(f"{s}", size, n), s) for n, s in parts if n)
    return TableChanges("id", "uri", 1, 2, SOURCES["t"], files, ways)


def moved(name: str, found: TableChanges, gross: Gross | None = None) -> SourceFacts:
    return replace(source(name), new=2, changes=found, gross=gross)


@pytest.mark.parametrize(
    ("given", "netted"),
    [
        (changes(20_000, 20_000), True),
        (changes(5, 5), True),
        (changes(20_000, 8_000), True),
        (changes(20_000, 3), False),
        (changes(0, 20_000), False),
        (changes(20_000, 0), False),
        (changes(20_000, 20_000, size=40_000_000), False),
        (changes(6_000_000, 6_000_000), False),
        (changes(5, 5, ways=TOLD), False),
        (changes(2_000, 2_000, ways=TOLD), True),
    ],
)
def test_the_driver_nets_what_may_cancel_and_is_small(given: TableChanges, netted: bool) -> None:
    assert is_netted_by_driver(given) is netted


def test_rows_that_were_not_counted_are_not_netted() -> None:
    given = changes(20, 20)
    files = tuple(replace(f, file=DataFile("f", 10, None)) for f in given.files)
    assert not is_netted_by_driver(replace(given, files=files))


def test_as_many_rows_that_go_as_come_may_be_the_same() -> None:
    assert may_be_equal(changes(5, 5))
    assert not may_be_equal(changes(5, 6))
    fed = ChangeFile(DataFile("f", 10, 2), Sign.FEED)
    assert not may_be_equal(replace(changes(5, 5), files=(fed,)))


def test_where_nothing_is_left_only_the_watermark_moves() -> None:
    given = moved("t", replace(changes(0, 0), files=()), Gross(40_000, 9_000))
    choice = choose(facts(GROUPS, given), GROUPS, full=False)
    assert isinstance(choice.strategy, Move)
    assert choice.reason.endswith("; t: 40,000 changes netted to 0 first")


def test_what_is_left_is_what_the_refresh_is_planned_from() -> None:
    one = ChangeFile(InlineFile("net", ("a",), ((1,),)), Sign.PLUS)
    given = moved("t", replace(changes(0, 0), files=(one,)), Gross(40_000, 200_000_000))
    choice = choose(facts(GROUPS, given), GROUPS, full=False)
    assert isinstance(choice.strategy, Incremental)
    assert choice.strategy.insert_only
    assert choice.strategy.cost.bytes_read < 200_000_000
    assert choice.reason.endswith("; t: 40,000 changes netted to 1 first")


def test_a_query_nets_many_rows_first_where_they_are_joined() -> None:
    many = moved("t", changes(2_000_000, 2_000_000, size=90_000_000))
    known = facts(JOINED, many, source("u"), policy="INCREMENTAL")
    choice = choose(known, JOINED, full=False)
    strategy = choice.strategy
    assert isinstance(strategy, Incremental)
    (part,) = strategy.first
    assert part.name == "net_t"
    assert isinstance(part.rel, Net)
    assert not any(isinstance(r, ChangesOf) for r in walk_plan(strategy.changes))
    assert any(isinstance(r, Local) and r.name == "net_t" for r in walk_plan(strategy.changes))
    assert program(choice, JOINED).steps[0] == Keep(part, always=True, title=NET_FIRST)
    off = replace(known, passes_off=frozenset({"net_first"}))
    without = choose(off, JOINED, full=False).strategy
    assert isinstance(without, Incremental)
    assert without.first == ()


@pytest.mark.parametrize(
    "given",
    [
        moved("t", changes(2_000, 2_000)),
        moved("t", changes(2_000_000, 2_000_000, ways=TOLD)),
        moved("t", changes(2_000_000, 2_000_000), Gross(9_000_000, 1)),
    ],
)
def test_no_query_nets_few_rows_or_what_was_netted(given: SourceFacts) -> None:
    known = facts(JOINED, given, source("u"), policy="INCREMENTAL")
    strategy = choose(known, JOINED, full=False).strategy
    assert isinstance(strategy, Incremental)
    assert strategy.first == ()
