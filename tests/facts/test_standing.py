"""How a view stands to its sources: by ids and by the columns it reads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everview.errors import ColumnGone, EverviewError, UnknownName
from everview.facts.schema import Field, Schema
from everview.facts.standing import (
    NoVersions,
    OtherTable,
    Retyped,
    SameTable,
    Seen,
    SourceStanding,
    Standing,
    Unreadable,
    compared,
    compared_unversioned,
    with_change,
)
from everview.facts.views import SourceRecord


def columns(**types: str) -> Schema:
    return Schema(tuple(Field(name, type_) for name, type_ in types.items()))


BEFORE = columns(id="long", city="string", amount="integer")
RECORD = SourceRecord("sales", "A", BEFORE, ("city", "amount"))


def seen(schema: Schema = BEFORE, id_: str = "A", version: int = 3) -> Seen:
    return Seen(id_, version, schema)


def standing(*sources: SourceStanding) -> Standing:
    return Standing("v", sources)


def test_the_same_table_is_counted_in_commits() -> None:
    found = standing(compared(RECORD, seen(version=5)))
    assert found.sources == (SourceStanding("sales", SameTable(5)),)
    assert found.behind({"sales": 2}) == {"sales": 3}
    assert found.behind({"sales": 5}) == {"sales": 0}
    assert found.behind({}) == {"sales": 5}, "never built"
    assert (found.trouble, found.rebuild) == (None, "")


def test_a_table_put_back_has_no_commits_to_count() -> None:
    assert standing(compared(RECORD, seen(version=1))).behind({"sales": 2}) == {"sales": None}


@pytest.mark.parametrize("version", [0, 2, 9])
def test_another_table_is_another_at_whatever_version(version: int) -> None:
    found = standing(compared(RECORD, seen(id_="B", version=version)))
    assert isinstance(found.sources[0].state, OtherTable)
    assert found.behind({"sales": 2}) == {"sales": None}
    assert "`sales` is another table than before" in found.rebuild
    assert found.trouble is None


def test_a_source_that_cannot_be_read_gives_its_error() -> None:
    gone = UnknownName("`v` reads `sales`, which is gone.")
    found = standing(compared(RECORD, gone))
    assert found.sources[0].state == Unreadable(gone)
    assert found.trouble is gone
    assert found.behind({"sales": 2}) == {"sales": None}


# Columns: what changed, what a refresh raises, why it builds the view anew
CHANGES = {
    "added": (columns(id="long", city="string", amount="integer", more="string"), "", ""),
    "reordered": (columns(amount="integer", city="string", id="long"), "", ""),
    "an unused one dropped": (columns(city="string", amount="integer"), "", ""),
    "an unused one retyped": (columns(id="string", city="string", amount="integer"), "", ""),
    "dropped": (columns(id="long", city="string"), "`v` reads `amount` of `sales`", ""),
    "renamed": (
        columns(id="long", city="string", price="integer"),
        "`v` reads `amount` of `sales`, which has no such column any more (new there: `price`)",
        "",
    ),
    "spelled otherwise": (
        columns(id="long", City="string", amount="integer"),
        "`v` reads `city` of `sales`",
        "",
    ),
    "several dropped": (columns(id="long"), "`v` reads `city`, `amount` of `sales`", ""),
    "widened": (
        columns(id="long", city="string", amount="long"),
        "",
        "`sales`.`amount` was integer and is long",
    ),
    "narrowed": (
        columns(id="long", city="string", amount="short"),
        "",
        "`sales`.`amount` was integer and is short",
    ),
    "nested": (
        columns(id="long", city='{"type":"struct"}', amount="integer"),
        "",
        "`sales`.`city` has another nested type than before",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_rule_for_columns(change: str) -> None:
    now, trouble, rebuild = CHANGES[change]
    for id_ in ("A", "B"):
        found = standing(compared(RECORD, seen(now, id_)))
        error = found.trouble
        assert (error is not None) == bool(trouble)
        if error is not None:
            assert isinstance(error, ColumnGone)
            assert trouble in error.what
            assert "CREATE OR REPLACE" in error.remedy
        if id_ == "A":
            assert found.rebuild == rebuild
        else:
            assert "another table" in found.rebuild


def test_columns_that_came_are_known_by_name() -> None:
    assert compared(RECORD, seen(CHANGES["added"][0])).added == ("more",)


def test_a_view_that_got_or_lost_its_limit() -> None:
    now = Seen("A", 3, BEFORE, limited=True)
    assert compared(RECORD, now).rebuild == "`sales` has a LIMIT now"
    limited = replace(RECORD, limited=True)
    assert compared(limited, now).rebuild == ""
    assert compared(limited, seen()).rebuild == "`sales` has no LIMIT now"


def test_a_table_without_versions() -> None:
    record = SourceRecord("p", "`db`.`p`", BEFORE, ())
    found = standing(compared_unversioned(record, columns(city="string", amount="long")))
    assert found.sources[0] == SourceStanding(
        "p", NoVersions(), ("id",), (Retyped("amount", "integer", "long"),)
    )
    assert found.sources[0].commits_since(None) is None
    assert found.behind({}) == {}, "there is nothing to count"
    error: EverviewError = UnknownName("it is gone")
    assert standing(compared_unversioned(record, error)).trouble is error


def test_a_schema_after_one_change() -> None:
    assert with_change(BEFORE, "id").names == ("city", "amount")
    assert with_change(BEFORE, Retyped("id", "long", "string"))["id"].type == "string"
