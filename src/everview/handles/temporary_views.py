"""The temporary views by which sessions read the views of a warehouse under their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everview.errors import EverviewError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from everview.lake.catalog import Entry
    from everview.views.world import World


class TemporaryViews:
    """The sessions that have them, and under which names."""

    def __init__(self) -> None:
        self._made: list[tuple[SparkSession, list[str]]] = []

    def make(self, world: World, session: SparkSession) -> list[str]:
        """Make them anew in a session, of every view that can be read; gives their names."""
        from everview.sql.names import quoted

        entries = [e for e in world.catalog.read().entries if e.kind in ("view", "virtual")]
        made = {e.name: f for e in entries if (f := _readable(world, session, e)) is not None}
        before = [n for known, names in self._made if known is session for n in names]
        for gone in set(before) - set(made):
            session.catalog.dropTempView(gone)
        for name, frame in made.items():
            frame.createOrReplaceTempView(quoted(name))
        others = [m for m in self._made if m[0] is not session]
        self._made = [*others, (session, list(made))]
        return list(made)

    def follow(self, world: World) -> None:
        """The sessions that have them see what is published now."""
        for session, _ in self._made:
            self.make(world, session)


def _readable(world: World, session: SparkSession, entry: Entry) -> DataFrame | None:
    from everview.queries import public_frame

    try:
        return public_frame(world, session, entry)
    except EverviewError:
        return None
