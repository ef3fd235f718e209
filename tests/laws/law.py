"""The two laws every delta rule is tested by, over one random case given by a seed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from everview.aggregates.functions import Recomputed, upkeep
from everview.aggregates.keyed import KeyedView, keyed_view
from everview.algebra.derive.signs import Signs
from everview.algebra.meaning.plans import CountedBag, Line, Row, State, bag, lines, minus, rows
from everview.algebra.relations import Aggregate, At, Local, Net, Project, Rel
from everview.algebra.scalars import Ref
from everview.algebra.walk import at, walk_plan
from everview.apply.keyed import CHANGES, LOST, ApplyKeyed
from everview.apply.lines import DELETE, INSERT, UPDATE_NEW, UPDATE_OLD
from everview.delta.aggregate import change_table
from everview.delta.context import Known
from everview.delta.propagate import delta
from everview.optimize.passes import When, improved
from tests.improve import joined_by_keys
from tests.laws.generate import TYPES, Queries, only_of, random_state

VIEW = "view"


@dataclass
class Seen:
    """What the cases met, so that a run that tested nothing is noticed."""

    counts: Counter[str] = field(default_factory=Counter)

    def changes(self, kind: str, changes: CountedBag) -> None:
        self.counts[kind] += 1
        self.counts[f"{kind}: insertions"] += any(n > 0 for n in changes.values())
        self.counts[f"{kind}: deletions"] += any(n < 0 for n in changes.values())

    def met(self, what: str, *, when: object = True) -> None:
        self.counts[what] += bool(when)


def check_rows(seed: int, seen: Seen) -> None:
    """rows(delta(q)) == rows(q at NEW) - rows(q at OLD), also rewritten, also netted."""
    rng = Random(seed)
    rel = Queries(rng).plan(rng.choice((1, 2, 2, 3)))
    state, changed = _changing_state(rng, rel)
    expected = minus(rows(at(rel, At.NEW), state), rows(at(rel, At.OLD), state))
    changes = delta(rel, changed)
    found = Counter() if changes is None else rows(changes, state)
    assert found == expected, _story(rel, state)
    connected = joined_by_keys(rel)
    assert rows(connected, state) == rows(rel, state), _story(connected, state)
    if changes is not None:
        assert changes.columns == rel.columns
        propagated = delta(connected, changed)
        assert propagated is not None
        better = improved(When.CHANGES, propagated).plan
        assert rows(better, state) == expected, _story(better, state)
        again = improved(When.AGAIN, better).plan
        assert rows(again, state) == expected, _story(again, state)
        netted = Net(changes)
        some = lines(netted, state)
        assert bag(some) == expected, _story(netted, state)
        assert len({row for row, _ in some}) == len(some), "net repeats a row"
    for operator in walk_plan(rel):
        seen.changes(type(operator).__name__, expected)
    seen.met("several tables changed", when=len(changed) > 1)
    seen.met("not changed", when=changes is None)


def check_keyed(seed: int, seen: Seen) -> None:
    """refresh(rows(q at OLD), change_table(q)) == rows(q at NEW), hidden values included."""
    rng = Random(seed)
    rel = Queries(rng).aggregate(rng.choice((0, 0, 1, 1, 2)))
    state, changed = _changing_state(rng, rel)
    kinds = rng.choice((TYPES, TYPES, ("double",)))
    types = {c.id: rng.choice(kinds) for p in walk_plan(rel) for c in p.columns}
    view = keyed_view(rel, types)
    expected = rows(at(view.full(), At.NEW), state)
    stored = tuple(rows(at(view.full(), At.OLD), state).elements())
    shown = _rounded(rows(at(rel, At.NEW), state).elements())
    assert _rounded(_public(view, expected.elements())) == shown, _story(rel, state)
    changes = delta(view.input, changed, Known(only_of(state, changed)))
    if changes is None:
        assert expected == Counter(stored)
        return
    insert_only = Signs().of(changes) == 1
    table = change_table(view, changes)
    state = replace(state, tables={**state.tables, (VIEW, At.OLD): stored})
    refresh = Refresh(view, improved(When.CHANGES, table).plan, state, insert_only)
    redo = to_recompute(rel, types, state, lines(changes, state))
    keys = refresh.recomputed_keys()
    assert redo.must <= keys <= redo.may, f"recomputed {keys}, {redo} {_story(rel, state)}"
    written = refresh.written()
    assert Counter(row for row, _ in written["rows"]) == expected, _story(rel, state)
    _check_changes(view, written, minus(expected, Counter(stored)))
    _check_actions(view, written, Counter(stored), expected)
    _count(view, Counter(stored), expected, seen)
    if rng.random() < 0.2:
        _check_asked(view, changed, refresh, minus(expected, Counter(stored)))
    seen.met("aggregate: insert only", when=insert_only)
    seen.met("group recomputed", when=keys)
    seen.met("extreme lost", when=redo.lost)


def _check_asked(
    view: KeyedView, changed: frozenset[str], refresh: Refresh, expected: CountedBag
) -> None:
    """The same rows, hidden values included, by touched groups and by insert/delete."""
    again = refresh.from_rows()
    assert again.recomputed_keys() == again.touched_keys()
    assert again.written()["rows"] == refresh.written()["rows"], (
        "other rows from the rows of groups"
    )
    by_rows = delta(joined_by_keys(view.full()), changed)
    assert by_rows is not None
    assert rows(Net(by_rows), refresh.state) == expected


def _changing_state(rng: Random, rel: Rel) -> tuple[State, frozenset[str]]:
    """A random state, drawn again if the relation does not change: a case should test something."""
    state, changed = random_state(rng)
    for _ in range(2):
        if rows(at(rel, At.NEW), state) != rows(at(rel, At.OLD), state):
            break
        state, changed = random_state(rng)
    return state, changed


Written = dict[str, list[tuple[Row, int | None]]]  # per part: rows and actions


class Refresh:
    """The plans of the refresh operator, run as a refresh does, by the executable meaning."""

    def __init__(
        self,
        view: KeyedView,
        table: Rel,
        state: State,
        insert_only: bool,
        *,
        from_rows: bool = False,
    ) -> None:
        self.state = state
        self._of = view, table
        self._apply = ApplyKeyed(view, VIEW, from_rows=from_rows)
        self._public = len(view.public)
        changes = _rename(table, self._apply.changes)
        local = {CHANGES: tuple(lines(changes, state))}
        self._state = replace(state, local=local)
        self._recompute = self._apply.certain()
        lost = None if insert_only else self._apply.lost()
        if lost is not None:
            found = tuple(lines(lost, self._state))
            self._state = replace(state, local={**local, LOST: found})
            self._recompute = self._apply.fetched()

    def from_rows(self) -> Refresh:
        """The same refresh, every touched group computed from its rows."""
        return Refresh(*self._of, self.state, insert_only=False, from_rows=True)

    def touched_keys(self) -> set[Row]:
        keys = len(self._of[0].keys)
        return {row[:keys] for row, _ in self._state.local[CHANGES]}

    def recomputed_keys(self) -> set[Row]:
        return set() if self._recompute is None else set(rows(self._recompute, self._state))

    def written(self) -> Written:
        result: Written = {"rows": [], "minus": [], "plus": []}
        for rel in self._apply.lines(self._recompute):
            for (part, action, *row), n in rows(rel, self._state).items():
                assert n > 0, "a line written less than once"
                kept = row if part == "rows" else row[: self._public]
                result[part] += [(tuple(kept), action)] * n
        return result


@dataclass(frozen=True)
class Redo:
    """Keys of groups: whose extreme is lost, that must be recomputed, and that may be."""

    lost: set[Row]
    must: set[Row]
    may: set[Row]


def to_recompute(rel: Project, types: Mapping[int, str], state: State, changes: list[Line]) -> Redo:
    """The keys that must be recomputed, and those that may be, told from the rows of the input.

    Of an extreme: the groups where neither the old one nor an inserted one is there any more. Of a
    sum of floats: the groups with a deletion. Of a function that cannot be maintained: all touched.
    """
    aggregate = rel.input
    assert isinstance(aggregate, Aggregate)
    old, new = (
        _groups(aggregate, rows(at(aggregate.input, s), state).items()) for s in (At.OLD, At.NEW)
    )
    touched = _groups(aggregate, changes).keys()
    gone = _groups(aggregate, [(row, -w) for row, w in changes if w < 0])
    lost: set[Row] = set()
    must: set[Row] = set()
    may: set[Row] = set()
    for key in old.keys() | new.keys() | touched:
        alive = bool(new[key]) or not aggregate.keys
        inserted, deleted = new[key] - old[key], old[key] - new[key]
        for _, call in aggregate.calls:
            arg = call.args[0] if call.args else None
            if call.function in ("min", "max"):
                some = [_values(b, arg) for b in (old[key], inserted, new[key])]
                best = (min if call.function == "min" else max)(some[0] + some[1], default=None)
                lost |= {key} if alive and best is not None and best not in some[2] else set()
            elif isinstance(upkeep(call, types), Recomputed):
                must |= {key} if alive and (inserted or deleted) else set()
                may |= {key} if key in touched else set()
            elif call.function in ("sum", "avg") and types[arg or 0] == "double":
                must |= {key} if alive and _values(deleted, arg) else set()
                may |= {key} if _values(gone[key], arg) else set()
    return Redo(lost, lost | must, lost | must | may)


Groups = dict[Row, Counter[tuple[tuple[int, Any], ...]]]


def _groups(aggregate: Aggregate, some: Iterable[Line]) -> Groups:
    """The rows of the aggregate's input by group, each as (column, value) pairs."""
    ids = [c.id for c in aggregate.input.columns]
    groups: Groups = defaultdict(Counter)
    for row, n in some:
        named = dict(zip(ids, row, strict=True))
        groups[tuple(named[k.id] for k in aggregate.keys)][tuple(named.items())] += n
    return groups


