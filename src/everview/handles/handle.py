"""What the handles of tables and views have in common: a name, looked up at every call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from everview.errors import InvalidArgument
from everview.facts.files import count_marked
from everview.facts.merge_on_read import merge_on_read_of
from everview.facts.progress import Watcher
from everview.facts.readers import Readers
from everview.facts.receipts import Receipt
from everview.facts.refreshes import Wish
from everview.views.world import World, public_schema

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from everview.lake.catalog import Entry


class Owner(Protocol):
    """The warehouse, as far as its handles need it."""

    @property
    def spark(self) -> SparkSession: ...

    @property
    def _world(self) -> World: ...

    def _refresh(self, names: list[str], wish: Wish, progress: Watcher | None) -> list[Receipt]: ...

    def _drop(self, name: str, *, cascade: bool) -> tuple[str, ...]: ...

    def _before_read(self, entries: Iterable[Entry]) -> None: ...

    def _after_write(self, table: str, version: int) -> None: ...


class Handle:
    """A name of the warehouse; what it stands for is looked up at every call."""

    _kind = ""

    def __init__(self, warehouse: Owner, name: str) -> None:
        self._warehouse = warehouse
        self.name = warehouse._world.entry(name, self._kind).name

    @property
    def _world(self) -> World:
        return self._warehouse._world

    @property
    def _entry(self) -> Entry:
        return self._world.entry(self.name, self._kind)

    @property
    def path(self) -> str:
        """Where its Delta table lies, also after it was replaced or built anew; of a view with
        LIMIT or HAVING it may hold more rows than the view shows, and status() says which.
        """
        return self._world.uri(self._entry.location)

    def to_df(self, version: int | None = None) -> DataFrame:
        """Its rows as a DataFrame of the warehouse's session, at the newest or an older version."""
        return self._frame(self._asked(version))

    def _frame(self, version: int | None) -> DataFrame:
        from everview.queries import public_frame

        return public_frame(self._world, self._warehouse.spark, self._entry, version)

    def _asked(self, version: int | None) -> int | None:
        """The version to read; before the newest is read, a view may have to be refreshed."""
        if version is None:
            self._warehouse._before_read([self._entry])
            return None
        return version_number(version)

    def to_arrow(self, version: int | None = None) -> pa.Table:
        """Its rows as an Arrow table, at the newest or an older version. Up to 64 MB of files are
        read without Spark, unless there are nested or partition columns, or ORDER BY or LIMIT to
        apply; the rows and types are those of `to_df().toArrow()` either way.
        """
        from everview.views.arrow_rows import arrow_rows

        at = self._asked(version)
        rows = arrow_rows(self._world, self._entry, at)
        return self._frame(at).toArrow() if rows is None else rows

    def to_pandas(self, version: int | None = None) -> pd.DataFrame:
        """Its rows as a DataFrame of pandas, read as by to_arrow."""
        return self.to_arrow(version).to_pandas()

    @property
    def columns(self) -> list[str]:
        """The names of its columns; Spark is not asked."""
        table = self._world.open(self._entry)
        return list(public_schema(table, table.head().version).names)

    @property
    def schema(self) -> StructType:
        """The names and types of its columns as Spark has them; no rows are read."""
        return self._frame(None).schema

    def show(self, n: int = 20, *, truncate: bool | int = True) -> None:
        """Print some of its rows, as DataFrame.show does."""
        self.to_df().show(n, truncate)

    def __len__(self) -> int:
        """How many rows a reader sees; from the log where it says, else Spark counts them."""
        from everview.views.arrow_rows import number_of_rows

        at = self._asked(None)
        number = number_of_rows(self._world.open(self._entry))
        return self._frame(at).count() if number is None else number

    def __bool__(self) -> bool:
        """A handle is true, also of no rows."""
        return True

    @property
    def readers(self) -> Readers:
        """Who can read its folder: what a reader of Delta tables must know."""
        table = self._world.open(self._entry)
        head = table.head()
        return Readers(head.reader_features, count_marked(table.snapshot(head.version).files))

    def rename(self, name: str) -> None:
        """Give it another name; StillUsed if views read it under the one it has."""
        from everview.views.catalog_changes import alter_entry

        alter_entry(self._world, self._entry, replace(self._entry, name=name))
        self.name = name

    def set_comment(self, comment: str | None) -> None:
        """What SHOW and DESCRIBE say of it; None takes it away."""
        from everview.views.catalog_changes import alter_entry

        alter_entry(self._world, self._entry, replace(self._entry, comment=comment or ""))

    def set_merge_on_read(self, value: str) -> None:
        """Whether rows may be deleted by deletion vectors, which not every reader of Delta tables
        knows: `auto` does so where files are large, `never` rewrites the files. Files that have
        them already keep them until compact().
        """
        from everview.views.table_properties import set_merge_on_read

        set_merge_on_read(self._world, self._world.open(self._entry), merge_on_read_of(value))

    def drop(self, *, cascade: bool = False) -> tuple[str, ...]:
        """Forget the name; StillUsed if views read it, unless `cascade` drops those too. Files are
        removed, an attached table's are not. Gives the names that are gone.
        """
        return self._warehouse._drop(self.name, cascade=cascade)

    def vacuum(
        self, retention_hours: float | None = None, *, dry_run: bool = False, force: bool = False
    ) -> tuple[str, ...]:
        """Remove files that no version within the retention needs; gives their paths.

        Without `retention_hours`, the setting of that name decides. Fewer hours than it says are
        refused unless `force` is given: views that have not seen the newest changes need those
        files, and so does whoever is reading or writing now. `dry_run` removes nothing.
        """
        entry = self._entry
        hours = checked_retention(self._world, entry, retention_hours, force=force or dry_run)
        return self._world.open(entry).vacuum(hours, dry_run=dry_run)


def checked_retention(
    world: World, entry: Entry | None, given: float | None, *, force: bool
) -> float:
    """How many hours to keep, of an entry or of all; InvalidArgument for fewer than the setting
    says.
    """
    least = world.settings.retention_hours
    hours = least if given is None else given
    if hours < 0:
        raise InvalidArgument(f"A retention of {hours} hours.", remedy="Give 0 or more hours.")
    if hours >= least or force:
        return hours
    from everview.views.catalog_changes import sources_of_views
    from everview.views.graph import readers

    sources = sources_of_views(world)
    used = sorted(sources) if entry is None else readers(entry.name.lower(), sources)
    who = f", and {', '.join(used)} may need what was removed since" if used else ""
    raise InvalidArgument(
        f"A retention of {hours:g} hours is less than the {least:g} of the setting "
        f"retention_hours{who}.",
        remedy="Refresh the views and let no one write meanwhile, then give force=True (FORCE in "
        "SQL). dry_run=True (DRY RUN) only shows what would go.",
    )


def version_number(version: object) -> int:
    if isinstance(version, bool) or not isinstance(version, int) or version < 0:
        raise InvalidArgument(
            f"{version!r} is not a version.", remedy="Versions are numbers from 0; see history()."
        )
    return version
