"""Which refreshes have a part in common: those that read the same versions of the same tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everview.algebra.relations import At, Scan
from everview.choose.choose import choose
from everview.choose.sharing import leaf_of, with_common_parts
from everview.choose.strategies import Choice, Incremental
from everview.facts.files import ChangeFile, InlineFile, Sign
from everview.facts.refreshes import STORED, Gross, RefreshFacts
from everview.facts.schema import Field, Schema
from everview.facts.tables import TableChanges
from everview.facts.views import SourceRecord
from everview.program.program import program
from everview.program.steps import Keep
from everview.run.refresh.after_failure import with_net_changes
from tests.choose.facts import facts, source
from tests.choose.shapes import GROUPS, PLUS, ROWS
from tests.sql.schemas import SOURCES

SHAPES = {"groups": GROUPS, "rows": ROWS}


def known(view: str, policy: str = "INCREMENTAL STRICT") -> RefreshFacts:
    sources = tuple(source(name, *((PLUS,) if name == "t" else ())) for name in ("t", "u"))
    found = replace(facts(SHAPES[view], *sources, policy=policy), view=view)
    recorded = tuple(SourceRecord(n, f"id-{n}", SOURCES[n], ()) for n in ("t", "u"))
    record = replace(found.stored.record, sources=recorded)
    return replace(found, stored=replace(found.stored, record=record))


def shared(*some: RefreshFacts) -> dict[str, Choice]:
    chosen = {f.view: (f, choose(f, SHAPES[f.view], full=False)) for f in some}
    return with_common_parts(chosen, "common")


def changed(known: RefreshFacts, **by: object) -> RefreshFacts:
    first, *others = known.sources
    return replace(known, sources=(replace(first, **by), *others))  # type: ignore[arg-type]


def told(known: RefreshFacts, *columns: str) -> RefreshFacts:
    """Changes that were netted by these columns."""
    rows = ChangeFile(InlineFile("net", columns, ((1,) * len(columns),)), Sign.PLUS)
    changes = TableChanges("id", "uri", 1, 2, SOURCES["t"], (rows,))
    return changed(known, changes=changes, gross=Gross(2, 10))


def test_two_that_read_the_same_changes_have_them_in_common() -> None:
    found = shared(known("groups"), known("rows"))
    assert set(found) == {"groups", "rows"}
    for view, choice in found.items():
        strategy = choice.strategy
        assert isinstance(strategy, Incremental)
        assert strategy.in_common is not None
        first, *_ = program(choice, SHAPES[view]).steps
        assert isinstance(first, Keep)
        assert first.common is not None
        assert first.common.views == ("groups", "rows")
        # What fails is tried again without what others made.
        assert with_net_changes(strategy).in_common is None


RECORDED = Schema((Field("a", "integer"), *SOURCES["t"].fields[1:]))


@pytest.mark.parametrize(
    "other",
    [
        changed(known("rows"), old=0),
        changed(known("rows"), new=7),
        changed(known("rows"), id="another table"),
        replace(known("rows"), passes_off=frozenset({"parts"})),
        replace(known("rows"), policy="FULL"),
        told(known("rows"), "a"),
    ],
    ids=["older", "newer", "another table", "switched off", "in full", "netted"],
)
def test_what_differs_in_what_it_reads_shares_nothing(other: RefreshFacts) -> None:
    assert shared(known("groups"), other) == {}
    assert shared(known("groups")) == {}


def test_settings_and_types_of_a_view_belong_to_what_it_reads() -> None:
    one = known("rows")
    record = one.stored.record
    zoned = replace(record, settings={"spark.sql.session.timeZone": "Asia/Tokyo"})
    typed = replace(record, sources=(SourceRecord("t", "id-t", RECORDED, ()), record.sources[1]))
    for other in (zoned, typed):
        different = replace(one, stored=replace(one.stored, record=other))
        assert shared(known("groups"), different) == {}


def test_the_stored_rows_of_a_view_are_its_own() -> None:
    stored = Scan(STORED, At.OLD, ())
    assert leaf_of(known("rows"))(stored) == leaf_of(known("rows"))(stored)
    one = known("rows")
    snapshot = replace(one.stored.snapshot, table_id="another view")
    other = replace(one, stored=replace(one.stored, snapshot=snapshot))
    assert leaf_of(one)(stored) != leaf_of(other)(stored)


def test_changes_that_were_netted_alike_are_the_same() -> None:
    assert shared(told(known("groups"), "a"), told(known("rows"), "a"))
    assert not shared(told(known("groups"), "a"), told(known("rows"), "a", "b"))
