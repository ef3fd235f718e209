"""The state of one refresh while its steps are carried out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pyspark.sql import DataFrame

from everview.algebra.relations import Changes, Rel
from everview.algebra.walk import walk_plan
from everview.facts.files import TableFile
from everview.facts.receipts import Receipt
from everview.facts.refreshes import RefreshFacts
from everview.facts.tables import TableShape
from everview.lake.delta.table import EmbeddedTable
from everview.plan.grouped import Grouped
from everview.plan.leaf_facts import leaf_facts
from everview.plan.narrow import narrowed
from everview.plan.shape import Bag, Keyed, Shape
from everview.plan.strategies import Choice
from everview.run.engine import Actions, Engine
from everview.run.faults import Probe
from everview.run.frames import Frames
from everview.run.receipt import Done, receipt_of
from everview.run.staging import Staged, Staging
from everview.run.write import Written
from everview.sql.write import write


@dataclass(frozen=True, slots=True)
class Rebuild:
    """What a refresh that builds a view does besides: the shape that the commit gives the table,
    if it changes, and a check of what was written, right before the commit.
    """

    shape: TableShape | None
    check: Callable[[Work], None]


@dataclass
class Work:
    """What the steps share: the pinned facts, the session, and what earlier steps left."""

    engine: Engine
    facts: RefreshFacts
    choice: Choice
    shape: Shape
    table: EmbeddedTable
    token: str
    frames: Frames
    staging: Staging
    probe: Probe
    now: int  # milliseconds since the epoch
    rebuild: Rebuild | None = None
    actions: Actions = field(default_factory=Actions)
    staged: Staged | None = None
    recompute: Rel | None = None
    written: Written | None = None
    removed: tuple[TableFile, ...] = ()
    copies: dict[tuple[str, int], int] = field(default_factory=dict)

    def receipt(self) -> Receipt:
        """What was done so far."""
        removed = sum(f.rows or 0 for f in self.removed)
        return receipt_of(
            self.facts, self.choice, Done(self.written, removed, self.actions, self.frames)
        )

    def query(self, rel: Rel, names: tuple[str, ...]) -> DataFrame:
        """The rows of a plan under these names; scans are cut to what rows at hand ask for."""
        at_hand = {name: (s.schema, s.files) for name, s in self.frames.local.items()}
        rel = narrowed(rel, leaf_facts(self.facts, at_hand))
        return self.frames.run(write(rel, self.types() | self._source_types(rel), names))

    def _source_types(self, rel: Rel) -> dict[int, str]:
        """The types of the columns of changes, which may be netted as they come."""
        sources = self.facts.stored.record
        return {
            column.id: sources.source(leaf.table).schema[column.name].type
            for leaf in walk_plan(rel)
            if isinstance(leaf, Changes)
            for column in leaf.columns
        }

    def types(self) -> dict[int, str]:
        match self.shape:
            case Keyed(view, _) | Grouped(view, _, _):
                return dict(view.types)
            case Bag(_, types, _):
                return dict(types)
            case _:
                return {}