def _values(some: Counter[tuple[tuple[int, Any], ...]], arg: int | None) -> list[Any]:
    return [v for row in some for column, v in row if column == arg and v is not None]


def _check_changes(view: KeyedView, written: Written, changes: CountedBag) -> None:
    """What is written as minus and plus is what the public rows changed by, and nothing idle."""
    public: CountedBag = Counter()
    for row, n in changes.items():
        public[row[: len(view.public)]] += n
    plus, minus_ = (Counter(row for row, _ in written[part]) for part in ("plus", "minus"))
    assert minus(plus, minus_) == bag(public.items()), f"{written} is not {public}"
    shown = {held.id for _, held in view.stored[: len(view.public)]}
    if {k.id for k in view.keys} <= shown:
        assert not plus.keys() & minus_.keys(), f"a change that changes nothing: {written}"


def _check_actions(view: KeyedView, written: Written, old: CountedBag, new: CountedBag) -> None:
    """A born group is one insertion, a died one a deletion, any other change an update."""
    before, after = _keys(view, old), _keys(view, new)
    plus, minus_ = (Counter(action for _, action in written[part]) for part in ("plus", "minus"))
    assert plus[INSERT] == len(after - before)
    assert minus_[DELETE] == len(before - after)
    assert plus[UPDATE_NEW] == minus_[UPDATE_OLD]
    assert plus.keys() <= {INSERT, UPDATE_NEW}
    assert minus_.keys() <= {DELETE, UPDATE_OLD}
    assert all(action is None for _, action in written["rows"])


