"""The law of row changes at every operator of a random tree, and for the same changes told
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from everview.algebra.derive.conditions import Types
from everview.algebra.derive.signs import Signs
from everview.algebra.meaning.plans import Bag, State, bag, minus
from everview.algebra.ranges import Range
from everview.algebra.relations import At, Changes, Local, Rel, Scan
from everview.algebra.walk import bottom_up, inputs, tables
from everview.delta.context import NOTHING, Known
from everview.delta.propagate import delta
from everview.optimize.narrow import narrowed
from everview.optimize.parts import parted, tidied
from everview.optimize.reach import LeafFacts, Ranges
from everview.optimize.small_sides import with_small_sides
from everview.rewrite.net_sources import net_sources
from everview.rewrite.rules import joined_by_keys, ordered_terms
from tests.laws.evaluate import Evaluator
from tests.laws.generate import only_of
from tests.laws.law import Seen
from tests.laws.line_law import wrong_lines
from tests.laws.met import count, kind_of
from tests.laws.shrink import Case, case_of, smallest
from tests.laws.tables import random_tables
from tests.laws.told import TOLD, told_otherwise
from tests.laws.trees import Trees
from tests.plan_text import plan_text

DEPTHS = (1, 2, 2, 3, 3, 3, 4, 5)
NO_RULE = "no delta rule"


class Broken(AssertionError):
    """A law that fails for this case; `kind` names the operator, or the rewrite, that is wrong.

    The case is made small when the story is asked for.
    """

    def __init__(self, kind: str, case: Case, tell: Callable[[Case], str]) -> None:
        super().__init__(kind)
        self.kind = kind
        self._case, self._tell = case, tell

    def __str__(self) -> str:
        case = smallest(self._case, lambda other: bool(self._tell(other)))
        return f"{self.kind}: {self._tell(case)}\n{_story(case)}"


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
            if _wrong(rel, Evaluator(other), these):
                raise _broken(rel, other, these)
        seen.met(f"told {how}")
    _count_state(rel, state, seen)


def check_rows(rel: Rel, state: State, changed: frozenset[str], seen: Seen) -> bool:
    """rows(delta(q)) == rows(q at NEW) - rows(q at OLD) for every q in the tree, inputs first.

    An operator without a rule is counted as missing, and what stands above it is not looked at;
    the answer is whether all have one.
    """
    known = Evaluator(state)
    missing: set[int] = set()
    for operator in bottom_up(rel):
        count(operator, known, seen)
        if any(id(i) in missing for i in inputs(operator)):
            missing.add(id(operator))
            continue
        error = _wrong(operator, known, changed)
        if NO_RULE in error:
            missing.add(id(operator))
            seen.met(f"missing: {kind_of(operator)}")
        elif error:
            raise _broken(operator, state, changed)
        elif wrong_lines(operator, known, state, changed):
            raise Broken(kind_of(operator), case_of(operator, state, changed), _lines_error)
        _count_signs(operator, state, changed, seen)
    return not missing


def _count_signs(operator: Rel, state: State, changed: frozenset[str], seen: Seen) -> None:
    """Whether the changes of an input were insertions alone, or deletions alone."""
    only = only_of(state, changed)
    below = [delta(i, changed, Known(only)) for i in inputs(operator)] if only else []
    signs = {Signs().of(changes) for changes in below if changes is not None}
    seen.met(f"{kind_of(operator)}: insertions alone", when=1 in signs)
    seen.met(f"{kind_of(operator)}: deletions alone", when=-1 in signs)


def check_rewritten(rel: Rel, state: State, changed: frozenset[str]) -> None:
    """The rewrites keep the rows of the tree and of its delta, also over net sources."""
    case = case_of(rel, state, changed)
    if _rewritten_wrong(case):
        raise Broken("rewritten", case, _rewritten_wrong)


def _rewritten_wrong(case: Case) -> str:
    try:
        return _rewritten_otherwise(case, Evaluator(case.state()))
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"


def _rewritten_otherwise(case: Case, known: Evaluator) -> str:
    connected = joined_by_keys(case.rel)
    if known.rows(connected) != known.rows(case.rel):
        return f"joined_by_keys gives other rows:\n{plan_text(connected)}\nof"
    for told in (Known(large=case.changed), Known(gone=case.changed)):
        # Parts are kept by name: each plan has an evaluator of its own.
        changes = delta(case.rel, case.changed, told)
        wrong = _rewritten_changes(case, Evaluator(case.state()), changes)
        if wrong:
            return wrong
    return ""


def _rewritten_changes(case: Case, known: Evaluator, changes: Rel | None) -> str:
    if changes is None:
        return ""
    terms = ordered_terms(changes)
    tidy = tidied(with_small_sides(terms, _few_changes))
    plans = {
        "ordered_terms": terms,
        "net_sources": net_sources(terms),
        "tidied": tidy,
        "narrowed": narrowed(tidy, _leaf_facts(known)),
    }
    for name, plan in plans.items():
        if known.rows(plan) != known.difference(case.rel):
            return f"{name} gives other changes:\n{plan_text(plan)}\nof"
    plan = parted(tidy, repeated=1, together=5)
    for part in plan.parts:
        known.keep(part.name, narrowed(part.rel, _leaf_facts(known)))
    if known.rows(narrowed(plan.rest, _leaf_facts(known))) != known.difference(case.rel):
        return f"parted gives other changes:\n{plan_text(plan.rest)}\nof"
    return ""


def _leaf_facts(known: Evaluator) -> LeafFacts:
    """What files would say of the numbers in the leaves, as narrowly as they can."""

    def facts(leaf: Scan | Changes | Local) -> tuple[Types, Ranges]:
        held = [row for row, _ in known.lines(leaf)]
        if isinstance(leaf, Scan | Changes):  # a type is the table's, whatever rows are read
            held += [r for when in At for r in known.state.tables[leaf.table, when]]
        columns = {c.id: [row[i] for row in held] for i, c in enumerate(leaf.columns)}
        types = {c: "long" for c, some in columns.items() if _are_whole(some)}
        if isinstance(leaf, Scan):
            return types, dict(leaf.within)
        ranges = {}
        for place, column in enumerate(leaf.columns):
            some = [row[place] for row, _ in known.lines(leaf)]
            numbers = [v for v in some if v is not None]
            if column.id in types and numbers:
                ranges[column.id] = Range(min(numbers), max(numbers), None in some)
        return types, ranges

    return facts


def _are_whole(values: list[object]) -> bool:
    return all(v is None or (isinstance(v, int) and not isinstance(v, bool)) for v in values)


def _few_changes(leaf: Rel) -> tuple[int, int]:
    """Sizes by which every large side is cut to what is touched."""
    return (10, 10**7) if leaf.weighted else (10**7, 10**7)


def _wrong(rel: Rel, known: Evaluator, changed: frozenset[str]) -> str:
    """What is wrong with the delta of a relation, an error included; nothing if it is right.

    Also where it is known of some tables that rows only came, or only went, and that all are large;
    and where OLD of all is gone.
    """
    only = only_of(known.state, changed)
    told = (NOTHING, Known(only, changed), Known(only, gone=changed))
    return next(filter(None, (_wrong_of(rel, known, changed, some) for some in told)), "")


def _wrong_of(rel: Rel, known: Evaluator, changed: frozenset[str], told: Known) -> str:
    expected = known.difference(rel)
    try:
        changes = delta(rel, changed, told)
        found = Bag() if changes is None else known.rows(changes)
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
    lowest = next(op for op in bottom_up(rel) if _wrong(op, known, changed))
    return Broken(kind_of(lowest), case_of(lowest, state, changed), _error)


def _error(case: Case) -> str:
    return _wrong(case.rel, Evaluator(case.state()), case.changed)


def _lines_error(case: Case) -> str:
    state = case.state()
    return _error(case) or wrong_lines(case.rel, Evaluator(state), state, case.changed)


def _story(case: Case) -> str:
    told = [plan_text(case.rel)]
    for name in sorted(case.old):
        kept = "changed" if name in case.changed else "not changed"
        told.append(f"{name} at OLD ({kept}): {list(case.old[name])}")
        told.append(f"{name} changes: {list(case.lines[name])}")
    try:
        changes = delta(case.rel, case.changed)
        told.append("delta: none" if changes is None else f"delta:\n{plan_text(changes)}")
    except Exception as problem:
        told.append(f"delta: {type(problem).__name__}: {problem}")
    return "\n".join(told)
