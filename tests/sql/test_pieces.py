"""Expressions as pieces: what a literal holds is text, whatever it looks like."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from everview.algebra.relations import Project
from everview.algebra.scalars import Opaque, Ref, integer
from everview.sql.bind.pieces import Holes
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query
from everview.sql.read.refuse import Refuse
from tests.sql.schemas import SOURCES

# Marks of the first places, and characters near them.
MARKED = "".join(chr(code) for code in range(0xE000, 0xE008))


def pieces(sql: str) -> tuple[object, ...]:
    found = bind(parse_query(sql), SOURCES)
    assert isinstance(found, Lowered), found
    assert isinstance(found.rel, Project)
    scalar = found.rel.outputs[0][1]
    assert isinstance(scalar, Opaque), scalar
    return scalar.pieces


@settings(deadline=None)
@given(st.text(alphabet=MARKED + "0123456789{}ab", max_size=12))
@example("\ue0000\ue001")
@example("\ue0005\ue001")
@example("\ue0000\ue000")
@example("{source0}")
def test_a_literal_stays_as_it_is(text: str) -> None:
    found = pieces(f"SELECT concat(a, '{text}', b) AS x FROM t")
    refs = [p for p in found if isinstance(p, Ref)]
    assert found == ("CONCAT(", refs[0], f", '{text}', ", refs[1], ")")
    assert len(refs) == 2


@settings(deadline=None)
@given(st.text(alphabet=MARKED + "01ab", min_size=1, max_size=8))
def test_a_field_keeps_its_name(name: str) -> None:
    found = pieces(f"SELECT named_struct('{name}', a).`{name}` AS x FROM t")
    assert "".join(p for p in found if isinstance(p, str)).count(name) == 2


def test_a_part_that_the_printer_drops_is_refused() -> None:
    holes = Holes()
    holes.keep(integer(1))
    with pytest.raises(Refuse):
        holes.pieces(exp.Literal.string("without it"))


def test_a_negated_part_is_printed() -> None:
    """The printer looks at the first letter of what it negates."""
    assert pieces("SELECT -a AS x FROM t")[0] == "-"


def test_parts_come_in_the_order_in_which_they_are_printed() -> None:
    holes = Holes()
    first, second = holes.keep(integer(1)), holes.keep(integer(2))
    assert holes.pieces(exp.Sub(this=second, expression=first)) == (
        integer(2),
        " - ",
        integer(1),
    )
