"""Random tables and what happens to them: insertions, deletions, updates, rows that come and go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from everview.algebra.meaning.plans import Line, Row, State, bag, minus
from everview.algebra.relations import At

# What each column holds; the first is the table's key.
TABLES = {
    "r": ("number", "number"),
    "s": ("number", "number"),
    "t": ("number", "number", "array"),
}
NUMBERS = (0, 1, 2)
MOODS = {
    "mixed": ("insert", "delete", "update", "update key", "go and come back", "come and go"),
    "insert": ("insert",),
    "delete": ("delete",),
    "update": ("update", "update key", "go and come back"),
}

Batch = Mapping[str, Sequence[Line]]


def random_tables(rng: Random) -> tuple[State, frozenset[str]]:
    """Tables at OLD and NEW and gross changes between, in the order they happened.

    A table may be named as changed though its lines cancel, or though there are none.
    """
    mood = rng.choices((*MOODS, "delete all", "replace all"), (8, 2, 1, 2, 1, 1))[0]
    changing = rng.sample(sorted(TABLES), rng.choices((1, 2, 3), (3, 4, 4))[0])
    tables: dict[tuple[str, At], tuple[Row, ...]] = {}
    changes: dict[str, tuple[Line, ...]] = {}
    for name in TABLES:
        table = _Table(rng, name)
        tables[name, At.OLD] = tuple(table.rows)
        if name in changing:
            table.happens(mood)
        tables[name, At.NEW], changes[name] = tuple(table.rows), tuple(table.lines)
    idle = [n for n in TABLES if n not in changing and rng.random() < 0.1]
    return State(tables, changes), frozenset((*changing, *idle))


class _Table:
    """One table while things happen to it: a third have NULL keys, half have copies of rows."""

    def __init__(self, rng: Random, name: str) -> None:
        self.rng = rng
        self.kinds = TABLES[name]
        self.null_keys, self.copies = rng.random() < 1 / 3, rng.random() < 0.5
        self.rows: list[Row] = []
        self.lines: list[Line] = []
        for _ in range(rng.choice((0, 1, 2, 3, 3, 4, 4, 5))):
            self._add(self._new())
        self.lines.clear()

    def happens(self, mood: str) -> None:
        if mood in ("delete all", "replace all"):
            for row in list(self.rows):
                self._remove(row)
        if mood != "delete all":
            events = MOODS.get(mood, ("insert",))
            for _ in range(self.rng.choice((1, 2, 3, 4))):
                self._happens(self.rng.choice(events))

    def _happens(self, event: str) -> None:
        if event in ("insert", "come and go") or not self.rows:
            row = self._new()
            copies = 2 if self.copies and self.rng.random() < 0.2 else 1
            self._add(row, copies)
            if event == "come and go":
                self._remove(row, copies)
            return
        gone = self._victim()
        self._remove(gone)
        match event:
            case "update":
                place = self.rng.randrange(1, len(gone))
                other = self._value(self.kinds[place])
                self._add((*gone[:place], other, *gone[place + 1 :]))
            case "update key":
                self._add((self._key(), *gone[1:]))
            case "go and come back":
                self._add(gone)
            case _:
                pass

    def _add(self, row: Row, copies: int = 1) -> None:
        self.rows += [row] * copies
        self.lines.append((row, copies))

    def _remove(self, row: Row, copies: int = 1) -> None:
        for _ in range(copies):
            self.rows.remove(row)
        self.lines.append((row, -copies))

    def _new(self) -> Row:
        if self.copies and self.rows and self.rng.random() < 0.4:
            return self.rng.choice(self.rows)
        for _ in range(5):
            row = (self._key(), *(self._value(kind) for kind in self.kinds[1:]))
            if self.copies or row not in self.rows:
                break
        return row

    def _victim(self) -> Row:
        """Half of the time the largest or smallest, which may be a group's extreme."""
        if self.rng.random() < 0.5:
            return self.rng.choice(self.rows)
        ordered = sorted(self.rows, key=lambda row: [(v is not None, v or 0) for v in row[1::-1]])
        return self.rng.choice((ordered[0], ordered[-1]))

    def _key(self) -> Any:
        return None if self.null_keys and self.rng.random() < 0.3 else self.rng.choice(NUMBERS)

    def _value(self, kind: str) -> Any:
        if self.rng.random() < 0.2:
            return None
        if kind == "array":
            some = (None, *NUMBERS)
            return tuple(self.rng.choice(some) for _ in range(self.rng.choice((0, 1, 1, 2))))
        return self.rng.choice(NUMBERS)


# The same changes told otherwise


def backwards(state: State) -> State:
    """From NEW to OLD."""
    other = {At.OLD: At.NEW, At.NEW: At.OLD}
    return State(
        {(name, other[at]): some for (name, at), some in state.tables.items()},
        {name: tuple((r, -w) for r, w in some[::-1]) for name, some in state.changes.items()},
    )


def netted(state: State) -> State:
    """Changes of which no line cancels another."""
    return State(state.tables, {n: tuple(bag(some).items()) for n, some in state.changes.items()})


def grosser(rng: Random, state: State, changed: frozenset[str]) -> State:
    """The same changes in any order, with rows that come and go, of the table or of nowhere."""
    changes = {}
    for name, lines in state.changes.items():
        more = list(lines)
        if name in changed:
            extra = [*state.tables[name, At.OLD], *_Table(rng, name).rows]
            for row in extra[: rng.randint(1, 4)]:
                more += [(row, 1), (row, -1)]
        rng.shuffle(more)
        changes[name] = tuple(more)
    return State(state.tables, changes)


def one_by_one(rng: Random, state: State) -> list[Batch]:
    """The changes of each table as a batch of their own, in any order."""
    names = sorted(state.changes)
    rng.shuffle(names)
    return [{name: state.changes[name]} for name in names]


def in_two(rng: Random, state: State) -> list[Batch]:
    """What happened first, and what happened then."""
    first = {n: rng.randint(0, len(lines)) for n, lines in state.changes.items()}
    return [
        {n: lines[: first[n]] for n, lines in state.changes.items()},
        {n: lines[first[n] :] for n, lines in state.changes.items()},
    ]


def batches(state: State, some: Sequence[Batch]) -> Iterator[tuple[State, frozenset[str]]]:
    """The states that one refresh after another meets."""
    now = {n: Counter(state.tables[n, At.OLD]) for n in state.changes}
    for batch in some:
        then = {n: bag([*counted.items(), *batch.get(n, ())]) for n, counted in now.items()}
        old = {(n, At.OLD): tuple(counted.elements()) for n, counted in now.items()}
        new = {(n, At.NEW): tuple(counted.elements()) for n, counted in then.items()}
        yield (
            State(old | new, {n: tuple(batch.get(n, ())) for n in now}),
            frozenset(n for n, lines in batch.items() if lines),
        )
        now = then
    assert all(not minus(now[n], Counter(state.tables[n, At.NEW])) for n in now)
