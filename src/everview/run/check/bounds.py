"""Stored floats against recomputed ones: how far apart they may lie."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F

from everview.aggregates.keyed import AnyCall, KeyedView
from everview.algebra.calls import AggregateCall
from everview.algebra.fresh import Fresh
from everview.algebra.relations import Aggregate, Project, Rel
from everview.algebra.scalars import Call, Cast, ColumnId, Ref, Scalar
from everview.facts.refreshes import RefreshFacts
from everview.run.rows.frames import Frames
from everview.shape.loose import spread_of
from everview.sql.names import quoted
from everview.sql.write.door import write

BOUND = 1e-9  # of the sum of absolute values; of a variance, of twice the mean of squares


@dataclass(frozen=True, slots=True)
class _Test:
    """A stored value that must lie near a call over the rows of its group.

    A sum may be off by its share of the sum of absolute values. Of a variance, and of the square of
    a standard deviation, it is a share of the mean of squares; `power` says which it is.
    """

    held: ColumnId
    call: AnyCall
    arg: ColumnId
    size: str  # how the arguments make up the magnitude: "abs" or "square"
    power: int = 1


def beyond_bounds(
    frames: Frames, view: KeyedView, facts: RefreshFacts, most: int
) -> tuple[str, ...]:
    """The groups with a float further off than its bound."""
    tests = _tests(view)
    names = facts.stored.record.layout.stored.names
    fresh = _recomputed(view, tests)
    recomputed = frames.run(
        write(fresh, view.types, tuple(f"f{i}" for i, _ in enumerate(fresh.columns)))
    )
    rows = frames.stored(facts.stored.snapshot.files)
    place = {held.id: quoted(name) for name, (_, held) in zip(names, view.stored, strict=True)}
    condition = F.expr("TRUE")
    for i, key in enumerate(view.keys):
        condition = condition & F.col(place[key.id]).eqNullSafe(F.col(f"f{i}"))
    off = F.expr("FALSE")
    for i, test in enumerate(tests):
        value, magnitude = (F.col(f"f{len(view.keys) + 2 * i + j}") for j in (0, 1))
        ours = F.col(place[test.held])
        off = off | ~_within(_raised(ours, test.power), _raised(value, test.power), magnitude)
    found = rows.join(recomputed, condition).where(off).limit(max(1, most)).collect()
    return tuple(f"beyond the bound: {row.asDict()}" for row in found)


def _tests(view: KeyedView) -> list[_Test]:
    inexact = [k for k in view.areas if not k.area.exact]
    sums = [(k.stored[1].id, k.area.fields[1].call) for k in inexact]
    tests = [_Test(held, call, call.args[0], "abs") for held, call in sums]
    for column, call in view.recomputed:
        spread = spread_of(call)
        if spread is not None:
            tests.append(_Test(column.id, call, spread.arg, "square", spread.power))
    return tests


def _within(ours: Column, theirs: Column, magnitude: Column) -> Column:
    near = F.abs(ours - theirs) <= F.lit(BOUND) * magnitude
    return ours.eqNullSafe(theirs) | F.coalesce(near, F.expr("FALSE"))


def _raised(value: Column, power: int) -> Column:
    return value * value if power == 2 else value


def _recomputed(view: KeyedView, tests: list[_Test]) -> Rel:
    """Per group: its keys, then for each test the value and the magnitude of its bound."""
    fresh = Fresh(view.highest_id())
    own = {*(k.id for k in view.keys), *(t.arg for t in tests)}
    kept = [(c, Ref(c.id)) for c in view.input.columns if c.id in own]
    sizes = [(fresh.column("size"), _size(test)) for test in tests]
    calls = (
        (fresh.column(name), call)
        for test, (size, _) in zip(tests, sizes, strict=True)
        for name, call in (("value", test.call), ("magnitude", _magnitude(test, size.id)))
    )
    return Aggregate(Project(view.input, (*kept, *sizes)), view.keys, tuple(calls))


def _magnitude(test: _Test, size: ColumnId) -> AnyCall:
    return AggregateCall("sum" if test.size == "abs" else "avg", (size,))


def _size(test: _Test) -> Scalar:
    """What one argument adds to the magnitude."""
    number = Cast(Ref(test.arg), "double")
    if test.size == "abs":
        return Call("abs", (number,))
    two = Call("+", (number, number))
    return Call("*", (two, number))
