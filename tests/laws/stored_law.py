"""The law of changes that ask the stored view: a definition with outer joins whose own rows before
the changes tell which rows had partners.
"""

from __future__ import annotations

from random import Random

from everview.algebra.meaning.plans import State
from everview.algebra.relations import At, Filter, Join, Project, Rel, Scan
from everview.algebra.scalars import Column, Compare, Ref, Scalar
from everview.algebra.walk import tables, walk_plan
from everview.delta.context import Known
from everview.delta.propagate import delta
from everview.delta.stored_rows import StoredRows
from everview.optimize.passes import When, improved
from everview.rewrite.marked_joins import MarkedJoins, marked_joins, of_marks
from tests.laws.evaluate import Evaluator
from tests.laws.generate import only_of
from tests.laws.key_law import TYPES
from tests.laws.law import Seen
from tests.laws.tables import random_tables
from tests.laws.trees import Trees

STORED = "stored"
KINDS = {
    "left": 4, "right": 4, "full": 6, "inner": 2, "cross": 0.5, "semi": 1, "anti": 1, "mark": 0.5,
}  # fmt: skip
KEPT = {"left": "A", "right": "B", "full": "AB"}  # the sides that keep rows without partner
ABOVE = ("inner", "cross", "left", "right", "full", "semi", "anti")


class OuterTrees(Trees):
    """Outer joins over tables or small trees, below further joins, projections and filters."""

    def definition(self) -> Rel:
        rel = self._side()
        for _ in range(self.rng.choice((1, 1, 2, 2, 3))):
            rel = self._tried(lambda below=rel: self._joined(below), rel)
            if self.rng.random() < 0.35:
                rel = self._tried(lambda below=rel: self._over(below), rel)
        return rel

    def _side(self) -> Rel:
        return self.tree(self.rng.choice((0, 0, 0, 0, 1, 2)))

    def _between(self, left: Rel, right: Rel) -> Scalar:
        """Also so that rows with NULLs meet."""
        if self.rng.random() < 0.25:
            x, y = self.scalars.number(left.columns), self.scalars.number(right.columns)
            return Compare("<=>", x, y)
        return super()._between(left, right)

    def _joined(self, rel: Rel) -> Rel:
        kind = self.rng.choices(list(KINDS), list(KINDS.values()))[0]
        left, right = rel, self._side()
        if self.rng.random() < 0.3:
            left, right = right, left
        if kind == "cross":
            return Join("cross", left, right)
        mark = self._column("truth") if kind == "mark" else None
        return Join(kind, left, right, self._between(left, right), mark=mark)

    def _over(self, rel: Rel) -> Rel:
        return self.rng.choice((self._filter, self._project, self._project))(rel)


def check_stored(seed: int, seen: Seen) -> None:
    """rows(stored) + rows(delta that reads stored rows) == rows(q at NEW), hidden values included,
    also through the passes that improve both.
    """
    rng = Random(seed)
    for _ in range(4):
        state, changed = random_tables(rng)
        trees = OuterTrees(rng, state)
        rel = trees.definition()
        types = {c: TYPES[kind] for c, kind in trees.scalars.kinds.items()}
        joins = marked_joins(rel, types)
        if joins is not None and trees.known.difference(rel) and tables(rel) & changed:
            break
    seen.met("stored cases")
    _check_example(seed)
    if joins is None:
        return
    _check_marked(rel, joins, state)
    some = tuple(m for m in joins.marks if rng.random() < 0.8) or joins.marks
    joins = of_marks(joins, some, len(rel.columns))
    _check_changes(joins, state, changed, (rng, seen))
    _check_reads(joins, seen)
    _count_plan(joins, seen)


def _check_example(seed: int) -> None:
    """Rare cases: rows of NULLs that meet, beside rows that have neither side; and a join above
    whose other side changes with the table that is tested.
    """
    r, s, u = (Scan(name, At.NEW, (Column(i, name),)) for i, name in enumerate("rsu", 1))
    full = Join("full", r, s, Compare("<=>", Ref(1), Ref(2)))
    left = Join("left", s, r, Compare("=", Ref(2), Ref(1)))
    same = Compare("=", Ref(2), Ref(3))
    null, one, seven, none = ((None,),), ((1,),), ((7,),), ()
    examples = (
        (Join("full", full, u, same), (null, null + null), (null, null), (seven, seven)),
        (Join("full", full, u, same), (null, seven), (null, null), (one, one)),
        (Join("inner", left, u, same), (none, one), (one, one), (none, one)),
        (Join("inner", u, left, same), (none, one), (one, one), (none, one)),
        (Join("inner", left, u, same), (none, one), (one, one), (one, one)),
        (Join("inner", u, left, same), (none, one), (one, one), (one, one)),
        (Join("left", left, u, same), (one + one, one), (one, one), (one, one + one)),
        (Join("right", u, left, same), (one + one, one), (one, one), (one, one + one)),
        (Join("full", left, u, same), (one, one), (none, one), (none, one)),
    )
    rel, *held = examples[seed % len(examples)]
    tables_, changes = {}, {}
    for name, (old, new) in zip("rsu", held, strict=True):
        tables_[name, At.OLD], tables_[name, At.NEW] = old, new
        changes[name] = (*((row, -1) for row in old), *((row, 1) for row in new))
    changed = frozenset(name for name, (old, new) in zip("rsu", held, strict=True) if old != new)
    joins = marked_joins(rel, dict.fromkeys((1, 2, 3), "long"))
    assert joins is not None
    state = _with_stored(joins, State(tables_, changes))
    told = Known(rows={"r": 1}, stored=StoredRows(STORED, joins, joins.rel, cut=False))
    plan = delta(joins.rel, changed, told)
    assert plan is not None
    assert Evaluator(state).rows(plan) == Evaluator(state).difference(joins.rel), f"{rel}"
    if "u" not in changed:
        assert "r" not in [leaf.table for leaf in walk_plan(plan) if isinstance(leaf, Scan)]


