"""What would make a view incremental that is recomputed in full today."""

from __future__ import annotations

from typing import assert_never

from everview.facts.refusals import RefusalKind

_READ_TIME = "leave it out of the view, and write it in the query that reads the view"
_OWN_VIEW = "make the inner query a materialized view of its own, and let this one read it"


def advice(kind: RefusalKind) -> str:
    """What to change in the view's text; "" where nothing is known to help."""
    match kind:
        case RefusalKind.CUT_SOURCE:
            return "let it read what the other view reads, or a view without LIMIT"
        case RefusalKind.CUT_OFF | RefusalKind.CHANGING | RefusalKind.ONE_WINDOW:
            return _READ_TIME
        case RefusalKind.NOT_REPEATING | RefusalKind.TOO_LARGE:
            return _OWN_VIEW
        case RefusalKind.TYPE:
            return "extract what you need of it into columns of plain types"
        case RefusalKind.STAR:
            return "name the columns"
        case RefusalKind.SPARK_ONLY:
            return "say it in another way at this place"
        case RefusalKind.FUNCTION:
            return "say what it computes with built-in functions"
        case RefusalKind.OUTSIDE:
            return "write its rows to a Delta table, and let the view read that"
        case RefusalKind.UNREAD | RefusalKind.SETTING | RefusalKind.MISREAD | RefusalKind.UNKNOWN:
            return ""
        case _:
            assert_never(kind)
