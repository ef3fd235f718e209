"""The worked example of seed 002, section 4.4: foreign keys and a join of three tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from everview.algebra.relations import At, Changes, Join, Rel, Scan, Shared
from everview.delta.propagate import delta
from tests.improve import ordered_terms
from tests.seeds.worked import Example, Table, changes

# Parts, suppliers, and who supplies what. With a part goes every row of A that refers to it, with
# a supplier too; one row goes alone.
P = Table(
    "P_PARTKEY P_NAME",
    (("p1", "nut"), ("p2", "bolt"), ("p3", "cog")),
    deleted=(("p1", "nut"),),
)
S = Table("S_SUPPKEY S_NAME", (("s1", "Ann"), ("s2", "Bob")), deleted=(("s2", "Bob"),))
A = Table(
    "PS_PARTKEY PS_SUPPKEY",
    (("p1", "s1"), ("p1", "s2"), ("p2", "s1"), ("p3", "s1"), ("p3", "s2")),
    deleted=(("p1", "s1"), ("p1", "s2"), ("p3", "s1"), ("p3", "s2")),
)
V = """
    SELECT * FROM P, S, A
    WHERE A.PS_PARTKEY = P.P_PARTKEY AND A.PS_SUPPKEY = S.S_SUPPKEY
"""
GONE = [
    ("p1", "nut", "s1", "Ann", "p1", "s1"),
    ("p1", "nut", "s2", "Bob", "p1", "s2"),
    ("p3", "cog", "s1", "Ann", "p3", "s1"),
    ("p3", "cog", "s2", "Bob", "p3", "s2"),
]
# By way of the deletions from the join of P and A.
LONG = """
    WITH PA_deleted AS (
        SELECT * FROM P_deleted JOIN A ON PS_PARTKEY = P_PARTKEY
        UNION ALL SELECT * FROM P JOIN A_deleted ON PS_PARTKEY = P_PARTKEY
        EXCEPT ALL SELECT * FROM P_deleted JOIN A_deleted ON PS_PARTKEY = P_PARTKEY
    )
    SELECT P_PARTKEY, P_NAME, S_SUPPKEY, S_NAME, PS_PARTKEY, PS_SUPPKEY FROM (
        SELECT * FROM PA_deleted JOIN S ON PS_SUPPKEY = S_SUPPKEY
        UNION ALL
        SELECT * FROM P JOIN A ON PS_PARTKEY = P_PARTKEY
        JOIN S_deleted ON PS_SUPPKEY = S_SUPPKEY
        EXCEPT ALL SELECT * FROM PA_deleted JOIN S_deleted ON PS_SUPPKEY = S_SUPPKEY
    )
"""
# What foreign keys make of it.
SHORT = """
    SELECT P_PARTKEY, P_NAME, S_SUPPKEY, S_NAME, PS_PARTKEY, PS_SUPPKEY
    FROM P JOIN A_deleted ON PS_PARTKEY = P_PARTKEY JOIN S ON PS_SUPPKEY = S_SUPPKEY
"""


def test_section_4_4_the_deletions() -> None:
    """The seed prints no rows. Its formula, and what is left of it because of foreign keys, say
    which rows are deleted from the view, and so does our delta.

    The text has it the wrong way round, the formulas are right: rows deleted from P and S can only
    meet rows deleted from A.
    """
    example = Example({"P": P, "S": S, "A": A})
    view = example.maintained(V)
    assert example.rows(LONG, At.OLD) == Counter(GONE)
    assert example.rows(SHORT, At.OLD) == Counter(GONE)
    assert view.changes == changes(deleted=GONE)
    assert view.refreshed == view.new == Counter([("p2", "bolt", "s1", "Ann", "p2", "s1")])


def test_section_4_4_a_foreign_key_that_does_not_hold() -> None:
    """A part goes and what refers to it stays: the short formula misses the row, ours does not."""
    left_over = replace(A, deleted=A.deleted[1:])
    example = Example({"P": P, "S": S, "A": left_over})
    view = example.maintained(V)
    assert example.rows(SHORT, At.OLD) == Counter(GONE[1:])
    assert view.changes == changes(deleted=GONE)
    assert view.refreshed == view.new


def test_section_4_4_an_update_is_no_deletion() -> None:
    """The keys must be truly gone. A part that is renamed comes as deleted and inserted, with rows
    of A that stay: the equivalence of deletions would forget them.
    """
    renamed = replace(P, deleted=(("p2", "bolt"),), inserted=(("p2", "screw"),))
    example = Example({"P": renamed, "S": replace(S, deleted=()), "A": replace(A, deleted=())})
    view = example.maintained(V)
    assert example.rows(SHORT, At.OLD) == Counter()
    assert view.changes == changes(
        deleted=[("p2", "bolt", "s1", "Ann", "p2", "s1")],
        inserted=[("p2", "screw", "s1", "Ann", "p2", "s1")],
    )
    assert view.refreshed == view.new


@dataclass(frozen=True)
class Work:
    """What a plan does: reads of tables and of changes, and joins."""

    tables: int
    changes: int
    joins: int


def work(plan: Rel) -> Work:
    """A shared subquery is computed once; each of its readers reads the changes that it gives."""
    found: Counter[str] = Counter()
    shared: set[str] = set()

    def walk(rel: Rel) -> None:
        match rel:
            case Scan(table, _, _) if "_deleted" not in table:
                found["tables"] += 1
            case Scan() | Changes():
                found["changes"] += 1
            case Join():
                found["joins"] += 1
            case Shared(name, _):
                found["changes"] += 1
                if name in shared:
                    return
                shared.add(name)
            case _:
                pass
        for below in rel.inputs:
            walk(below)

    walk(plan)
    return Work(found["tables"], found["changes"], found["joins"])


def test_section_4_4_what_the_formulas_read() -> None:
    """The seed counts 5 reads of tables, 8 of changes and 7 joins, of which foreign keys leave 2,
    1 and 2. Ours, without foreign keys, has one term for each changed table.
    """
    example = Example({"P": P, "S": S, "A": A})
    assert work(example.plan(LONG)) == Work(tables=5, changes=8, joins=7)
    assert work(example.plan(SHORT)) == Work(tables=2, changes=1, joins=2)
    ours = delta(example.plan(V), example.changed)
    assert ours is not None
    assert work(ordered_terms(ours)) == Work(tables=5, changes=3, joins=5)
