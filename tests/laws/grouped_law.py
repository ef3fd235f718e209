"""The law of views whose rows are replaced key by key, over one random case given by a seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

from everview.algebra.calls import AggregateCall, SortKey, WindowCall
from everview.algebra.meaning.plans import CountedBag, State, lines, minus, rows
from everview.algebra.relations import Aggregate, At, Filter, Project, Rel, Window
from everview.algebra.scalars import Call, Column, Compare, Ref, Scalar, integer
from everview.algebra.walk import at, walk_plan
from everview.apply.grouped import KEYS, RECOMPUTED, ApplyGrouped, GroupedView, touched_partitions
from everview.delta.context import Known
from everview.delta.propagate import delta
from everview.facts.schema import Field, Schema
from everview.optimize.passes import When, improved
from everview.shape.grouped import grouped
from everview.shape.maintained import Unmaintained
from tests.laws.generate import Queries, only_of, random_state
from tests.laws.law import VIEW, Seen
from tests.plan_text import plan_text

Columns = tuple[Column, ...]


def check_grouped(seed: int, seen: Seen) -> None:
    """V ▷ K + Ω(A_new ⋉ K) == rows(q at NEW), and the changes told are the difference."""
    rng = Random(seed)
    rel = _Roots(rng).root()
    state, changed = random_state(rng)
    types = {c.id: "double" for p in walk_plan(rel) for c in p.columns}
    public = Schema(tuple(Field(f"c{i}", "double") for i, _ in enumerate(rel.columns)))
    found = grouped(rel, types, public)
    seen.met("grouped cases")
    if isinstance(found, Unmaintained):
        seen.met("grouped: refused")
        return
    view = found.view
    old, new = (rows(at(view.full(), when), state) for when in (At.OLD, At.NEW))
    story = f"\n{plan_text(rel)}\n{state}"
    shown = Counter(row[: len(public.names)] for row in new.elements())
    assert shown == rows(at(rel, At.NEW), state), f"other rows are stored {story}"
    below = delta(view.base, changed, Known(only_of(state, changed)))
    if below is None:
        assert old == new, f"nothing is touched {story}"
        return
    keys = touched_partitions(view, below)
    touched = tuple(lines(improved(When.CHANGES, keys).plan, state))
    assert {row for row, _ in touched} == _keys_of_changes(view, below, state), story
    kept, came, changes = _applied(view, touched, old, state)
    assert kept + came == new, f"{kept} and {came} {story}"
    assert changes == minus(new, old), f"{changes} {story}"
    assert _keys(view, came) <= {row for row, _ in touched}, (
        f"more is computed than touched {story}"
    )
    _count(seen, view, (old, new))


def _applied(
    view: GroupedView,
    touched: tuple[tuple[tuple[object, ...], int], ...],
    old: CountedBag,
    state: State,
) -> tuple[CountedBag, CountedBag, CountedBag]:
    """What the plans say: the rows that stay, those that come, and the net changes."""
    apply = ApplyGrouped(view, VIEW)
    tables = {**state.tables, (VIEW, At.OLD): tuple(old.elements())}
    state = replace(state, tables=tables, local={KEYS: touched})
    came = tuple(lines(apply.recomputed(), state))
    state = replace(state, local={KEYS: touched, RECOMPUTED: came})
    net = lines(apply.changes(), state)
    assert len({row for row, _ in net}) == len(net), "net repeats a row"
    assert len(apply.kept().columns) == len(apply.rows.columns) == len(view.stored)
    return rows(apply.kept(), state), Counter(row for row, _ in came), Counter(dict(net))


def _keys_of_changes(view: GroupedView, changes: Rel, state: State) -> set[tuple[object, ...]]:
    places = [view.base.columns.index(k) for k in view.keys]
    return {tuple(row[i] for i in places) for row, _ in lines(changes, state)}


def _keys(view: GroupedView, stored: CountedBag) -> set[tuple[object, ...]]:
    return {tuple(row[i] for i in view.places) for row in stored}


def _count(seen: Seen, view: GroupedView, states: tuple[CountedBag, CountedBag]) -> None:
    old, new = (_keys(view, some) for some in states)
    seen.met("partition born", when=new - old)
    seen.met("partition died", when=old - new)
    seen.met("partition kept", when=old & new)
    seen.met("partition of NULL", when=any(None in key for key in old & new))
    seen.met("partition hidden", when=any(c.name.startswith("__ev.") for c in view.stored))
    groupings = sum(isinstance(o, Window | Aggregate) for o in view.above)
    seen.met("groupings above one another", when=groupings > 1)


class _Roots:
    """Random definitions whose last operators look at the rows of one key at a time."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.queries = Queries(rng)
        self.fresh = self.queries.fresh

    def root(self) -> Project:
        rel = self.queries.plan(self.rng.choice((0, 0, 1, 1, 2)))
        keys = tuple(
            self.rng.sample(rel.columns, min(self.rng.choice((1, 1, 2)), len(rel.columns)))
        )
        for _ in range(self.rng.choice((1, 1, 2, 2))):
            rel, keys = self._renamed(rel, keys) if self.rng.random() < 0.3 else (rel, keys)
            rel = self._aggregate(rel, keys) if self.rng.random() < 0.3 else self._window(rel, keys)
            keys = keys[: self.rng.choice((1, 2))]
        shown = [c for c in rel.columns if self.rng.random() < 0.6] or [rel.columns[-1]]
        return Project(rel, tuple((self.fresh.column(c.name), Ref(c.id)) for c in shown))

    def _renamed(self, rel: Rel, keys: Columns) -> tuple[Rel, Columns]:
        """A projection under new names, without some column that is no key."""
        lost = self.rng.choice(rel.columns)
        left = [c for c in rel.columns if c in keys or c != lost]
        new = {c: self.fresh.column(c.name) for c in left}
        made = Project(rel, tuple((n, Ref(c.id)) for c, n in new.items()))
        return made, tuple(new[k] for k in keys)

    def _aggregate(self, rel: Rel, keys: Columns) -> Rel:
        more = tuple(c for c in rel.columns if c not in keys and self.rng.random() < 0.4)
        arg = self.rng.choice(rel.columns).id
        calls = [
            AggregateCall("count", ()),
            AggregateCall("sum", (arg,)),
            AggregateCall("max", (arg,)),
        ]
        some = self.rng.sample(calls, 2)
        made = tuple((self.fresh.column(c.function), c) for c in some)
        return Aggregate(rel, (*keys, *more), made)

    def _window(self, rel: Rel, keys: Columns) -> Rel:
        """Numbers by an order that ties only rows that are the same, sums, ranks; and perhaps only
        the first rows.
        """
        order = tuple(
            SortKey(c.id, False, True) for c in self.rng.sample(rel.columns, len(rel.columns))
        )
        arg = Ref(self.rng.choice(rel.columns).id)
        functions: list[Scalar] = [Call("row_number", ()), Call("sum", (arg,)), Call("rank", ())]
        calls = [(self.fresh.column("said"), WindowCall(f, order)) for f in functions]
        made = Window(rel, keys, tuple(calls[: self.rng.choice((1, 2, 3))]))
        if self.rng.random() < 0.4:
            return Filter(made, Compare("<=", Ref(calls[0][0].id), integer(1)))
        return made
