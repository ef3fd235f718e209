"""A worked example of a research document: tables, what happens to them, a view over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from everview.algebra.meaning.plans import CountedBag, Row, State, bag, rows
from everview.algebra.relations import At, Net, Rel
from everview.algebra.walk import at
from everview.delta.context import Known
from everview.delta.propagate import delta
from everview.facts.schema import Field, Schema
from everview.sql.bind.query import Lowered, bind
from everview.sql.read.parse import parse_query
from tests.improve import ordered_terms
from tests.laws.generate import only_of

Rows = tuple[Row, ...]


@dataclass(frozen=True)
class Table:
    """The names of the columns, the rows at OLD, and those deleted and inserted since."""

    columns: str
    rows: Rows
    deleted: Rows = ()
    inserted: Rows = ()

    @property
    def schema(self) -> Schema:
        """A column that holds a number is of numbers, any other of text."""
        some = zip(*self.rows, *self.inserted, strict=True)
        named = zip(self.columns.split(), some, strict=True)
        return Schema(tuple(Field(name, _type(values)) for name, values in named))

    @property
    def new(self) -> Rows:
        found = applied(Counter(self.rows), changes(self.deleted, self.inserted))
        if any(n < 0 for n in found.values()):
            raise ValueError("a row is deleted that is not there")
        return tuple(found.elements())


@dataclass(frozen=True)
class Maintained:
    """A view at OLD and NEW by its definition, and its net changes by the delta rules."""

    old: CountedBag
    changes: CountedBag
    new: CountedBag

    @property
    def refreshed(self) -> CountedBag:
        """The old view with the changes, which must be the new one."""
        return applied(self.old, self.changes)


@dataclass(frozen=True)
class Example:
    """Tables by name. Queries also read the changes of R, as R_deleted and R_inserted."""

    tables: Mapping[str, Table]

    def plan(self, sql: str) -> Rel:
        schemas = {n.lower(): t.schema for n, t in self.tables.items()}
        parts = {f"{n}_{part}": s for n, s in schemas.items() for part in ("deleted", "inserted")}
        found = bind(parse_query(sql), schemas | parts)
        if not isinstance(found, Lowered):
            raise AssertionError(f"not understood: {found}")
        return found.rel

    def rows(self, sql: str, snapshot: At) -> CountedBag:
        """What the query gives if it is asked when the tables are at that snapshot."""
        return rows(at(self.plan(sql), snapshot), self.state)

    def maintained(self, sql: str) -> Maintained:
        """The view and its changes, as propagated and as they are run: both must be the same."""
        changes = delta(self.plan(sql), self.changed, Known(only_of(self.state, self.changed)))
        if changes is None:
            raise AssertionError("the view reads no table that changes")
        plan = Net(changes)
        found = rows(plan, self.state)
        run = rows(ordered_terms(plan), self.state)
        if found != run:
            raise AssertionError(f"propagated {found}, run {run}")
        return Maintained(self.rows(sql, At.OLD), found, self.rows(sql, At.NEW))

    @property
    def changed(self) -> frozenset[str]:
        return frozenset(n.lower() for n, t in self.tables.items() if t.deleted or t.inserted)

    @property
    def state(self) -> State:
        held: dict[tuple[str, At], Rows] = {}
        lines = {}
        for name, table in self.tables.items():
            held[name.lower(), At.OLD], held[name.lower(), At.NEW] = table.rows, table.new
            for snapshot in At:
                held[f"{name.lower()}_deleted", snapshot] = table.deleted
                held[f"{name.lower()}_inserted", snapshot] = table.inserted
            lines[name.lower()] = (
                *((row, -1) for row in table.deleted),
                *((row, 1) for row in table.inserted),
            )
        return State(held, lines)


def _type(values: Row) -> str:
    return "long" if any(isinstance(v, int) for v in values) else "string"


def changes(deleted: Iterable[Row] = (), inserted: Iterable[Row] = ()) -> CountedBag:
    """These rows as net changes."""
    return bag([*((row, -1) for row in deleted), *((row, 1) for row in inserted)])


def applied(some: CountedBag, more: CountedBag) -> CountedBag:
    """The sum with signs: a row deleted once too often shows."""
    return bag([*some.items(), *more.items()])
