"""Few files know every operator, and CONTRIBUTING.md names them."""

from __future__ import annotations

import ast
import re
from typing import get_args

from everview.algebra.relations import Rel
from tests.architecture.tree import ROOT, SOURCES, files

OPERATORS = frozenset(operator.__name__ for operator in get_args(Rel))
# Where each operator must have its place, so that mypy names it to who adds one.
CLOSED = {
    "algebra/relations.py",
    "algebra/meaning/plans.py",
    "algebra/notation/operators.py",
    "delta/propagate.py",
    "sql/write/writer.py",
}


def _names(text: str) -> set[str]:
    """The names that a file uses or defines; not those in its texts."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Name(name) | ast.ClassDef(name):
                found.add(name)
            case ast.ImportFrom():
                found |= {alias.name for alias in node.names}
            case _:
                pass
    return found


def _naming(operators: frozenset[str]) -> set[str]:
    """The files, below src/everview, that name all of these operators."""
    found = (p for p in files(".py", SOURCES) if operators <= _names(p.read_text()))
    return {p.relative_to(SOURCES / "everview").as_posix() for p in found}


def _section() -> str:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return text.split("## Adding an operator")[1].split("\n## ")[0]


def test_every_operator_is_known_in_few_places_only() -> None:
    assert _naming(OPERATORS) == CLOSED


def test_the_guide_names_every_place_of_an_operator() -> None:
    """By an operator that is treated specially nowhere but where it must be."""
    places = _naming(frozenset({"Unpivot"}))
    said = set(re.findall(r"`([\w/]+\.py)`", _section()))
    assert places <= said, f"not named: {sorted(places - said)}"
    assert f"all {len(places)} in which `Unpivot` stands" in " ".join(_section().split())
