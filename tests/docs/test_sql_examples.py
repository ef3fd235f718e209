"""The examples of docs/sql.md: each construct is bound or refused by name, none stands twice."""

from __future__ import annotations

from collections import Counter

import pytest

from everview.errors import SqlSyntax
from everview.sql.bind.query import Asks, Lowered, NotLowered, bind
from everview.sql.read.parse import parse_query
from tools.docs import sql_page
from tools.docs.queries import ANSWERS, EXAMPLES, GROUPS, HOWS, TABLES, Example, kept
from tools.docs.sql_page import OPERATORS

# The one group in which a refusal of the whole text is what the example shows.
OUTSIDE = "outside"
# Words of a reason that say that the example is wrong, not that its construct is not understood.
SLIPS = ("no column", "no table", "is not a table", "ambiguous", "neither grouped")

_CONSTRUCTS = [pytest.param(e, id=f"{e.group}: {e.construct}") for e in EXAMPLES]
TEMPLATE = (OPERATORS.parent / "templates" / "sql.md.in").read_text(encoding="utf-8")


@pytest.mark.parametrize("example", _CONSTRUCTS)
def test_every_example_is_kept_in_one_of_the_ways(example: Example) -> None:
    found = kept(example.sql)
    assert found.how in HOWS
    assert found.why
    assert found.how != "refused" or example.group == OUTSIDE, found.why
    assert not any(slip in found.why for slip in SLIPS), found.why


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e.group != OUTSIDE])
def test_the_binder_answers_for_every_example(example: Example) -> None:
    found = bind(parse_query(example.sql), TABLES)
    assert isinstance(found, Lowered | NotLowered | Asks)
    assert isinstance(found, Asks) == (example.sql in ANSWERS)


def test_every_group_has_examples_of_several_constructs() -> None:
    assert len(GROUPS) == len(set(GROUPS))
    few = [g for g in GROUPS if sum(e.group == g for e in EXAMPLES) < 2]
    assert not few


def test_no_two_examples_are_equal() -> None:
    texts = Counter(" ".join(e.sql.lower().split()) for e in EXAMPLES)
    named = Counter((e.group, e.construct) for e in EXAMPLES)
    assert [t for t, n in texts.items() if n > 1] == []
    assert [c for c, n in named.items() if n > 1] == []


def test_what_spark_would_answer_is_asked_for_by_an_example() -> None:
    assert ANSWERS.keys() <= {e.sql for e in EXAMPLES}


def test_the_page_has_every_example_once_in_its_group() -> None:
    page = sql_page.sql_page(TEMPLATE)
    for example in EXAMPLES:
        cell = f"| {example.construct} | `{example.sql}` |".replace("|>", "\\|>")
        cell = cell.replace("||", "\\|\\|")
        assert page.count(cell) == 1, example


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_without_its_place_on_the_page_is_an_error(group: str) -> None:
    mark = f"{{{{{group}}}}}"
    with pytest.raises(ValueError, match="not once"):
        sql_page.sql_page(TEMPLATE.replace(mark, ""))


def test_a_slip_in_an_example_is_seen() -> None:
    assert any(s in kept("SELECT nothing FROM sales").why for s in SLIPS)
    assert kept("SELECT (1 FROM sales").how == "refused"
    with pytest.raises(SqlSyntax):
        parse_query("SELECT (1 FROM sales")


def test_what_is_incremental_stands_first_in_its_table() -> None:
    for table in sql_page.sql_page(TEMPLATE).split("| construct | example | kept |\n")[1:]:
        rows = [line for line in table.split("\n\n")[0].splitlines()[1:] if line.startswith("|")]
        ranks = [next(i for i, how in enumerate(HOWS) if f"| **{how}**:" in row) for row in rows]
        assert ranks == sorted(ranks)
