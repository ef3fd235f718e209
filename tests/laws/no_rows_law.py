"""The law of changes without rows: a plan that the bounds of its files leave no row has none."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import get_args

from everview.algebra.meaning.plans import State
from everview.algebra.relations import Changes, Filter, Net, Rel, Scan
from everview.algebra.scalars import (
    And,
    Compare,
    Comparison,
    IsNull,
    Not,
    Or,
    Ref,
    Scalar,
    integer,
)
from everview.algebra.walk import transformed, walk_plan
from everview.delta.propagate import delta
from everview.facts.files import ChangeFile, InlineFile, Sign
from everview.facts.schema import Field, Schema
from everview.facts.tables import TableChanges
from everview.optimize.no_rows import ChangesOf, has_no_rows
from everview.optimize.passes import When, improved
from tests.laws.evaluate import Evaluator
from tests.laws.law import Seen
from tests.laws.tables import TABLES
from tests.laws.tree_law import random_case

ARRAY = '{"type":"array","elementType":"long","containsNull":true}'
TYPES = {"number": "long", "array": ARRAY}


def check_no_rows(seed: int, seen: Seen) -> None:
    """rows(delta(q)) is empty wherever the files, one for each line, are said to exclude rows."""
    rng = Random(seed)
    rel, state, changed = random_case(seed)
    changes = delta(improved(When.BEFORE, _tested(rel, rng)).plan, changed)
    if changes is None:
        return
    files = changes_in(state)
    for plan in walk_plan(Net(changes)):  # more plans for the same case
        if has_no_rows(plan, files):
            kind = type(plan).__name__
            seen.met(f"no rows: {kind}")
            assert not Evaluator(state).rows(plan), f"case {seed}: {kind} has rows:\n{plan}"
        elif any(isinstance(leaf, Changes) for leaf in walk_plan(plan)):
            seen.met("rows may be left")


def changes_in(state: State) -> ChangesOf:
    """The changes of the tables, each line a file of its own."""

    def of(table: str) -> TableChanges:
        names = tuple(f"{table}{i}" for i in range(len(TABLES[table])))
        fields = (Field(n, TYPES[kind]) for n, kind in zip(names, TABLES[table], strict=True))
        files = tuple(
            ChangeFile(InlineFile("", names, (row,)), Sign.PLUS if weight > 0 else Sign.MINUS)
            for row, weight in state.changes[table]
        )
        return TableChanges("id", "uri", 1, 2, Schema(tuple(fields)), files)

    return of


def _tested(rel: Rel, rng: Random) -> Rel:
    """The tree with the columns of tables named as in the files, and most tables tested."""

    def tested(some: Rel) -> Rel:
        if not isinstance(some, Scan):
            return some
        columns = tuple(replace(c, name=f"{some.table}{i}") for i, c in enumerate(some.columns))
        scan = replace(some, columns=columns)
        return Filter(scan, _condition(scan, rng)) if rng.random() < 0.8 else scan

    return transformed(rel, tested)


def _condition(scan: Scan, rng: Random, depth: int = 2) -> Scalar:
    drawn = rng.random()
    if depth and drawn < 0.35:
        parts = tuple(_condition(scan, rng, depth - 1) for _ in range(2))
        return And(parts) if drawn < 0.2 else Or(parts)
    column = Ref(scan.columns[rng.randrange(2)].id)
    if drawn < 0.45:
        return IsNull(column) if rng.random() < 0.6 else Not(IsNull(column))
    op: Comparison = rng.choice(get_args(Comparison))
    value = integer(rng.choice((-1, 0, 1, 2, 3)))
    return Compare(op, column, value) if rng.random() < 0.7 else Compare(op, value, column)
