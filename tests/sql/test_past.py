"""Earlier versions in the text of a query."""

from __future__ import annotations

import pytest

from everview.errors import SqlNotAllowed
from everview.sql.read.parse import parse_query
from everview.sql.read.past import Past, Source, past_sources, with_sources

THREE = Past("VERSION", "3")


@pytest.mark.parametrize(
    ("sql", "sources", "text"),
    [
        ("SELECT * FROM T", [Source("t")], "SELECT * FROM {s0} AS `T`"),
        ("SELECT * FROM t VERSION AS OF 3", [Source("t", THREE)], "SELECT * FROM {s0} AS `t`"),
        (
            "SELECT * FROM a.t FOR VERSION AS OF '3' x, t",
            [Source("a.t", THREE), Source("t")],
            "SELECT * FROM {s0} x, {s1} AS `t`",
        ),
        (
            "SELECT * FROM t VERSION AS OF 3 TABLESAMPLE (1 ROWS) x, t VERSION /* OF */ AS OF 3",
            [Source("t", THREE)],
            "SELECT * FROM {s0} TABLESAMPLE (1 ROWS) x, {s0} AS `t`",
        ),
        (
            "SELECT * FROM t TIMESTAMP AS OF '2024-01-31' WHERE '{' < a",
            [Source("t", Past("TIMESTAMP", "2024-01-31"))],
            "SELECT * FROM {s0} AS `t` WHERE '{{' < a",
        ),
        (
            "SELECT * FROM t FOR SYSTEM_TIME AS OF TIMESTAMP '2024-01-31' AS x",
            [Source("t", Past("TIMESTAMP", "2024-01-31"))],
            "SELECT * FROM {s0} AS x",
        ),
        ("SELECT version FROM t version", [Source("t")], "SELECT version FROM {s0} version"),
    ],
)
def test_versions_are_part_of_what_is_read(sql: str, sources: list[Source], text: str) -> None:
    parsed = parse_query(sql)
    found = past_sources(parsed)
    assert list(found) == sources
    assert with_sources(parsed, {s: f"s{i}" for i, s in enumerate(found)}) == text


@pytest.mark.parametrize(
    "version",
    ["VERSION AS OF 1 + 1", "VERSION AS OF 'x'", "VERSION AS OF 1.5", "TIMESTAMP AS OF now()"],
)
def test_a_version_is_written_out(version: str) -> None:
    with pytest.raises(SqlNotAllowed, match="not written out") as raised:
        past_sources(parse_query(f"SELECT *\nFROM t {version}"))
    assert raised.value.where is not None
    assert "line 2, column 6" in str(raised.value.where)
