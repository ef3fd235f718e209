"""Virtual views in a query: each is replaced by its own query, all the way down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from everview.errors import Place, SqlNotAllowed
from everview.sql.names import quoted
from everview.sql.read.parse import Parsed, parse_query, table_name, table_references


@dataclass(frozen=True, slots=True)
class VirtualView:
    """A query under a name; `columns` rename its outputs where they are given."""

    name: str
    sql: str
    columns: tuple[str, ...] = ()
    comments: Mapping[str, str] = field(default_factory=dict)  # by column

    @property
    def query(self) -> str:
        """The query with the names of its columns."""
        if not self.columns:
            return self.sql
        names = ", ".join(map(quoted, self.columns))
        return f"SELECT * FROM (\n{self.sql}\n) AS {quoted(self.name)}({names})"


@dataclass(frozen=True, slots=True)
class _Replaced:
    """The characters before[start:end] became after[at : at + length]."""

    start: int
    end: int
    at: int
    length: int


@dataclass(frozen=True, slots=True)
class Inlined:
    """A query over tables alone, the lower-case names of the virtual views it came to use, and
    how it was made of the original.
    """

    parsed: Parsed
    original: Parsed
    used: tuple[str, ...] = ()
    passes: tuple[tuple[_Replaced, ...], ...] = ()

    @property
    def tables(self) -> tuple[str, ...]:
        """The lower-case names that the query reads."""
        return tuple(table_name(t).lower() for t in table_references(self.parsed))

    def in_original(self, place: Place | None) -> Place | None:
        """A place of the query as one of the original; what stands in a virtual view is shown
        where that view is named.
        """
        if place is None:
            return None
        lines = self.parsed.text.split("\n")
        start = sum(len(line) + 1 for line in lines[: place.line - 1]) + place.column - 1
        end = start + max(1, place.length)
        for replaced in reversed(self.passes):
            start, end = _before(start, end, replaced)
        return self.original.place_at(start, end - 1)


def _before(start: int, end: int, replaced: tuple[_Replaced, ...]) -> tuple[int, int]:
    """Where a stretch of the text after a pass stood before it."""
    grown = 0
    for one in replaced:
        if start < one.at:
            break
        if start < one.at + one.length:
            return one.start, one.end
        grown = one.at + one.length - one.end
    return start - grown, end - grown


def inlined(parsed: Parsed, views: Mapping[str, VirtualView]) -> Inlined:
    """The query with each virtual view replaced by its own query.

    `views` are by lower-case name and do not read each other in a circle.
    """
    done = Inlined(parsed, parsed)
    while True:
        found = [t for t in table_references(done.parsed) if table_name(t).lower() in views]
        if not found:
            return done
        done = _replaced(done, found, views)


def _replaced(done: Inlined, found: list[exp.Table], views: Mapping[str, VirtualView]) -> Inlined:
    text = done.parsed.text
    pieces: list[str] = []
    replaced: list[_Replaced] = []
    at = past = 0
    for table in sorted(found, key=lambda t: int(t.this.meta["start"])):
        view = views[table_name(table).lower()]
        _refuse_capture(done, table, view)
        start, end = int(table.this.meta["start"]), int(table.this.meta["end"]) + 1
        # Spark wants a sample before the alias; without one the name cannot qualify columns.
        is_named = table.alias or table.args.get("sample")
        query = f"(\n{view.query}\n)" + ("" if is_named else f" AS {quoted(table.name)}")
        at += start - past
        replaced.append(_Replaced(start, end, at, len(query)))
        pieces += [text[past:start], query]
        at += len(query)
        past = end
    parsed = parse_query("".join([*pieces, text[past:]]))
    names = {**dict.fromkeys(done.used), **{table_name(t).lower(): None for t in found}}
    return replace(done, parsed=parsed, used=tuple(names), passes=(*done.passes, tuple(replaced)))


def _refuse_capture(done: Inlined, table: exp.Table, view: VirtualView) -> None:
    """A WITH name of the query must not take the place of a table that the view reads."""
    ctes = {cte.alias.lower() for cte in done.parsed.tree.find_all(exp.CTE)}
    for inner in table_references(parse_query(view.sql)):
        name = table_name(inner).lower()
        if name in ctes:
            raise SqlNotAllowed(
                f"The view `{view.name}` reads `{name}`, and here WITH gives that name to "
                "something else.",
                where=done.in_original(done.parsed.place(table)),
                remedy="Give the WITH query another name.",
            )