def _count(view: KeyedView, old: CountedBag, new: CountedBag, seen: Seen) -> None:
    before, after = _keys(view, old), _keys(view, new)
    seen.changes("aggregate", minus(new, old))
    seen.met("aggregate: without keys", when=not view.keys)
    seen.met("group born", when=after - before)
    seen.met("group died", when=before - after)
    seen.met("group kept", when=before & after)


def _keys(view: KeyedView, some: Iterable[Row]) -> set[Row]:
    place = {held.id: i for i, (_, held) in enumerate(view.stored)}
    return {tuple(row[place[k.id]] for k in view.keys) for row in some}


def _rename(table: Rel, local: Local) -> Rel:
    pairs = zip(local.columns, table.columns, strict=True)
    return Project(table, tuple((c, Ref(own.id)) for c, own in pairs))


def _public(view: KeyedView, some: Iterable[Row]) -> list[Row]:
    return [row[: len(view.public)] for row in some]


def _rounded(some: Iterable[Row]) -> CountedBag:
    """As a bag in which a mean is the same as a fraction and as a float."""

    def value(v: Any) -> Any:
        return v if v is None or isinstance(v, str | bool) else round(float(v), 9)

    return Counter(tuple(map(value, row)) for row in some)


def _story(rel: Rel, state: State) -> str:
    return f"\nplan: {rel}\nstate: {state}"
