"""The parts of one write: the table's new content, and what changed as old and new rows."""

from __future__ import annotations

from everview.algebra.relations import Values
from everview.algebra.scalars import NULL, Cast, Column, Compare, Ref, Scalar, integer, string

ROWS, MINUS, PLUS = "rows", "minus", "plus"
PART = "__ev_part"  # which part a line belongs to
ACTION = "__ev_action"  # what a line of minus or plus stands for; NULL for a line of rows

# A number, because every line is counted by it while it is written.
INSERT, UPDATE_NEW, UPDATE_OLD, DELETE = 1, 2, 3, 4

NO_ACTION = Cast(NULL, "integer")


def action_code(action: int) -> Scalar:
    return Cast(integer(action), "integer")


def line_parts(column: Column) -> Values:
    """One row per part: a touched row joined with it gives a line for each."""
    return Values(tuple((string(part),) for part in (ROWS, MINUS, PLUS)), (column,))


def is_part(column: Column, part: str) -> Scalar:
    return Compare("=", Ref(column.id), string(part))
