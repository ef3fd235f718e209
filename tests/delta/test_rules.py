"""The plans that the delta rules make, where the rows they give do not show the difference."""

from __future__ import annotations

import pytest

from everview.aggregates.keyed import KeyedView, keyed_view
from everview.algebra.calls import AggregateCall
from everview.algebra.derive.signs import WeightSign
from everview.algebra.joins import JoinKind
from everview.algebra.relations import (
    Aggregate,
    At,
    Changes,
    ChangeTable,
    Distinct,
    Join,
    Local,
    Negate,
    Net,
    PlanError,
    Project,
    Rel,
    Scan,
    TopK,
)
from everview.algebra.scalars import Column, Compare, Ref, integer
from everview.algebra.walk import walk_plan
from everview.apply.keyed import ApplyKeyed
from everview.delta.aggregate import change_table
from everview.delta.context import NOTHING_KNOWN, Known
from everview.delta.propagate import delta
from everview.facts.checks import GROUP_BELOW_ZERO
from everview.sql.write.door import write

A, B, C, D = Column(1, "a"), Column(2, "b"), Column(3, "c"), Column(4, "d")
T, U = Scan("t", At.NEW, (A, B)), Scan("u", At.NEW, (C,))
CHANGED = frozenset({"t"})


@pytest.mark.parametrize(
    "rel",
    [
        TopK(T, (), integer(1)),
        Local("x", (A,)),
        Changes("t", (A,)),
        Negate(Changes("t", (A,))),
        Net(Changes("t", (A,))),
        ChangeTable(Changes("t", (A,)), (A,), ()),
    ],
    ids=lambda r: type(r).__name__,
)
def test_an_operator_without_a_rule_is_an_error_never_a_guess(rel: Rel) -> None:
    with pytest.raises(PlanError, match="no delta rule"):
        delta(rel, CHANGED)


def view(*calls: AggregateCall, types: str = "long") -> KeyedView:
    named = tuple((Column(10 + i, c.function), c) for i, c in enumerate(calls))
    aggregate = Aggregate(T, (A,), named)
    outputs = tuple((Column(20 + c.id, c.name), Ref(c.id)) for c in aggregate.columns)
    return keyed_view(Project(aggregate, outputs), dict.fromkeys(range(60), types))


COUNT, SUM = AggregateCall("count", ()), AggregateCall("sum", (2,))
MAX = AggregateCall("max", (2,))


def table_of(view: KeyedView, known: Known) -> Rel:
    changes = delta(view.input, CHANGED, known)
    assert changes is not None
    return change_table(view, changes)


def nets(rel: Rel | None) -> int:
    assert rel is not None
    return sum(isinstance(r, Net) for r in walk_plan(rel))


def test_only_extremes_want_net_changes() -> None:
    assert nets(table_of(view(COUNT, SUM), NOTHING_KNOWN)) == 0
    assert nets(table_of(view(COUNT, MAX), NOTHING_KNOWN)) == 1
    assert nets(table_of(view(COUNT, MAX), Known({"t": 1}))) == 0


def test_insertions_alone_do_not_ask_for_deletions() -> None:
    table = table_of(view(MAX), Known({"t": 1}))
    assert isinstance(table, Project)
    assert isinstance(table.input, ChangeTable)
    asked = {area.function for _, area in table.input.areas}
    assert asked == {"weight", "inserted", "inserted_copies"}
    whole = table_of(view(MAX), NOTHING_KNOWN)
    assert table.columns == whole.columns


def test_nothing_changed_means_no_changes() -> None:
    assert delta(view(COUNT).input, frozenset({"u"})) is None


TESTED = Compare("=", Ref(A.id), Ref(C.id))


