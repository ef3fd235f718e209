"""What reading the leaves of a plan costs: by Spark, or by the driver where few rows are needed."""

from __future__ import annotations

from collections.abc import Iterable

from everview.algebra.relations import Changes, Rel, Scan
from everview.algebra.walk import walk_plan
from everview.choose.changes import changed_files
from everview.choose.cost import LOCATED_SHARE, MOST_FETCHED_ROWS, MOST_LOOKED_AT
from everview.facts.refreshes import RefreshFacts
from everview.facts.tables import TableChanges
from everview.optimize.select import files_within

# What goes in: the plans of a refresh. What comes out: about how many bytes Spark would read for
# what they cost. Changes of few rows are fetched by the driver, and so are the rows of other tables
# that they meet, if these are few: then only some columns of the files are looked at, by faster
# means. How many rows of a table a change meets is not known before it is tried; it is estimated by
# how many rows the tables have.
#
#     6,000 of 6,000,000 lines changed     meet at most 6,000 of 1,500,000 orders: fetched
#     3 of 25 nations changed              meet 720,000 of 6,000,000 lines: Spark reads all lines


def known_changes(facts: RefreshFacts) -> list[int] | None:
    """The rows that changed of each source that did; None if some are not known."""
    rows = [s.changes.rows for s in facts.sources if isinstance(s.changes, TableChanges)]
    known = [r for r in rows if r is not None]
    return known if len(known) == len(rows) else None


def leaf_bytes(facts: RefreshFacts, leaf: Rel) -> int:
    """The bytes of the files behind a leaf of the plan."""
    match leaf:
        case Scan(table, at, _):
            files = files_within(facts.source(table).at(at).files, leaf.ranges())
            return sum(f.size for f in files)
        case Changes(table, _):
            return changed_files(facts, table).bytes
        case _:
            return 0


def bytes_to_read(
    facts: RefreshFacts, plans: Iterable[Rel], *, whole_groups: bool = False
) -> tuple[int, bool]:
    """What reading all leaves costs, and whether the driver fetches all of them; `whole_groups`
    where all rows of touched groups are read.
    """
    read, alone = 0, True
    stored = facts.stored.snapshot.rows
    for leaf in (leaf for plan in plans for leaf in walk_plan(plan) if not leaf.inputs):
        size = leaf_bytes(facts, leaf)
        rows = _rows_met(facts, leaf) if isinstance(leaf, Scan | Changes) else 0
        if whole_groups and rows is not None and isinstance(leaf, Scan):
            rows *= max(1.0, (facts.source(leaf.table).at(leaf.at).rows or 0) / max(1, stored or 1))
        is_fetched = rows is not None and _is_fetched(rows, size)
        read += int(size * LOCATED_SHARE) if is_fetched else size
        alone = alone and is_fetched
    return read, alone


def _is_fetched(rows: float, size: int) -> bool:
    """Whether the driver will probably fetch so many rows of files of so many bytes."""
    return rows <= MOST_FETCHED_ROWS and size * _COLUMNS <= MOST_LOOKED_AT


_COLUMNS = 0.5  # the share of a file that the columns have that are looked at: a guess


def _rows_met(facts: RefreshFacts, leaf: Scan | Changes) -> float | None:
    """The rows of a leaf that the changes are or meet, about; None if that is not known."""
    if isinstance(leaf, Changes):
        return changed_files(facts, leaf.table).rows
    own = facts.source(leaf.table).at(leaf.at).rows
    met = 0.0
    for source in facts.sources:
        if not isinstance(source.changes, TableChanges) or not source.changed:
            continue
        whole, rows = source.at_new.rows, source.changes.rows
        if own is None or whole is None or rows is None:
            return None
        met += rows * max(1.0, own / max(1, whole))
    return met
