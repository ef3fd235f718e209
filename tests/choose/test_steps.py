"""The steps that carry a strategy out."""

from __future__ import annotations

import pytest

from everview.choose.choose import choose
from everview.facts.files import Sign
from everview.program.program import program
from everview.program.programs import GroupsSteps
from everview.program.steps import Overwrite, Publish
from everview.shape.shape import Shape
from tests.choose.facts import facts, source
from tests.choose.shapes import FULL, GROUPS, MINUS, PARTITIONS, PLUS, ROWS, shape


@pytest.mark.parametrize(
    ("kind", "signs", "names"),
    [
        (ROWS, (PLUS,), ["write", "commit"]),
        (ROWS, (MINUS,), ["changes", "copies", "write", "commit"]),
        (GROUPS, (PLUS,), ["changes", "write", "commit"]),
        (GROUPS, (MINUS,), ["changes", "lost", "write", "commit"]),
    ],
)
def test_the_steps_of_a_strategy(kind: Shape, signs: tuple[Sign, ...], names: list[str]) -> None:
    given = facts(kind, source("t", *signs), source("u"), policy="INCREMENTAL")
    steps = program(choose(given, kind, full=False), kind).steps
    assert [s.name for s in steps] == names
    assert all(s.title for s in steps)


def test_a_count_needs_no_look_at_lost_extremes() -> None:
    counts = shape("SELECT b, count(*) AS n FROM t GROUP BY b")
    given = facts(counts, source("t", MINUS), policy="INCREMENTAL")
    names = [s.name for s in program(choose(given, counts, full=False), counts).steps]
    assert names == ["changes", "write", "commit"]


@pytest.mark.parametrize(
    "kind", [ROWS, GROUPS, PARTITIONS, FULL], ids=["bag", "keyed", "grouped", "full only"]
)
def test_a_full_recompute_overwrites(kind: Shape) -> None:
    steps = program(choose(facts(kind, source("t")), kind, full=True), kind).steps
    assert [type(s) for s in steps] == [Overwrite, Publish]
    assert isinstance(steps[0], Overwrite)
    assert (steps[0].rel is None) == (kind is FULL)


def test_staged_changes_know_the_operator_that_applies_them() -> None:
    given = facts(GROUPS, source("t", MINUS), policy="INCREMENTAL")
    found = program(choose(given, GROUPS, full=False), GROUPS)
    assert isinstance(found, GroupsSteps)
    assert found.find is not None
    assert found.stage.apply is found.find.apply is found.write.apply
