"""What would make a view incremental that is recomputed in full today."""

from __future__ import annotations

_READ_TIME = "leave it out of the view, and write it in the query that reads the view"
_OWN_VIEW = "make the inner query a materialized view of its own, and let this one read it"

# The words of a refusal, and what helps; the first that fits is said.
_ADVICE: tuple[tuple[tuple[str, ...], str], ...] = (
    (("has a LIMIT",), "let it read what the other view reads, or a view without LIMIT"),
    (("LIMIT", "OFFSET"), _READ_TIME),
    (("has another value at every refresh", "is not deterministic"), _READ_TIME),
    (("window without PARTITION BY",), _READ_TIME),
    (("need not come out the same", "operators"), _OWN_VIEW),
    (("VARIANT", "MAP"), "extract what you need of it into columns of plain types"),
    (("star",), "name the columns"),
)


def advice(reason: str) -> str:
    """What to change in the view's text; "" where nothing is known to help."""
    return next((said for words, said in _ADVICE if any(w in reason for w in words)), "")
