"""What would make a view incremental that is recomputed in full today."""

from __future__ import annotations

_READ_TIME = "leave it out of the view, and write it in the query that reads the view"
_OWN_VIEW = "make the inner query a materialized view of its own, and let this one read it"

# The words of a refusal, and what helps; the first that fits is said.
_ADVICE: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("(DISTINCT ...)",),
        "group by that column too in a view of its own, and count its rows in a view over it",
    ),
    (("UNION without ALL",), "write UNION ALL if the sides share no rows, else GROUP BY over it"),
    (("DISTINCT",), "write SELECT a, b ... GROUP BY a, b, which gives the same rows"),
    (("LIMIT", "OFFSET", "HAVING"), _READ_TIME),
    (("has another value at every refresh", "is not deterministic"), _READ_TIME),
    (("window function",), _READ_TIME),
    (("GROUP BY that is not the outermost",), _OWN_VIEW),
    (
        ("EXISTS or IN", "NOT EXISTS or NOT IN"),
        "write it as a JOIN with the subquery, if a row matches at most one of its rows",
    ),
    (
        ("LEFT JOIN", "RIGHT JOIN", "FULL JOIN"),
        "write an inner JOIN, which gives the same rows where every row has a partner",
    ),
    (("ROLLUP", "CUBE", "GROUPING SETS"), "make one materialized view per grouping"),
    (("VARIANT", "MAP"), "extract what you need of it into columns of plain types"),
    (("star",), "name the columns"),
)


def advice(reason: str) -> str:
    """What to change in the view's text; "" where nothing is known to help."""
    return next((said for words, said in _ADVICE if any(w in reason for w in words)), "")
