"""How stored rows are replaced, and what is said of it."""

from __future__ import annotations

import pytest

from everview.errors import InvalidArgument
from everview.facts.merge_on_read import (
    PROPERTY,
    MarkingWish,
    Replacing,
    marking_wish,
    merge_on_read_of,
)
from everview.run.driver.way import way_to_replace

AUTO, NEVER = MarkingWish("auto"), MarkingWish("never", is_own=True)
MB = 1_000_000


def _never_asked() -> str:
    raise AssertionError("the table need not be asked")


def _forbidden() -> str:
    return "the table is append-only"


@pytest.mark.parametrize(
    ("size", "wish", "why_not", "way", "reason"),
    [
        (3 * MB, AUTO, _never_asked, "rewritten by the driver", "the files to rewrite have 3.0 MB"),
        (
            3 * MB,
            NEVER,
            _never_asked,
            "rewritten by the driver",
            "the files to rewrite have 3.0 MB",
        ),
        (90 * MB, AUTO, lambda: "", "marked", "the files of these rows have 90.0 MB"),
        (20 * MB, AUTO, _forbidden, "rewritten by the driver", "the table is append-only"),
        (20 * MB, NEVER, _never_asked, "rewritten by the driver", "merge_on_read = never"),
        (
            90 * MB,
            MarkingWish("never"),
            _never_asked,
            "rewritten by Spark",
            "merge_on_read = never (setting), and the files to rewrite have 90.0 MB",
        ),
    ],
)
def test_size_and_wish_decide(size, wish, why_not, way, reason) -> None:  # type: ignore[no-untyped-def]
    assert way_to_replace(size, wish, why_not) == Replacing(way, reason)


def test_the_table_is_heard_before_the_setting() -> None:
    assert marking_wish({}, "never") == MarkingWish("never")
    assert marking_wish({PROPERTY: "auto"}, "never") == MarkingWish("auto", is_own=True)
    assert marking_wish({PROPERTY: "never"}, "auto") == MarkingWish("never", is_own=True)


def test_a_value_of_a_later_version_forbids_marks() -> None:
    assert marking_wish({PROPERTY: "on tuesdays"}, "auto").forbids


def test_a_value_is_named_whatever_its_case() -> None:
    assert merge_on_read_of(" NEVER ") == "never"
    with pytest.raises(InvalidArgument, match=r"'always'"):
        merge_on_read_of("always")
