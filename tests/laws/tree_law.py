"""The law of row changes at every operator of a random tree, and the same changes told otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

from everview.algebra.meaning import Bag, State, bag, minus
from everview.algebra.relations import PlanError, Rel
from everview.algebra.walk import inputs, tables
from everview.delta.propagate import delta
from tests.laws.evaluate import Evaluator
from tests.laws.law import Seen
from tests.laws.met import count, kind_of
from tests.laws.shrink import Case, case_of, smallest
from tests.laws.tables import (
    backwards,
    batches,
    grosser,
    in_two,
    netted,
    one_by_one,
    random_tables,
)
from tests.laws.trees import Trees
from tests.plan_text import plan_text

DEPTHS = (1, 2, 2, 3, 3, 3, 4, 5)
NO_RULE = "no delta rule"


class Broken(AssertionError):
    """A rule whose changes are not the difference; `kind` names its operator."""

    def __init__(self, kind: str, case: Case, error: str) -> None:
        self.kind = kind
        self.case = case
        super().__init__(f"{kind}: {error}\n{_story(case)}")


def random_case(seed: int) -> tuple[Rel, State, frozenset[str]]:
    """A tree and a state; one that does not change is drawn again."""
    rng = Random(seed)
    for _ in range(3):
        state, changed = random_tables(rng)
        trees = Trees(rng, state)
        rel = trees.tree(rng.choice(DEPTHS))
        if trees.known.difference(rel):
            break
    return rel, state, changed


def check_tree(seed: int, seen: Seen) -> None:
    """Both laws below over one random case."""
    rel, state, changed = random_case(seed)
    check_rows(rel, state, changed, seen)
    check_told_otherwise(rel, state, changed, seen, Random(seed))
    read = tables(rel)
    seen.met("several tables changed", when=sum(bool(state.changes[t]) for t in read) > 1)
    seen.met("lines cancel", when=any(len(state.changes[t]) > len(bag(state.changes[t])) for t in read))
    seen.met("a table is empty", when=any(not state.tables[t, s] for t, s in state.tables if t in read))


def check_rows(rel: Rel, state: State, changed: frozenset[str], seen: Seen) -> None:
    """rows(delta(q)) == rows(q at NEW) - rows(q at OLD) for every q in the tree, inputs first.

    An operator without a rule is counted as missing, and what stands above it is not looked at.
    """
    known = Evaluator(state)
    missing: set[int] = set()
    for operator in bottom_up(rel):
        count(operator, known, seen)
        if any(id(i) in missing for i in inputs(operator)):
            missing.add(id(operator))
            continue
        try:
            error = wrong(operator, known, changed)
        except PlanError as problem:
            if NO_RULE not in str(problem):
                error = f"PlanError: {problem}"
            else:
                seen.met(f"missing: {kind_of(operator)}")
                missing.add(id(operator))
                continue
        if error:
            raise _broken(operator, state, changed)


def check_told_otherwise(
    rel: Rel, state: State, changed: frozenset[str], seen: Seen, rng: Random
) -> None:
    """The law where the changes come backwards, net, grosser, table by table, or in two batches."""
    expected = Evaluator(state).difference(rel)
    how = rng.choice(("backwards", "net", "grosser", "table by table", "in two batches"))
    match how:
        case "backwards":
            found = changes_of(rel, backwards(state), changed)
            expected = Counter({row: -n for row, n in expected.items()})
        case "net":
            found = changes_of(rel, netted(state), changed)
        case "grosser":
            found = changes_of(rel, grosser(rng, state, changed), changed)
        case _:
            some = one_by_one(rng, state) if how == "table by table" else in_two(rng, state)
            found = Counter()
            for now, these in batches(state, some):
                more = changes_of(rel, now, these)
                found = None if found is None or more is None else bag([*found.items(), *more.items()])
    if found is None:
        return
    seen.met(f"told: {how}")
    if found != expected:
        raise Broken(kind_of(rel), case_of(rel, state, changed), f"{how}: {_difference(found, expected)}")


def changes_of(rel: Rel, state: State, changed: frozenset[str]) -> Bag | None:
    """What the rule says; None if there is no rule."""
    try:
        changes = delta(rel, changed)
    except PlanError as problem:
        if NO_RULE in str(problem):
            return None
        raise
    return Counter() if changes is None else Evaluator(state).rows(changes)


def wrong(rel: Rel, known: Evaluator, changed: frozenset[str]) -> str:
    """What is wrong with the delta of a relation; nothing if it is right."""
    changes = delta(rel, changed)
    expected = known.difference(rel)
    if changes is None:
        return f"no changes, should be {dict(expected)}" if expected else ""
    if changes.columns != rel.columns:
        return f"columns {changes.columns}, should be {rel.columns}"
    if not changes.weighted:
        return "the changes have no weights"
    return _difference(known.rows(changes), expected)


def bottom_up(rel: Rel) -> Iterator[Rel]:
    """Every operator once, inputs first."""
    met: set[int] = set()

    def walk(some: Rel) -> Iterator[Rel]:
        if id(some) not in met:
            met.add(id(some))
            for below in inputs(some):
                yield from walk(below)
            yield some

    return walk(rel)


# A failure


def _broken(rel: Rel, state: State, changed: frozenset[str]) -> Broken:
    case = smallest(case_of(rel, state, changed), lambda other: bool(_error(other)))
    return Broken(kind_of(rel), case, _error(case))


def _error(case: Case) -> str:
    """What is wrong with the case; an error of any kind counts, a missing rule does not."""
    try:
        return wrong(case.rel, Evaluator(case.state()), case.changed)
    except Exception as problem:
        return "" if NO_RULE in str(problem) else f"{type(problem).__name__}: {problem}"


def _difference(found: Bag, expected: Bag) -> str:
    if found == expected:
        return ""
    return f"changes {dict(found)}, should be {dict(expected)}, too many {dict(minus(found, expected))}"


def _story(case: Case) -> str:
    told = [plan_text(case.rel)]
    for name in sorted(case.old):
        kept = "changed" if name in case.changed else "not changed"
        told.append(f"{name} at OLD ({kept}): {list(case.old[name])}")
        told.append(f"{name} changes: {list(case.lines[name])}")
    changes = None if NO_RULE in _error(case) else _delta_text(case)
    return "\n".join([*told, f"delta:\n{changes}"])


def _delta_text(case: Case) -> str:
    try:
        changes = delta(case.rel, case.changed)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return "none" if changes is None else plan_text(changes)