def _with_stored(joins: MarkedJoins, state: State) -> State:
    """The state with the rows of the view before the changes."""
    known = Evaluator(state)
    rows = tuple(known.rows(known.at(joins.rel, At.OLD)).elements())
    return State({**state.tables, (STORED, At.OLD): rows}, state.changes)


def _check_marked(rel: Rel, joins: MarkedJoins, state: State) -> None:
    """The definition's own columns are as before, and a mark names the tables of its sides."""
    for join in (r for r in walk_plan(joins.rel) if isinstance(r, Join)):
        for own, other in ((join.left, join.right), (join.right, join.left)):
            for mark in joins.marks:
                if mark.own in own.columns and mark.partner in other.columns:
                    assert (mark.of, mark.tested) == (tables(own), tables(other))
    known = Evaluator(state)
    shown = Project(joins.rel.input, joins.rel.outputs[: len(rel.columns)])
    assert shown.columns == rel.columns
    for snapshot in At:
        plans = (known.at(some, snapshot) for some in (shown, rel))
        assert len({frozenset(known.rows(p).items()) for p in plans}) == 1, f"{rel} {state}"


def _check_changes(
    joins: MarkedJoins, state: State, changed: frozenset[str], case: tuple[Random, Seen]
) -> None:
    rng, seen = case
    state = _with_stored(joins, state)
    known = Evaluator(state)
    expected = known.difference(joins.rel)
    sizes = {name: rng.randint(0, 3) for name in sorted(tables(joins.rel))}
    better = improved(When.BEFORE, joins.rel).plan
    for definition in (joins.rel, better):
        for only in ({}, only_of(state, changed)):
            stored = StoredRows(STORED, joins, definition, cut=rng.random() < 0.5)
            told = Known(only, rows=sizes, stored=stored)
            changes = delta(definition, changed, told)
            if changes is None:
                assert not expected
                continue
            assert known.rows(changes) == expected, f"\n{changes}\n{state}"
            finished = improved(When.CHANGES, changes).plan
            assert known.rows(finished) == expected, f"\n{finished}\n{state}"
            _count_reads(changes, seen, told=bool(only))


def _check_reads(joins: MarkedJoins, seen: Seen) -> None:
    """Of a large table in outer joins all of which are marked nothing is read but its changes."""
    operators = list(walk_plan(joins.rel))
    scans = [r.table for r in operators if isinstance(r, Scan)]
    sides = sum(len(KEPT.get(r.kind, "")) for r in operators if isinstance(r, Join))
    others = [r for r in operators if not isinstance(r, Scan | Project | Join)]
    outer = all(r.kind in KEPT for r in operators if isinstance(r, Join))
    if others or not outer or sides > len(joins.marks):
        return
    for table in (t for t in scans if scans.count(t) == 1):
        stored = StoredRows(STORED, joins, joins.rel)
        plan = delta(joins.rel, frozenset({table}), Known(rows={table: 1}, stored=stored))
        read = [r.table for r in walk_plan(plan) if isinstance(r, Scan)] if plan else []
        assert table not in read, f"{table} is read in {plan}"
        seen.met("stored: a large table is not read", when=STORED in read)


def _count_reads(changes: Rel, seen: Seen, *, told: bool) -> None:
    """How often stored rows were asked which had no partner, and which are left."""
    asked = False
    for operator in walk_plan(changes):
        if not isinstance(operator, Join) or operator.kind not in ("semi", "anti"):
            continue
        reads = STORED in tables(operator.right) and STORED not in tables(operator.left)
        asked |= reads
        seen.met(f"stored: {operator.kind} join", when=reads)
    seen.met("stored: asked", when=asked)
    seen.met("stored: asked of one sign", when=asked and told)


def _count_plan(joins: MarkedJoins, seen: Seen) -> None:
    """What stands above an outer join whose rows tell partners."""
    own = {m.own.id for m in joins.marks} | {m.partner.id for m in joins.marks}
    for operator in walk_plan(joins.rel):
        below = {c.id for i in operator.inputs for c in i.columns}
        if not own & below:
            continue
        if isinstance(operator, Join) and operator.kind in ABOVE:
            seen.met(f"above: {operator.kind}")
        elif isinstance(operator, Filter):
            seen.met("above: filter")
    seen.met("several marks", when=len(joins.marks) > 2)
    seen.met("tables that must not change", when=any(m.unchanged for m in joins.marks))
