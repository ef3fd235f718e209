"""The tutorial does what it says: its Python runs, and prints what stands below it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.docs.played import TUTORIAL, blocks, normal, played

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE = TUTORIAL.read_text(encoding="utf-8")


def compare(text: str) -> None:
    for block, printed in played(text):
        assert normal(printed) == normal(block.said), f"docs/tutorial.md, line {block.line}"


@pytest.mark.slow
def test_the_tutorial(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVERVIEW_WAREHOUSE", raising=False)
    compare(PAGE)
    assert (tmp_path / "shop").is_dir()


# It can fail


def page(code: str, said: str | None) -> str:
    shown = "" if said is None else f"\n```text\n{said}\n```\n"
    return f"# A page\n\n```python\n{code}\n```\n{shown}\nwords\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print('a')", "b"),
        ("print('a')", None),
        ("x = 1", "a"),
        ("print('3 rows  0.5 s')", "4 rows  0.5 s"),
        ("print('v1 -> v2')", "v1 -> v3"),
        ("print('a'); print('b')", "a"),
        ("print('full 1 s')", "incremental 1 s"),
    ],
)
def test_another_output_is_seen(code: str, said: str | None) -> None:
    with pytest.raises(AssertionError, match="line 4"):
        compare(page(code, said))


def test_an_error_of_the_code_is_seen_with_its_line() -> None:
    with pytest.raises(ZeroDivisionError) as error:
        compare(page("x = 1\n1 / 0", None))
    assert error.traceback[-1].lineno + 1 == 5


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("done 0.5 s  x", "done 12 s x"),
        ("fresh as of now", "fresh as of 12 s ago"),
        ("fresh as of 2 min ago", "fresh as of 3 s ago"),
        ("reads less than 1 % of 4.1 kB", "reads 3 % of 980 B"),
        ("id 0f8fad5b-d9cb-469f-a165-70867728950e", "id 7c9e6679-7425-40de-944b-e07fc1f90ae7"),
    ],
)
def test_what_differs_from_run_to_run_does_not_matter(one: str, two: str) -> None:
    assert normal(one) == normal(two)


def test_the_blocks_share_their_names_and_follow_each_other() -> None:
    compare(page("x = 1", None) + page("print(x + 1)", "2"))


def test_the_tutorial_shows_outputs() -> None:
    found = blocks(PAGE)
    assert len(found) >= 10
    assert sum(bool(b.said) for b in found) >= 8
    assert PAGE.count("```python") == len(found)
    assert PAGE.count("```text") == sum(bool(b.said) for b in found)
