"""The warehouse, as far as statements need it, and errors placed in the user's whole text."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession

from everview.errors import EverviewError, InvalidName, Place
from everview.facts.failures import retold
from everview.facts.receipts import Receipt
from everview.handles.table import Table
from everview.handles.view import View
from everview.lake.catalog import Entry
from everview.queries import query_frame
from everview.sql.read.parse import parse_query
from everview.sql.statements.parts import Name, Slice
from everview.views.resolve import resolve
from everview.views.status import Status
from everview.views.world import World


class WarehousePort(Protocol):
    """What statements call."""

    @property
    def spark(self) -> SparkSession: ...

    @property
    def _world(self) -> World: ...

    def attach(self, name: str, path: str, *, replace: bool = False) -> Table: ...

    def table(self, name: str) -> Table: ...

    def tables(self) -> list[str]: ...

    def vacuum(
        self, retention_hours: float | None = None, *, dry_run: bool = False, force: bool = False
    ) -> tuple[str, ...]: ...

    def view(self, name: str) -> View: ...

    def views(self) -> list[str]: ...

    def refresh(self, *names: str, full: bool = False, strategy: str = "auto") -> list[Receipt]: ...

    def status(self, *names: str) -> list[Status]: ...

    def _before_read(self, entries: Iterable[Entry]) -> None: ...


@contextlib.contextmanager
def placed(part: Slice, above: int = 0) -> Iterator[None]:
    """An error about a part of a statement is shown at its place in the whole text; the part was
    read with so many lines `above` it.
    """
    try:
        yield
    except EverviewError as error:
        if not isinstance(error.where, Place):
            raise
        where = in_whole(part, error.where, above)
        raise retold(error, error.what, where) from error.__cause__


def in_whole(part: Slice, place: Place, above: int) -> Place:
    """A place in a part that was read with lines above it; what is not in the part is shown at
    its beginning.
    """
    line = place.line - above
    if not 1 <= line <= part.text.count("\n") + 1:
        return part.place(0, 0)
    return part.in_whole(replace(place, line=line))


def checked_names(wh: WarehousePort, *parts: Slice | None) -> None:
    """Every name in conditions and values must be known, or is shown at its place; views that are
    refreshed when they are read are.
    """
    for part in parts:
        if part is not None:
            with placed(part, above=1):
                found = resolve(wh._world, parse_query(f"SELECT (\n{part.text}\n)"))
                wh._before_read(found.entries.values())


def is_read_by(wh: WarehousePort, name: str, part: Slice) -> bool:
    """Whether a query that is part of a statement reads the table of that name."""
    with placed(part):
        read = resolve(wh._world, parse_query(part.text), temporary=True).entries.values()
    return any(e.name.lower() == name.lower() for e in read)


def rows_of(wh: WarehousePort, part: Slice, *, only_explained: bool = False) -> DataFrame:
    """The rows of a query that is part of a statement, in the caller's session. Views in it that
    are refreshed when they are read are, unless it is only explained.
    """
    before = None if only_explained else wh._before_read
    with placed(part):
        return query_frame(wh._world, wh.spark, part.text, before=before)


def single(name: Name) -> str:
    """A name of the warehouse that is to be made: one part."""
    if len(name.parts) != 1:
        raise InvalidName(
            f"`{name.dotted}` has {len(name.parts)} parts.",
            remedy="Names of the warehouse have one part: no database in front.",
        )
    return name.parts[0]
