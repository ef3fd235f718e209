"""The choice how stored rows are replaced: marked, or their files rewritten, and by whom."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pyarrow as pa

from everview.choose.cost import MOST_REWRITTEN
from everview.facts.merge_on_read import MarkingWish, Replacing
from everview.facts.wording import size_text

_T = TypeVar("_T")

# Where rows may not be marked, the driver writes files anew up to this size: beyond it Spark does
# so in parallel, and keeps the rows in files of key ranges.
MOST_REWRITTEN_UNMARKED = 32_000_000  # bytes


def way_to_replace(
    touched_bytes: int, wish: MarkingWish, why_not_mark: Callable[[], str]
) -> Replacing:
    """How to replace rows that lie in files of so many bytes. The table is asked why it forbids
    marks only where that matters.
    """
    size = size_text(touched_bytes)
    if touched_bytes <= MOST_REWRITTEN:
        return Replacing("rewritten by the driver", f"the files to rewrite have {size}")
    why = str(wish) if wish.forbids else why_not_mark()
    if not why:
        return Replacing("marked", f"the files of these rows have {size}")
    if touched_bytes <= MOST_REWRITTEN_UNMARKED:
        return Replacing("rewritten by the driver", why)
    return Replacing("rewritten by Spark", f"{why}, and the files to rewrite have {size}")


def or_spark(find: Callable[[], _T | Replacing]) -> _T | Replacing:
    """What is found, or that Spark must do it because a value is one that only Spark holds: a
    moment beyond the year 9999, say.
    """
    try:
        return find()
    except (pa.ArrowException, ValueError, ArithmeticError):
        return left_to_spark("a value is one that only Spark holds")


def left_to_spark(reason: str) -> Replacing:
    return Replacing("rewritten by Spark", reason)
