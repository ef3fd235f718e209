"""The two laws every delta rule is tested by, over one random case given by a seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from random import Random

from everview.aggregates.keyed import KeyedView, keyed_view
from everview.algebra.meaning import Bag, State, bag, lines, minus, rows
from everview.algebra.relations import At, Local, Project, Rel
from everview.algebra.scalars import Ref
from everview.algebra.walk import at, walk_plan
from everview.delta.aggregate import change_table
from everview.delta.apply_keyed import CHANGES, LOST, ApplyKeyed
from everview.delta.changes import net_changes
from everview.delta.propagate import delta
from everview.rewrite.rules import FLATTEN, ordered_terms, rewrite
from everview.rewrite.scan_unchanged import scan_unchanged
from tests.laws.generate import Queries, random_state

VIEW = "view"


@dataclass
class Seen:
    """What the cases met, so that a run that tested nothing is noticed."""

    counts: Counter[str] = field(default_factory=Counter)

    def changes(self, kind: str, changes: Bag) -> None:
        self.counts[kind] += 1
        if any(n > 0 for n in changes.values()):
            self.counts[f"{kind}: insertions"] += 1
        if any(n < 0 for n in changes.values()):
            self.counts[f"{kind}: deletions"] += 1


def check_rows(seed: int, seen: Seen) -> None:
    """rows(delta(q)) == rows(q at NEW) - rows(q at OLD), also rewritten, also netted."""
    rng = Random(seed)
    queries = Queries(rng)
    rel = queries.plan(rng.choice((1, 2, 2, 3)))
    state, changed = random_state(rng)
    expected = minus(rows(at(rel, At.NEW), state), rows(at(rel, At.OLD), state))
    changes = delta(rel, changed)
    found = Counter() if changes is None else rows(changes, state)
    assert found == expected, _story(rel, state)
    if changes is not None:
        assert changes.columns == rel.columns
        terms = ordered_terms(scan_unchanged(changes, changed))
        assert rows(terms, state) == expected, _story(terms, state)
        netted = net_changes(rel, changed)
        assert netted is not None
        some = lines(netted, state)
        assert bag(some) == expected, _story(netted, state)
        assert len({row for row, _ in some}) == len(some), "net repeats a row"
        flat = rewrite(rel, FLATTEN)
        assert rows(flat, state) == rows(rel, state), _story(flat, state)
    for operator in walk_plan(rel):
        seen.changes(type(operator).__name__, expected)
    if len(changed) > 1:
        seen.counts["several tables changed"] += 1


def check_keyed(seed: int, seen: Seen) -> None:
    """refresh(rows(q at OLD), change_table(q)) == rows(q at NEW), hidden values included."""
    rng = Random(seed)
    queries = Queries(rng)
    rel = queries.aggregate(rng.choice((0, 1, 1, 2)))
    state, changed = random_state(rng)
    types = {
        c.id: rng.choice(("long", "long", "double")) for p in walk_plan(rel) for c in p.columns
    }
    view = keyed_view(rel, types)
    insert_only = all(w > 0 for t in changed for _, w in state.changes[t])
    expected = rows(at(view.full(), At.NEW), state)
    stored = tuple(rows(at(view.full(), At.OLD), state).elements())
    table = change_table(view, changed, insert_only=insert_only)
    if table is None:
        assert expected == Counter(stored)
        return
    state = replace(state, tables={**state.tables, (VIEW, At.OLD): stored})
    written = _apply(view, ordered_terms(table), state, seen)
    assert Counter(written["rows"]) == expected, _story(rel, state)
    old = minus(Counter(_public(view, stored)), Counter(_public(view, expected.elements())))
    shown = minus(Counter(written["minus"]), Counter(written["plus"]))
    assert shown == old, _story(rel, state)
    if {k.id for k in view.keys} <= {held.id for column, held in view.stored[: len(view.public)]}:
        same = set(written["minus"]) & set(written["plus"])
        assert not same, f"a change that changes nothing: {same}"
    seen.changes("aggregate", minus(expected, Counter(stored)))
    if insert_only:
        seen.counts["insert only"] += 1
    born = {r[0] for r in expected} - {r[0] for r in stored}
    seen.counts["group born"] += bool(view.keys and born)
    seen.counts["group died"] += bool(
        view.keys and {r[0] for r in stored} - {r[0] for r in expected}
    )


def _apply(view: KeyedView, table: Rel, state: State, seen: Seen) -> dict[str, list[tuple]]:
    """Run the plans of the refresh operator as a refresh does, by the executable meaning."""
    apply = ApplyKeyed(view, VIEW)
    changes = _rename(table, apply.changes)
    state = replace(state, local={CHANGES: tuple(lines(changes, state))})
    recompute = apply.certain()
    lost = apply.lost()
    if lost is not None:
        state = replace(state, local={**state.local, LOST: tuple(lines(lost, state))})
        recompute = apply.fetched()
        seen.counts["extreme lost"] += bool(state.local[LOST])
    result: dict[str, list[tuple]] = {"rows": [], "minus": [], "plus": []}
    written = [line for rel in apply.lines(recompute) for line in rows(rel, state).items()]
    for (part, action, *row), n in written:
        public = row if part == "rows" else row[: len(view.public)]
        result[part] += [tuple(public)] * n
        seen.counts[f"action {action}"] += n
    return result


def _rename(table: Rel, local: Local) -> Rel:
    pairs = zip(local.columns, table.columns, strict=True)
    return Project(table, tuple((c, Ref(own.id)) for c, own in pairs))


def _public(view: KeyedView, some) -> list[tuple]:
    return [tuple(row[: len(view.public)]) for row in some]


def _story(rel: Rel, state: State) -> str:
    return f"\nplan: {rel}\nstate: {state}"
