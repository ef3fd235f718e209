"""The types of the columns of a view's plans, which are asked where rows are compared."""

from __future__ import annotations

from everview.facts.schema import Schema
from everview.facts.views import Layout, LayoutKind, ViewRecord
from everview.shape.column_types import column_types
from everview.shape.shape import Keyed
from tests.choose.shapes import shape

RECORD = ViewRecord(
    "SELECT", {}, Schema(()), (), Layout(LayoutKind.KEYED, (), Schema(())), "", "0.1.0"
)


def test_the_hidden_columns_of_stored_groups_have_types() -> None:
    found = shape("SELECT b, sum(a) AS s, avg(a) AS m FROM t GROUP BY b")
    assert isinstance(found, Keyed)
    stored = found.view.stored_columns
    hidden = [c for c in stored if c.name.startswith("__ev")]
    assert hidden
    types = column_types(found, RECORD, found.view.full())
    assert all(c.id in types for c in stored)
