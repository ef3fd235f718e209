"""Whether the changes of a source are netted before anything is computed from them, and by whom."""

from __future__ import annotations

from collections.abc import Iterator

from everview.algebra.relations import Join, Rel
from everview.algebra.types import can_be_compared
from everview.algebra.walk import walk_plan
from everview.facts.files import DataFile, Sign
from everview.facts.refreshes import RefreshFacts, SourceFacts
from everview.facts.tables import TableChanges
from everview.facts.wording import counted
from everview.optimize.parts import MOST_READ_AGAIN

# A table that is written anew every night with a handful of other rows tells its changes as two
# whole tables. The driver nets them before a refresh is planned where it can read them quickly,
# so that the choice knows how few are left. Where they are more, a query of its own nets them
# first, if the changes are joined: then every term reads the few that are left.
#
#     20,000 rows go, 20,000 come     at most all of them cancel: the driver compares them
#     3 rows go, 20,000 come          at most 6 cancel: they are taken as they are

MOST_BYTES_BY_DRIVER = 64_000_000  # of files, all columns; Arrow compares them in about a second
MOST_ROWS_BY_DRIVER = 10_000_000
FEWEST_ROWS = 1_000  # of changes that are told row by row: fewer are as quickly propagated
FEWEST_ROWS_BY_SPARK = 100_000  # a query of its own costs as much as propagating so many
WHOLE_FILES = "file difference"


def is_netted_by_driver(changes: TableChanges) -> bool:
    """Whether the driver should compare the rows that go with those that come."""
    rows, files = _both_ways(changes), _files(changes)
    if rows is None or any(f.rows is None for f in files):
        return False
    is_small = sum(f.size for f in files) <= MOST_BYTES_BY_DRIVER and rows <= MOST_ROWS_BY_DRIVER
    return is_small and (_has_whole_files(changes) or rows >= FEWEST_ROWS)


def may_be_equal(changes: TableChanges) -> bool:
    """Whether as many rows go as come, so that nothing may be left of the changes."""
    number = {sign: sum(f.file.rows or 0 for f in changes.files if f.sign is sign) for sign in Sign}
    fed = any(f.sign is Sign.FEED for f in changes.files)
    return not fed and number[Sign.PLUS] == number[Sign.MINUS]


def netted_by_query(facts: RefreshFacts, changes: Rel) -> frozenset[str]:
    """The sources whose changes a query of its own nets first: many rows of whole files, not netted
    before, where they are joined with something.
    """
    if not any(isinstance(some, Join) for some in walk_plan(changes)):
        return frozenset()
    return frozenset(s.name for s in facts.sources if _is_netted_by_query(s))


def _is_netted_by_query(source: SourceFacts) -> bool:
    changes = source.changes
    if not isinstance(changes, TableChanges) or source.gross is not None:
        return False
    rows = _both_ways(changes)
    is_many = rows is not None and rows >= FEWEST_ROWS_BY_SPARK
    comparable = all(can_be_compared(f.parsed) for f in source.at_new.schema.fields)
    return is_many and comparable and _has_whole_files(changes)


def netted_columns(facts: RefreshFacts, source: SourceFacts) -> tuple[str, ...] | None:
    """The columns by which rows cancel; None if some are not told.

    Those that the view uses are enough, unless rows before the changes are computed from those
    after them, by all columns.
    """
    changes, record = source.changes, facts.stored.record
    own = record.source(source.name)
    assert isinstance(changes, TableChanges)
    undone = any(s.at_old is None or s.at_new.bytes > MOST_READ_AGAIN for s in facts.sources)
    by_all = undone or bool(record.full_only) or not own.used
    wanted = own.schema.names if by_all else own.used
    return wanted if all(n in changes.schema for n in wanted) else None


def netting_text(facts: RefreshFacts) -> str:
    """`o: 40,000 changes netted to 2 first`, for each source of which that is so."""
    return ", ".join(
        f"{s.name}: {counted(s.gross.rows, 'change')} netted to {s.changes.rows or 0:,} first"
        for s in facts.sources
        if s.gross is not None and isinstance(s.changes, TableChanges)
    )


def _both_ways(changes: TableChanges) -> int | None:
    """The rows that go and come by files of their own; None if few of them can cancel."""
    files = tuple(_files(changes))
    gone = sum(f.file.rows or 0 for f in changes.files if f.sign is Sign.MINUS)
    come = sum(f.file.rows or 0 for f in changes.files if f.sign is Sign.PLUS)
    few = 4 * min(gone, come) < gone + come  # less than half of them
    return None if few or not files else gone + come


def _files(changes: TableChanges) -> list[DataFile]:
    return list(_signed_files(changes))


def _signed_files(changes: TableChanges) -> Iterator[DataFile]:
    for change in changes.files:
        if change.sign is not Sign.FEED and isinstance(change.file, DataFile):
            yield change.file


def _has_whole_files(changes: TableChanges) -> bool:
    """Whether some commit tells its changes only by files that go and files that come."""
    return any(way == WHOLE_FILES for way, _ in changes.ways)
