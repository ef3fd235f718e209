"""What the binder understands, and what it refuses, with the reason and the place."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from sqlglot import exp

from everview.algebra.relations import Project, Scan, UnionAll
from everview.algebra.scalars import Opaque
from everview.algebra.walk import walk_plan
from everview.errors import Place
from everview.shape.maintained import PER_QUERY, unmaintained
from everview.sql.bind.query import (
    _SELECT_CLAUSES,
    _SET_CLAUSES,
    _SUBQUERY_CLAUSES,
    Lowered,
    NotLowered,
    bind,
)
from everview.sql.bind.scalar import bind_call, bind_scalar
from everview.sql.read.known_nodes import CALL_PARTS, VERBATIM
from everview.sql.read.parse import Parsed, parse_query
from everview.sql.read.refuse import Refuse
from tests.pairs import pairs
from tests.plan_text import plan_text
from tests.sql.schemas import SOURCES

HERE = Path(__file__).parent


def bound(sql: str) -> Project | UnionAll:
    found = bind(parse_query(sql), SOURCES)
    assert isinstance(found, Lowered), found
    return found.rel


@pytest.mark.parametrize(("sql", "plan"), pairs(HERE / "bind.txt"))
def test_a_construct_is_understood(sql: str, plan: str) -> None:
    found = "\n".join(line.rstrip() for line in plan_text(bound(sql)).splitlines())
    assert found == plan


@pytest.mark.parametrize(("sql", "refusal"), pairs(HERE / "refusals.txt"))
def test_a_construct_is_refused(sql: str, refusal: str) -> None:
    found = bind(parse_query(sql), SOURCES)
    assert isinstance(found, NotLowered)
    assert said(found.reason, found.place) == refusal


@pytest.mark.parametrize(("sql", "reason"), pairs(HERE / "unmaintained.txt"))
def test_a_construct_is_understood_but_recomputed(sql: str, reason: str) -> None:
    found = bind(parse_query(sql), SOURCES)
    assert isinstance(found, Lowered)
    why = unmaintained(found.rel)
    assert why is not None
    assert said(why.reason, found.place(why.operator, why.function)) == reason


def said(reason: str, place: Place | None) -> str:
    """A reason with the place it is given for, and what stands there."""
    if place is None:
        return f"nowhere: {reason}"
    marked = place.source_line[place.column - 1 :][: place.length]
    return f"{place.line}:{place.column} {marked}: {reason}"


def test_every_column_of_a_plan_has_an_id_of_its_own() -> None:
    plan = bound("SELECT x.a, y.b FROM t x, t y, (SELECT a FROM t UNION ALL SELECT a FROM t)")
    scans = [c.id for r in walk_plan(plan) if isinstance(r, Scan) for c in r.columns]
    assert len(scans) == len(set(scans)) == 8


def test_case_matters_where_the_session_says_so() -> None:
    parsed = parse_query("SELECT A FROM t")
    assert isinstance(bind(parsed, SOURCES, case_sensitive=True), NotLowered)
    assert not isinstance(bind(parsed, SOURCES), NotLowered)


def test_the_functions_of_a_text_are_known() -> None:
    plan = bound("SELECT concat(upper(b), substring(b, 1, 2)) AS x FROM t")
    ((_, scalar),) = plan.outputs
    assert isinstance(scalar, Opaque)
    assert scalar.functions == {"concat", "upper", "substring"}


# Nothing passes unknown


def _all_nodes() -> list[type[exp.Expr]]:
    """Every class of sqlglot's tree that can be made."""
    return sorted(
        {c for _, c in inspect.getmembers(exp, inspect.isclass) if _is_node(c)},
        key=lambda c: c.__name__,
    )


def _is_node(some: type) -> bool:
    """A class the parser makes nodes of; the others are what some of them have in common."""
    return issubclass(some, exp.Expression) and some is not exp.Expression


UNKNOWN = [c for c in _all_nodes() if c not in VERBATIM]


def test_there_are_nodes_to_refuse() -> None:
    assert len(UNKNOWN) > 500


@pytest.mark.parametrize("inside", [False, True], ids=["alone", "inside a call"])
def test_a_node_that_is_not_named_is_refused(inside: bool) -> None:
    """By construction: of all classes, only those in VERBATIM may become part of a scalar."""
    passed = []
    for kind in UNKNOWN:
        node = kind()
        if inside:
            node = exp.Anonymous(this="f", expressions=[node])
        try:
            bind_scalar(node, lambda _: None)
        except Refuse:
            continue
        passed.append(kind.__name__)
    assert not passed, f"passed through unknown: {passed}"


def test_nor_as_a_part_of_an_aggregate_call() -> None:
    passed = []
    for kind in UNKNOWN:
        if kind in CALL_PARTS:
            continue
        try:
            bind_call(exp.Anonymous(this="max", expressions=[kind()]), lambda _: None)
        except Refuse:
            continue
        passed.append(kind.__name__)
    assert not passed, f"passed through unknown: {passed}"


def _queries() -> list[type[exp.Expr]]:
    return [c for c in _all_nodes() if c not in (exp.Select, exp.Subquery, exp.Table, exp.Values)]


def test_nor_as_a_query_or_in_from() -> None:
    """Whatever stands where a relation is wanted, and is none that is named, is refused."""
    passed = []
    for kind in _queries():
        if issubclass(kind, exp.SetOperation):
            continue
        for tree in (kind(), exp.Select(expressions=[exp.Star()], from_=exp.From(this=kind()))):
            if not isinstance(bind(Parsed("", tree), SOURCES), NotLowered):
                passed.append(kind.__name__)
    assert not passed, f"passed through unknown: {passed}"


@pytest.mark.parametrize("query", [exp.Select, exp.Union, exp.Subquery])
def test_nor_as_a_clause(query: type[exp.Expr]) -> None:
    """A clause that some dialect of the parser knows and the binder does not."""
    parsed = parse_query("SELECT a FROM t UNION SELECT a FROM u")
    trees = {
        exp.Select: parsed.tree.this,
        exp.Union: parsed.tree,
        exp.Subquery: exp.Subquery(this=parsed.tree.this.copy()),
    }
    unknown = set(query.arg_types) - _SELECT_CLAUSES - _SET_CLAUSES - _SUBQUERY_CLAUSES
    assert unknown
    for clause in unknown:
        tree = trees[query].copy()
        tree.set(clause, exp.Var(this="x"))
        found = bind(Parsed(parsed.text, tree), SOURCES)
        assert isinstance(found, NotLowered), clause


@pytest.mark.parametrize("name", sorted(PER_QUERY))
def test_a_value_of_the_query_is_recomputed_by_name(name: str) -> None:
    plan = bound(f"SELECT a, coalesce({name}(), a) AS x FROM t")
    why = unmaintained(plan)
    assert why is not None
    assert "another value at every refresh" in why.reason
