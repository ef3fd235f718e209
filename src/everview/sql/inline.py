"""Virtual views in a query: each is replaced by its own query, all the way down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from everview.errors import SqlNotAllowed
from everview.sql.names import quoted
from everview.sql.parse import Parsed, parse_query, table_name, table_references


@dataclass(frozen=True, slots=True)
class VirtualView:
    """A query under a name; `columns` rename its outputs where they are given."""

    name: str
    sql: str
    columns: tuple[str, ...] = ()

    @property
    def query(self) -> str:
        """The query with the names of its columns."""
        if not self.columns:
            return self.sql
        names = ", ".join(map(quoted, self.columns))
        return f"SELECT * FROM (\n{self.sql}\n) AS {quoted(self.name)}({names})"


def inlined(parsed: Parsed, views: Mapping[str, VirtualView]) -> tuple[Parsed, tuple[str, ...]]:
    """The query over tables alone, and the lower-case names of the virtual views it came to use.

    `views` are by lower-case name and do not read each other in a circle.
    """
    used: dict[str, None] = {}
    while True:
        found = [t for t in table_references(parsed) if table_name(t).lower() in views]
        if not found:
            return parsed, tuple(used)
        used |= {table_name(t).lower(): None for t in found}
        parsed = _replaced(parsed, found, views)


def _replaced(parsed: Parsed, found: list[exp.Table], views: Mapping[str, VirtualView]) -> Parsed:
    pieces: list[str] = []
    done = 0
    for table in sorted(found, key=lambda t: int(t.this.meta["start"])):
        view = views[table_name(table).lower()]
        _refuse_capture(parsed, table, view)
        alias = "" if table.alias else f" AS {quoted(table.name)}"
        pieces += [parsed.text[done : table.this.meta["start"]], f"(\n{view.query}\n){alias}"]
        done = table.this.meta["end"] + 1
    return parse_query("".join([*pieces, parsed.text[done:]]))


def _refuse_capture(parsed: Parsed, table: exp.Table, view: VirtualView) -> None:
    """A WITH name of the query must not take the place of a table that the view reads."""
    ctes = {cte.alias.lower() for cte in parsed.tree.find_all(exp.CTE)}
    for inner in table_references(parse_query(view.sql)):
        name = table_name(inner).lower()
        if name in ctes:
            raise SqlNotAllowed(
                f"The view `{view.name}` reads `{name}`, and here WITH gives that name to "
                "something else.",
                where=parsed.place(table),
                remedy="Give the WITH query another name.",
            )
