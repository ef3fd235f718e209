"""Each rewrite, before and after; that it keeps the meaning is tested by the laws."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from everview.algebra.joins import JoinKind
from everview.algebra.relations import At, Changes, Filter, Join, Net, Rel, Scan, UnionAll
from everview.algebra.scalars import TRUE, And, Column, Compare, IsNull, Ref
from everview.rewrite import rules
from everview.rewrite.filter_join_merge import filter_join_merge
from everview.rewrite.filter_union_transpose import filter_union_transpose
from everview.rewrite.join_filter_transpose import join_filter_transpose
from everview.rewrite.join_order import join_order
from everview.rewrite.join_project_transpose import join_project_transpose
from everview.rewrite.net_sources import net_sources
from everview.rewrite.rules import rewrite
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query
from tests.improve import changes_of, ordered_terms
from tests.pairs import pairs
from tests.plan_text import plan_text
from tests.sql.schemas import SOURCES


def changes_plan(text: str) -> str:
    sql, names = text.rsplit("\n", 1)
    changed = frozenset(names.split())
    found = bind(parse_query(sql), SOURCES)
    assert isinstance(found, Lowered)
    changes = changes_of(found.rel, changed)
    assert changes is not None
    return plan_text(ordered_terms(changes))


@pytest.mark.parametrize(("query", "plan"), pairs(Path(__file__).parent / "rewrite.txt"))
def test_changes_are_computed_so(query: str, plan: str) -> None:
    assert changes_plan(query) == plan


T = Scan("t", At.NEW, (Column(1, "a"),))
U = Scan("u", At.NEW, (Column(2, "a"),))


@pytest.mark.parametrize(
    "rule",
    [
        filter_join_merge,
        filter_union_transpose,
        join_filter_transpose,
        join_project_transpose,
        join_order,
    ],
)
@pytest.mark.parametrize(
    "rel",
    [
        T,
        Join("cross", T, U),
        Join("semi", Filter(T, IsNull(Ref(1))), U, TRUE),
        Filter(Join("anti", T, U, TRUE), IsNull(Ref(1))),
        Filter(UnionAll((T,), (Column(3, "x"),)), IsNull(Ref(3))),
        Join("cross", UnionAll((T,), (Column(3, "x"),)), U),
    ],
)
def test_what_a_rule_does_not_fit_stays(rule: rules.Rule, rel: Join) -> None:
    assert rule(rel) == rel


def test_a_condition_that_reads_one_table_filters_it() -> None:
    same, is_null = Compare("=", Ref(1), Ref(2)), IsNull(Ref(2))
    changes = Changes("t", T.columns)
    ordered = Join("inner", changes, Filter(U, is_null), same, broadcast="left")
    assert join_order(Join("inner", changes, U, And((same, is_null)))) == ordered


@pytest.mark.parametrize("kind", ["inner", "cross"])
def test_a_filter_of_either_side_is_pulled_above_a_join(kind: JoinKind) -> None:
    condition = None if kind == "cross" else Compare("=", Ref(1), Ref(2))
    joined = Join(kind, T, U, condition)
    of_left, of_right = IsNull(Ref(1)), IsNull(Ref(2))
    assert join_filter_transpose(replace(joined, left=Filter(T, of_left))) == Filter(
        joined, of_left
    )
    assert join_filter_transpose(replace(joined, right=Filter(U, of_right))) == Filter(
        joined, of_right
    )


def test_the_changes_of_every_source_are_netted() -> None:
    term = Join("cross", Changes("t", T.columns), U)
    assert net_sources(term) == Join("cross", Net(Changes("t", T.columns)), U)


def test_a_rule_that_never_ends_is_noticed() -> None:
    def turn(rel: Rel) -> Rel:
        return replace(rel, table="u" if rel.table == "t" else "t")

    with pytest.raises(AssertionError, match="does not end"):
        rewrite(T, (turn,))
