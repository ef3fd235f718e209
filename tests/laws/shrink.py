"""From a failing case to a small one: subtrees become tables, rows and lines are dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count

from everview.algebra.meaning.plans import Line, Row, State, bag
from everview.algebra.relations import At, Rel, Scan, Shared
from everview.algebra.walk import tables, walk_plan
from everview.delta.propagate import delta
from tests.laws.evaluate import Evaluator

ATTEMPTS = 400


@dataclass(frozen=True)
class Case:
    """A relation, and of each table it reads the rows at OLD and the changes, gross."""

    rel: Rel
    old: Mapping[str, tuple[Row, ...]]
    lines: Mapping[str, tuple[Line, ...]]
    changed: frozenset[str]

    def state(self) -> State:
        found: dict[tuple[str, At], tuple[Row, ...]] = {}
        for name, some in self.old.items():
            new = bag([*((row, 1) for row in some), *self.lines[name]])
            if any(n < 0 for n in new.values()):
                raise ValueError("a row is deleted that is not there")
            found[name, At.OLD], found[name, At.NEW] = some, tuple(new.elements())
        return State(found, self.lines)


def case_of(rel: Rel, state: State, changed: frozenset[str]) -> Case:
    names = sorted(tables(rel))
    old = {n: state.tables[n, At.OLD] for n in names}
    return Case(rel, old, {n: state.changes[n] for n in names}, changed)


def smallest(case: Case, fails: Callable[[Case], bool]) -> Case:
    """What is left when nothing more can be dropped, or after so many attempts."""
    left = ATTEMPTS
    while left > 0:
        for other in _smaller(case):
            left -= 1
            if _possible(other) and fails(other):
                case = other
                break
            if left <= 0:
                break
        else:
            break
    return case


def _possible(case: Case) -> bool:
    try:
        case.state()
    except ValueError:
        return False
    return True


def _smaller(case: Case) -> Iterator[Case]:
    yield from _cuts(case)
    for name in case.old:
        net = tuple(bag(case.lines[name]).items())
        if len(net) < len(case.lines[name]):
            yield replace(case, lines={**case.lines, name: net})
        for i in range(len(case.lines[name])):
            yield replace(case, lines={**case.lines, name: _without(case.lines[name], i)})
        for i in range(len(case.old[name])):
            yield replace(case, old={**case.old, name: _without(case.old[name], i)})


def _without(some: tuple, place: int) -> tuple:
    return some[:place] + some[place + 1 :]


def _cuts(case: Case) -> Iterator[Case]:
    """The case with one operator's rows and changes as a table of their own, the highest first."""
    known = Evaluator(case.state())
    uses = {id(i) for op in walk_plan(case.rel) if isinstance(op, Shared) for i in (op.input, op)}
    for operator in walk_plan(case.rel):
        if operator is case.rel or isinstance(operator, Scan) or id(operator) in uses:
            continue
        name = next(n for n in (f"cut{i}" for i in count(1)) if n not in case.old)
        changes = delta(operator, case.changed)
        rel = _replaced(case.rel, operator, Scan(name, At.NEW, operator.columns))
        old, _ = known.snapshots(operator)
        lines = {**case.lines, name: () if changes is None else known.lines(changes)}
        read = tables(rel)
        yield Case(
            rel,
            {n: r for n, r in {**case.old, name: tuple(old.elements())}.items() if n in read},
            {n: some for n, some in lines.items() if n in read},
            case.changed | ({name} if changes is not None else set()),
        )


def _replaced(rel: Rel, old: Rel, new: Rel) -> Rel:
    if rel is old:
        return new
    return rel.over(tuple(_replaced(i, old, new) for i in rel.inputs))
