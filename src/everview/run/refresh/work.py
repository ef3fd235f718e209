"""The state of one refresh while its steps are carried out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pyspark.sql import DataFrame

from everview.algebra.relations import Rel
from everview.choose.strategies import Choice
from everview.facts.files import TableFile
from everview.facts.receipts import Receipt
from everview.facts.refreshes import RefreshFacts
from everview.facts.tables import TableShape
from everview.lake.port import LakeTable
from everview.optimize.leaf_facts import leaf_facts
from everview.optimize.narrow import narrowed
from everview.run.faults import Probe
from everview.run.refresh.receipt import Done, receipt_of
from everview.run.rows.frames import Frames
from everview.run.rows.staging import Staged, Staging
from everview.run.rows.write import Written
from everview.shape.column_types import column_types
from everview.shape.shape import Shape
from everview.spark.engine import Actions, Engine
from everview.sql.write.door import write


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
    table: LakeTable
    token: str
    frames: Frames
    staging: Staging
    probe: Probe
    rebuild: Rebuild | None = None
    actions: Actions = field(default_factory=Actions)
    step: str = ""  # the one being carried out
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
        types = column_types(self.shape, self.facts.stored.record, rel)
        return self.frames.run(write(rel, types, names))
