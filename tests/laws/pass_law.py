"""The law of passes: each keeps the rows of a tree and of its changes, whichever others are off."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from everview.algebra.meaning.plans import State
from everview.algebra.ranges import Range
from everview.algebra.relations import At, Changes, Local, Rel, Scan
from everview.algebra.scalars import Types
from everview.delta.context import Known
from everview.delta.propagate import delta
from everview.optimize.passes import PassContext, When, improved
from everview.optimize.reach import LeafFacts, Ranges
from tests.laws.broken import Broken
from tests.laws.evaluate import Evaluator
from tests.laws.shrink import Case, case_of
from tests.plan_text import plan_text


def check_rewritten(
    rel: Rel, state: State, changed: frozenset[str], off: frozenset[str] = frozenset()
) -> None:
    """The passes keep the rows of the tree and of its delta, but for those that are off."""
    case = case_of(rel, state, changed)
    tell = partial(_rewritten_wrong, off=off)
    if tell(case):
        raise Broken("rewritten", case, tell)


def _rewritten_wrong(case: Case, off: frozenset[str]) -> str:
    try:
        return _rewritten_otherwise(case, Evaluator(case.state()), off)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"


def _rewritten_otherwise(case: Case, known: Evaluator, off: frozenset[str]) -> str:
    before = improved(When.BEFORE, case.rel, PassContext(off=off))
    for one in before.ran:
        if known.rows(one.plan) != known.rows(case.rel):
            return f"{one.name} gives other rows:\n{plan_text(one.plan)}\nof"
    for told, netted in ((Known(large=case.changed), case.changed), (Known(gone=case.changed), ())):
        # Parts are kept by name: each plan has an evaluator of its own.
        changes = delta(before.plan, case.changed, told)
        known = Evaluator(case.state())
        context = PassContext(
            leaf_rows=_few_changes,
            leaf_facts=_leaf_facts(known, by_values=not netted),
            repeated=1,
            together=5,
            netted=frozenset(netted),
            off=off,
        )
        wrong = _rewritten_changes(case, known, changes, context)
        if wrong:
            return wrong
    return ""


def _rewritten_changes(
    case: Case, known: Evaluator, changes: Rel | None, context: PassContext
) -> str:
    """What is wrong after some pass, or in the queries that a refresh would run."""
    if changes is None:
        return ""
    better = improved(When.CHANGES, changes, context)
    for part in better.queries.parts:
        known.keep(part.name, improved(When.QUERY, part.rel, context).plan)
    again = improved(When.AGAIN, better.plan, context)
    for one in (*better.ran, *again.ran):
        if known.rows(one.plan) != known.difference(case.rel):
            return f"{one.name} gives other changes:\n{plan_text(one.plan)}\nof"
    queries = improved(When.PARTS, better.plan, context).queries
    for part in queries.parts:
        known.keep(part.name, improved(When.QUERY, part.rel, context).plan)
    rest = improved(When.QUERY, queries.rest, replace(context, few=False)).plan
    if known.rows(rest) != known.difference(case.rel):
        return f"in queries there are other changes:\n{plan_text(rest)}\nof"
    return ""


def _leaf_facts(known: Evaluator, *, by_values: bool) -> LeafFacts:
    """What files would say of the numbers in the leaves, as narrowly as they can; or rows at hand,
    whose values are known.
    """

    def facts(leaf: Scan | Changes | Local) -> tuple[Types, Ranges]:
        if isinstance(leaf, Local) and not known.is_kept(leaf.name):
            return {}, {}
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
            if column.id in types and by_values:
                ranges[column.id] = Range.of_values(frozenset(numbers), null=None in some)
            elif column.id in types and numbers:
                ranges[column.id] = Range(min(numbers), max(numbers), None in some)
        return types, ranges

    return facts


def _are_whole(values: list[object]) -> bool:
    return all(v is None or (isinstance(v, int) and not isinstance(v, bool)) for v in values)


def _few_changes(leaf: Rel) -> tuple[int, int]:
    """Sizes by which every large side is cut to what is touched."""
    return (10, 10**7) if leaf.weighted else (10**7, 10**7)
