"""The law of row changes at every operator of a random tree, and for the same changes told
otherwise.
"""

from __future__ import annotations

from random import Random

from everview.algebra.derive.signs import Signs
from everview.algebra.meaning.plans import CountedBag, State, bag, minus
from everview.algebra.relations import At, Rel, Scan
from everview.algebra.walk import bottom_up, tables
from everview.delta.context import NOTHING_KNOWN, Known
from everview.delta.propagate import deltas
from tests.laws.broken import Broken
from tests.laws.evaluate import Evaluator
from tests.laws.generate import only_of
from tests.laws.law import Seen
from tests.laws.line_law import Delta, wrong_lines
from tests.laws.met import count, kind_of
from tests.laws.pass_law import check_rewritten
from tests.laws.shrink import Case, case_of
from tests.laws.tables import random_tables
from tests.laws.told import TOLD, told_otherwise
from tests.laws.trees import Trees

DEPTHS = (1, 2, 2, 3, 3, 3, 4, 5)
NO_RULE = "no delta rule"


def random_case(seed: int) -> tuple[Rel, State, frozenset[str]]:
    """A tree and a state; a tree that does not change is drawn again."""
    rng = Random(seed)
    for _ in range(3):
        state, changed = random_tables(rng)
        trees = Trees(rng, state)
        rel = trees.tree(rng.choice(DEPTHS))
        if trees.known.difference(rel):
            break
    return rel, state, changed


def check_tree(seed: int, seen: Seen) -> None:
    """The law over one random case: at every operator, rewritten, and told otherwise."""
    rel, state, changed = random_case(seed)
    rng = Random(seed)
    if check_rows(rel, state, changed, seen):
        if rng.random() < 0.08:
            check_rewritten(rel, state, changed)
            seen.met("rewritten")
        how = rng.choice(TOLD)
        for other, these in told_otherwise(how, rng, state, changed):
            if _wrong(rel, Evaluator(other), _told(rel, other, these)):
                raise _broken(rel, other, these)
        seen.met(f"told {how}")
    _count_state(rel, state, seen)


def check_rows(rel: Rel, state: State, changed: frozenset[str], seen: Seen) -> bool:
    """rows(delta(q)) == rows(q at NEW) - rows(q at OLD) for every q in the tree, inputs first.

    An operator without a rule is counted as missing, and what stands above it is not looked at;
    the answer is whether all have one.
    """
    known = Evaluator(state)
    told = _told(rel, state, changed)
    only = deltas(rel, changed, Known(only_of(state, changed)))
    missing: set[int] = set()
    for operator in bottom_up(rel):
        count(operator, known, seen)
        if any(id(i) in missing for i in operator.inputs):
            missing.add(id(operator))
            continue
        error = _wrong(operator, known, told)
        if NO_RULE in error:
            missing.add(id(operator))
            seen.met(f"missing: {kind_of(operator)}")
        elif error:
            raise _broken(operator, state, changed)
        elif wrong_lines(operator, known, state, changed, only):
            raise Broken(kind_of(operator), case_of(operator, state, changed), _lines_error)
        if only_of(state, changed):
            _count_signs(operator, only, seen)
    return not missing


def _count_signs(operator: Rel, delta: Delta, seen: Seen) -> None:
    """Whether the changes of an input were insertions alone, or deletions alone."""
    below = [delta(i) for i in operator.inputs]
    signs = {Signs().of(changes) for changes in below if changes is not None}
    seen.met(f"{kind_of(operator)}: insertions alone", when=1 in signs)
    seen.met(f"{kind_of(operator)}: deletions alone", when=-1 in signs)


Told = tuple[tuple[Known, Delta], ...]  # the deltas of a tree, by what is known of its tables


def _told(rel: Rel, state: State, changed: frozenset[str]) -> Told:
    """Of nothing that is known; of some tables that rows only came, or only went, and that all are
    large; and that OLD of all is gone, or of one.
    """
    only = only_of(state, changed)
    one = frozenset(sorted(changed)[:1])
    some = (NOTHING_KNOWN, Known(only, changed), Known(only, gone=changed), Known(only, gone=one))
    return tuple((known, deltas(rel, changed, known)) for known in some)


def _wrong(rel: Rel, known: Evaluator, told: Told) -> str:
    """What is wrong with the delta of a relation, an error included; nothing if it is right."""
    return next(filter(None, (_wrong_of(rel, known, *some) for some in told)), "")


def _wrong_of(rel: Rel, known: Evaluator, told: Known, delta: Delta) -> str:
    expected = known.difference(rel)
    try:
        changes = delta(rel)
        found = CountedBag() if changes is None else known.rows(changes)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    if changes is not None and changes.columns != rel.columns:
        return f"columns {changes.columns}, should be {rel.columns}"
    if changes is not None and not changes.weighted:
        return "the changes have no weights"
    if changes is not None and _reads_gone(changes, told):
        return "a snapshot that is gone is read"
    if found == expected:
        return ""
    more = dict(minus(found, expected))
    return f"changes {dict(found)}, should be {dict(expected)}; too many {more}"


def _reads_gone(changes: Rel, told: Known) -> bool:
    scans = (leaf for leaf in bottom_up(changes) if isinstance(leaf, Scan))
    return any(s.at is At.OLD and s.table in told.gone for s in scans)


def _count_state(rel: Rel, state: State, seen: Seen) -> None:
    read = tables(rel)
    lines = {t: state.changes[t] for t in read}
    seen.met("several tables changed", when=sum(map(bool, lines.values())) > 1)
    seen.met("lines cancel", when=any(len(some) > len(bag(some)) for some in lines.values()))
    for snapshot in At:
        empty = any(not state.tables[t, snapshot] for t in read)
        seen.met(f"a table is empty at {snapshot.name}", when=empty)
    null = any(row[0] is None for t in read for row in state.tables[t, At.OLD])
    copies = any(len(set(rows)) < len(rows) for rows in (state.tables[t, At.OLD] for t in read))
    seen.met("a key is NULL", when=null)
    seen.met("a row has copies", when=copies)


# A failure


def _broken(rel: Rel, state: State, changed: frozenset[str]) -> Broken:
    """Of the lowest operator that fails."""
    known = Evaluator(state)
    told = _told(rel, state, changed)
    lowest = next(op for op in bottom_up(rel) if _wrong(op, known, told))
    return Broken(kind_of(lowest), case_of(lowest, state, changed), _error)


def _error(case: Case) -> str:
    state = case.state()
    return _wrong(case.rel, Evaluator(state), _told(case.rel, state, case.changed))


def _lines_error(case: Case) -> str:
    state = case.state()
    return _error(case) or wrong_lines(case.rel, Evaluator(state), state, case.changed)
