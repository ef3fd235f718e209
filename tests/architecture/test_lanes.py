"""The plans of `make test` and `make check`: together they meet every test, each once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, settings

from tests.conftest import COLLECTED
from tests.selection import Case, Kind, chosen, first, of_shares
from tools.lanes import CONNECT, PLANS, PURE, SPARK, Job, Progress

MARKERS: dict[Kind, str] = {"pure": PURE, "spark": SPARK, "connect": CONNECT}
KINDS = {
    "first": {"pure", "spark"},
    "rest": {"spark", "connect"},
    "all": {"pure", "spark", "connect"},
}


@pytest.fixture
def found(request: pytest.FixtureRequest) -> list[Case]:
    """What this run of pytest found, whatever it then left out."""
    return [replace(c, share=1) for c in request.config.stash[COLLECTED] if c.kind != "apart"]


def some_cases() -> list[Case]:
    """Two folders on Spark, one of them slow as a whole; a test with many cases; other kinds."""
    named = [Case(f"tests/a/test_a.py::test_{i}", "spark") for i in range(7)]
    many = [Case(f"tests/a/test_b.py::test_b[{i}]", "spark", share=4) for i in range(40)]
    slow = [Case(f"tests/{at}/test_c.py::test_{i}", "spark", True) for at in "as" for i in range(3)]
    connect = [Case(f"tests/a/test_a.py::test_{i}[connect]", "connect") for i in range(3)]
    return [*named, *many, *slow, *connect, Case("tests/p/test_p.py::test_p", "pure")]


def assert_each_is_in_one_part(cases: list[Case]) -> None:
    early, late = chosen(cases, "first"), chosen(cases, "rest")
    assert not early & late
    assert early | late == chosen(cases, "all") == {c.id for c in cases}


def test_every_test_is_in_one_part(found: list[Case]) -> None:
    assert_each_is_in_one_part(found)


def test_every_case_of_an_example_is_in_one_part() -> None:
    assert_each_is_in_one_part([replace(c, share=1) for c in some_cases()])


def test_the_first_part_meets_every_folder_and_file(found: list[Case]) -> None:
    on_spark = [c for c in found if c.kind == "spark"]
    met = [c for c in on_spark if c.id in first(found)]
    assert {c.folder for c in met} == {c.folder for c in on_spark}
    assert {c.file for c in met} >= {c.file for c in on_spark if not c.slow}


def test_the_first_part_of_an_example() -> None:
    met = sorted(c.partition("::")[0] for c in first(some_cases()))
    assert met == ["tests/a/test_a.py"] * 2 + ["tests/a/test_b.py", "tests/s/test_c.py"]


def test_a_share_leaves_no_function_out_but_those_that_run_elsewhere() -> None:
    cases = [replace(c, share=10**9) for c in some_cases()]
    kept = of_shares(cases)
    assert {c.function for c in cases if c.id in kept} == {c.function for c in cases}
    assert not of_shares([replace(c, may_vanish=True) for c in cases])


def test_the_choice_is_that_of_each_file_alone() -> None:
    cases = some_cases()
    alone = first([c for c in cases if c.file == "tests/a/test_a.py"])
    assert alone == {i for i in first(cases) if i.startswith("tests/a/test_a.py")}


@pytest.mark.parametrize("name", PLANS)
def test_every_test_is_in_one_job_of_a_plan(name: str, found: list[Case]) -> None:
    for kind in MARKERS:
        for folder in sorted({c.folder for c in found if c.kind == kind}):
            jobs = [j for j in PLANS[name].jobs if j.markers == MARKERS[kind] and _reads(j, folder)]
            assert len(jobs) == (kind in KINDS[name]), (kind, folder)


def _reads(job: Job, folder: str) -> bool:
    return folder not in job.but and ("tests" in job.folders or folder in job.folders)


def test_a_line_per_folder_and_a_failure_at_once() -> None:
    progress = Progress(Job("spark", SPARK))
    heard = [
        "collected 4 items\n",
        "tests/api/test_a.py::test_a PASSED      [ 25%]\n",
        "tests/api/test_a.py::test_b[it FAILED once - PASSED] PASSED [ 50%]\n",
        "tests/run/test_c.py::test_c FAILED      [ 75%]\n",
        "tests/run/test_c.py::test_d ERROR       [100%]\n",
        "tests/run/test_c.py:7: AssertionError\n",
    ]
    told = [line for text in heard for line in progress.hear(text)] + progress.end()
    assert [" ".join(line.split()) for line in told] == [
        "spark api 2 passed 0 s",
        "tests/run/test_c.py::test_c FAILED",
        "tests/run/test_c.py::test_d ERROR",
        "spark run 1 failed, 1 error 0 s",
    ]
    assert progress.kept == [heard[0], heard[-1]]
    assert progress.passed == 2


def test_no_example_fails_by_the_clock() -> None:
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check
