"""The propagation rules of seed 003, P1 to P36, each over rows that it tells apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from tests.seeds.sets import (
    Set,
    anti,
    join,
    left,
    loyal,
    padded,
    padding_before,
    right,
    semi,
    times,
)
from tests.seeds.university import JOINS, UNIVERSITY
from tests.seeds.worked import Example, Table, changes

# Two sets of the same columns.
A = Table(
    "v",
    (("a",), ("b",), ("c",), ("d",)),
    deleted=(("a",), ("c",)),
    inserted=(("e",), ("f",)),
)
B = Table(
    "v",
    (("c",), ("d",), ("e",), ("h",)),
    deleted=(("c",), ("e",)),
    inserted=(("b",), ("g",)),
)
SETS = {"S": A, "T": B}

VIEWS = {
    "selection": "SELECT * FROM S WHERE x <> 'Bob' AND x <> 'Eve'",
    "projection": "SELECT DISTINCT j FROM S",
    "product": "SELECT * FROM S CROSS JOIN T",
    "union": "SELECT * FROM S UNION SELECT * FROM T",
    "difference": "SELECT * FROM S EXCEPT SELECT * FROM T",
    "intersection": "SELECT * FROM S INTERSECT SELECT * FROM T",
    **JOINS,
}
SET_OPERATIONS = ("union", "difference", "intersection")

Formula = Callable[[Set, Set, Set], Set]  # of S, T and what is deleted or inserted
NOTHING: Set = frozenset()


def nothing(_s: Set, _t: Set, _changed: Set) -> Set:
    return NOTHING


@dataclass(frozen=True)
class Rule:
    """What is deleted from and inserted into the view when one table changes in one way."""

    name: str
    view: str
    change: str  # S- deletes from S, T+ inserts into T
    deleted: Formula = nothing
    inserted: Formula = nothing


def kept(some: Set) -> Set:
    return frozenset(row for row in some if row[1] not in ("Bob", "Eve"))


def first(some: Set) -> Set:
    return frozenset(row[:1] for row in some)


RULES = (
    Rule("P1", "selection", "S-", deleted=lambda s, t, d: kept(d)),
    Rule("P2", "selection", "S+", inserted=lambda s, t, d: kept(d)),
    Rule("P3", "projection", "S-", deleted=lambda s, t, d: first(s) - first(s - d)),
    Rule("P3'", "projection", "S-", deleted=lambda s, t, d: first(d) - first(s - d)),
    Rule("P4", "projection", "S+", inserted=lambda s, t, d: first(d)),
    Rule("P5", "product", "S-", deleted=lambda s, t, d: times(d, t)),
    Rule("P6", "product", "S+", inserted=lambda s, t, d: times(d, t)),
    Rule("P7", "union", "S-", deleted=lambda s, t, d: d - t),
    Rule("P8", "union", "S+", inserted=lambda s, t, d: d - t),
    Rule("P9", "difference", "S-", deleted=lambda s, t, d: d - t),
    Rule("P10", "difference", "T-", inserted=lambda s, t, d: s & d),
    Rule("P11", "difference", "S+", inserted=lambda s, t, d: d - t),
    Rule("P12", "difference", "T+", deleted=lambda s, t, d: s & d),
    Rule("P13", "intersection", "S-", deleted=lambda s, t, d: d & t),
    Rule("P14", "intersection", "S+", inserted=lambda s, t, d: d & t),
    Rule("P15", "join", "S-", deleted=lambda s, t, d: join(d, t)),
    Rule("P16", "join", "S+", inserted=lambda s, t, d: join(d, t)),
    Rule("P17", "semi", "S-", deleted=lambda s, t, d: d),
    Rule("P18", "semi", "S+", inserted=lambda s, t, d: semi(d, t)),
    Rule("P19", "semi", "T-", deleted=lambda s, t, d: semi(s, loyal(d, t))),
    Rule("P20", "semi", "T+", inserted=lambda s, t, d: semi(s, d)),
    Rule("P21", "anti", "S-", deleted=lambda s, t, d: d),
    Rule("P22", "anti", "S+", inserted=lambda s, t, d: anti(d, t)),
    Rule("P23", "anti", "T-", inserted=lambda s, t, d: semi(s, loyal(d, t))),
    Rule("P24", "anti", "T+", deleted=lambda s, t, d: semi(s, d)),
    Rule("P25", "left", "S-", deleted=lambda s, t, d: left(d, t)),
    Rule("P26", "left", "S+", inserted=lambda s, t, d: left(d, t)),
    Rule(
        "P27",
        "left",
        "T-",
        deleted=lambda s, t, d: join(s, d),
        inserted=lambda s, t, d: padded(semi(s, loyal(d, t))),
    ),
    Rule(
        "P28",
        "left",
        "T+",
        deleted=lambda s, t, d: padded(semi(s, d)),
        inserted=lambda s, t, d: join(s, d),
    ),
    Rule(
        "P29",
        "right",
        "S-",
        deleted=lambda s, t, d: join(d, t),
        inserted=lambda s, t, d: padding_before(semi(t, loyal(d, s))),
    ),
    Rule(
        "P30",
        "right",
        "S+",
        deleted=lambda s, t, d: padding_before(semi(t, d)),
        inserted=lambda s, t, d: join(d, t),
    ),
    Rule("P31", "right", "T-", deleted=lambda s, t, d: right(s, d)),
    Rule("P32", "right", "T+", inserted=lambda s, t, d: right(s, d)),
    Rule(
        "P33",
        "full",
        "S-",
        deleted=lambda s, t, d: left(d, t),
        inserted=lambda s, t, d: padding_before(semi(t, loyal(d, s))),
    ),
    Rule(
        "P34",
        "full",
        "S+",
        deleted=lambda s, t, d: padding_before(semi(t, d)),
        inserted=lambda s, t, d: left(d, t),
    ),
    Rule(
        "P35",
        "full",
        "T-",
        deleted=lambda s, t, d: right(s, d),
        inserted=lambda s, t, d: padded(semi(s, loyal(d, t))),
    ),
    Rule(
        "P36",
        "full",
        "T+",
        deleted=lambda s, t, d: padded(semi(s, d)),
        inserted=lambda s, t, d: right(s, d),
    ),
)


def only(tables: dict[str, Table], change: str) -> tuple[dict[str, Table], Set]:
    """The tables of which only one changes, in one way, and the rows of that change."""
    still = {n: replace(t, deleted=(), inserted=()) for n, t in tables.items()}
    name, changing = change[0], tables[change[0]]
    if change[1] == "-":
        still[name] = replace(changing, inserted=())
        return still, frozenset(changing.deleted)
    still[name] = replace(changing, deleted=())
    return still, frozenset(changing.inserted)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_for_one_change(rule: Rule) -> None:
    """The rule says which rows go and come, some of them not there or there already: taken as sets
    these are our changes.
    """
    tables, changed = only(SETS if rule.view in SET_OPERATIONS else UNIVERSITY, rule.change)
    s, t = (frozenset(tables[n].rows) for n in ("S", "T"))
    view = Example(tables).maintained(VIEWS[rule.view])
    old = frozenset(view.old)
    gone, come = rule.deleted(s, t, changed) & old, rule.inserted(s, t, changed) - old
    assert gone or come
    assert view.changes == changes(deleted=gone, inserted=come)
    assert view.refreshed == view.new
    assert view.refreshed.keys() == (old - gone) | come