@pytest.mark.parametrize(
    "rel",
    [
        Join("semi", T, U, TESTED),
        Join("anti", T, U, TESTED),
        Join("mark", T, U, TESTED, mark=D),
        Join("left", T, U, TESTED),
        Distinct(U),
        Aggregate(U, (C,), ()),
    ],
    ids=["semi", "anti", "mark", "left", "distinct", "group by"],
)
@pytest.mark.parametrize(("sign", "read"), [(1, {At.OLD}), (-1, {At.NEW}), (None, set(At))])
def test_where_rows_only_come_or_go_one_snapshot_is_read(
    rel: Rel, sign: WeightSign | None, read: set[At]
) -> None:
    changes = delta(rel, frozenset({"u"}), Known({} if sign is None else {"u": sign}))
    assert changes is not None
    scans = [r for r in walk_plan(changes) if isinstance(r, Scan) and r.table == "u"]
    assert {scan.at for scan in scans} == read


@pytest.mark.parametrize("kind", ["semi", "anti"])
@pytest.mark.parametrize(
    ("sign", "read"), [(1, {(T, At.NEW), (U, At.OLD)}), (-1, {(T, At.OLD), (U, At.NEW)})]
)
def test_where_both_sides_change_a_test_reads_one_snapshot_of_each(
    kind: JoinKind, sign: WeightSign, read: set[tuple[Scan, At]]
) -> None:
    known = Known({"u": sign})
    changes = delta(Join(kind, T, U, TESTED), frozenset({"t", "u"}), known)
    assert snapshots(changes) == {(table.table, at) for table, at in read}


@pytest.mark.parametrize(
    ("gone", "read"),
    [
        (set(), {("t", At.OLD), ("u", At.NEW)}),
        ({"u"}, {("t", At.OLD), ("u", At.NEW)}),
        ({"t"}, {("t", At.NEW), ("u", At.OLD)}),
        ({"t", "u"}, {("t", At.NEW), ("u", At.NEW)}),
    ],
)
def test_a_join_reads_old_of_the_side_that_has_it(
    gone: set[str], read: set[tuple[str, At]]
) -> None:
    both = frozenset({"t", "u"})
    changes = delta(Join("inner", T, U, TESTED), both, Known(gone=frozenset(gone)))
    assert snapshots(changes) == read


def snapshots(rel: Rel | None) -> set[tuple[str, At]]:
    assert rel is not None
    return {(r.table, r.at) for r in walk_plan(rel) if isinstance(r, Scan)}


def test_the_steps_that_recompute_are_there_only_where_something_may_need_them() -> None:
    apply = ApplyKeyed(view(COUNT), "v")
    assert apply.certain() is None
    assert apply.lost() is None
    apply = ApplyKeyed(view(COUNT, SUM), "v")
    assert apply.certain() is not None
    assert apply.lost() is None
    apply = ApplyKeyed(view(MAX), "v")
    assert apply.certain() is None
    assert apply.lost() is not None
    apply = ApplyKeyed(view(MAX, SUM, types="decimal(38,10)"), "v")
    assert apply.certain() is not None
    assert apply.lost() is None, "all touched groups are recomputed anyway"


def test_stored_rows_are_never_shuffled_for_a_small_change() -> None:
    """In every join with stored rows the other side is broadcast."""
    apply = ApplyKeyed(view(COUNT, MAX), "v")
    lost = apply.lost()
    assert lost is not None
    for plan in (lost, *apply.lines(apply.fetched())):
        for join in (r for r in walk_plan(plan) if isinstance(r, Join)):
            assert join.broadcast == "right"


def test_a_count_below_zero_raises_where_it_is_written_never_in_a_filter() -> None:
    """Spark moves filters below joins: there the count of a group is not yet what it becomes."""
    apply = ApplyKeyed(view(COUNT, MAX), "v")
    message = GROUP_BELOW_ZERO.raised
    for plan in apply.lines(apply.fetched()):
        text = write(plan, apply.view.types).text
        assert message in text
        conditions = [line for line in text.splitlines() if line.lstrip().startswith("WHERE")]
        assert conditions
        assert not any(message in line for line in conditions)


def test_without_keys_there_is_one_kind_of_line() -> None:
    aggregate = Aggregate(T, (), ((D, COUNT),))
    single = keyed_view(Project(aggregate, ((C, Ref(4)),)), dict.fromkeys(range(30), "long"))
    assert len(ApplyKeyed(single, "v").lines(None)) == 1
    assert len(ApplyKeyed(view(COUNT), "v").lines(None)) == 2
