"""Merging projections keeps names, columns and rows."""

from __future__ import annotations

from everview.algebra.relations import Project, Rel
from everview.facts.schema import Field, Schema
from everview.rewrite.project_merge import project_merge
from everview.rewrite.rules import rewrite
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query
from tests.plan_text import plan_text

TABLES = {"t": Schema((Field("a", "long"), Field("b", "long")))}


def bound(sql: str) -> Rel:
    found = bind(parse_query(sql), TABLES)
    assert isinstance(found, Lowered)
    return found.rel


def test_a_list_of_columns_leaves_one_projection() -> None:
    nested = bound("SELECT * FROM (SELECT b, count(*) FROM t GROUP BY b) AS v(x, n)")
    merged = rewrite(nested, (project_merge,))
    assert isinstance(merged, Project)
    assert [c.name for c in merged.columns] == ["x", "n"]
    assert plan_text(merged).count("project") == plan_text(nested).count("project") - 2
    assert "aggregate" in plan_text(merged)


def test_values_are_put_where_they_are_used() -> None:
    merged = rewrite(bound("SELECT y, y AS z FROM (SELECT a + b AS y FROM t)"), (project_merge,))
    assert isinstance(merged, Project)
    first, second = (scalar for _, scalar in merged.outputs)
    assert first == second
    assert plan_text(merged).count("project") == 1
