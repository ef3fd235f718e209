"""Figure 4 of seed 003: both sides of a join change at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.seeds.sets import Set, anti, join, left, padded, padding_before, right, semi
from tests.seeds.university import JOINS, UNIVERSITY
from tests.seeds.worked import Example, Table, changes


@dataclass(frozen=True)
class Side:
    """A table as sets: before, deleted, inserted, what stays and what is there after."""

    old: Set
    gone: Set
    come: Set

    @property
    def stays(self) -> Set:
        return self.old - self.gone

    @property
    def new(self) -> Set:
        return self.stays | self.come

    @property
    def lonely(self) -> Set:
        """Deleted rows that leave no friend behind."""
        return anti(self.gone, self.new)

    @property
    def first(self) -> Set:
        """Inserted rows that had no friend before."""
        return anti(self.come, self.old)


Formula = Callable[[Side, Side], Set]


def semi_deleted(s: Side, t: Side) -> Set:
    return semi(s.old, t.lonely) | semi(s.gone, t.stays) | semi(s.gone, semi(t.come, t.old))


def semi_inserted(s: Side, t: Side) -> Set:
    return semi(s.stays, t.first) | semi(s.come, t.new)


def anti_deleted(s: Side, t: Side) -> Set:
    return semi(s.stays, t.first) | anti(s.gone, t.old)


def anti_inserted(s: Side, t: Side) -> Set:
    return semi(s.stays, t.lonely) | anti(s.come, t.new)


def left_deleted(s: Side, t: Side) -> Set:
    return left(s.gone, t.old) | join(s.old, t.gone) | padded(semi(s.stays, t.first))


def left_inserted(s: Side, t: Side) -> Set:
    return left(s.come, t.new) | join(s.new, t.come) | padded(semi(s.stays, t.lonely))


def right_deleted(s: Side, t: Side) -> Set:
    lost = padding_before(semi(t.stays, s.first))
    return right(s.old, t.gone) | join(s.gone, t.old) | lost


def right_inserted(s: Side, t: Side) -> Set:
    lone = padding_before(semi(t.stays, s.lonely))
    return right(s.new, t.come) | join(s.come, t.new) | lone


def full_deleted(s: Side, t: Side) -> Set:
    lost = padded(semi(s.stays, t.first)) | padding_before(semi(t.stays, s.first))
    return left(s.gone, t.old) | right(s.old, t.gone) | lost


def full_inserted(s: Side, t: Side) -> Set:
    lone = padded(semi(s.stays, t.lonely)) | padding_before(semi(t.stays, s.lonely))
    return left(s.come, t.new) | right(s.new, t.come) | lone


FIGURE_4: dict[str, tuple[Formula, Formula]] = {
    "semi": (semi_deleted, semi_inserted),
    "anti": (anti_deleted, anti_inserted),
    "left": (left_deleted, left_inserted),
    "right": (right_deleted, right_inserted),
    "full": (full_deleted, full_inserted),
}


def side(table: Table) -> Side:
    return Side(frozenset(table.rows), frozenset(table.deleted), frozenset(table.inserted))


@pytest.mark.parametrize("name", FIGURE_4)
def test_figure_4(name: str) -> None:
    """The formulas give minimal changes, of sets: what they delete is there, what they insert is
    not. So they are our changes, row by row.
    """
    s, t = side(UNIVERSITY["S"]), side(UNIVERSITY["T"])
    deleted, inserted = (formula(s, t) for formula in FIGURE_4[name])
    view = Example(UNIVERSITY).maintained(JOINS[name])
    assert deleted <= view.old.keys()
    assert inserted.isdisjoint(view.old)
    assert view.changes == changes(deleted=deleted, inserted=inserted)
    assert view.refreshed == view.new
