"""The runner of passes: what it leaves out, checks and times. That rows stay, the laws say."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import fields, replace

import pytest

from everview.algebra.relations import At, Changes, Join, Project, Rel, Scan, Signed
from everview.algebra.scalars import Column, Compare, Ref
from everview.errors import InvalidArgument, PlanSpoiled
from everview.optimize import passes
from everview.optimize.passes import ALL, PASSES, PassContext, When, improved, require_passes
from everview.settings import Settings
from tests.improve import OPTIONAL

A, B, C = Column(1, "a"), Column(2, "b"), Column(3, "c")
T, U = Scan("t", At.NEW, (A, B)), Scan("u", At.NEW, (C,))
CHANGED = Join("inner", T, Changes("u", (C,)), Compare("=", Ref(1), Ref(3)))


def ran(when: When, *off: str) -> list[str]:
    return [one.name for one in improved(when, CHANGED, PassContext(off=frozenset(off))).ran]


def test_the_passes_of_a_stage_run_in_the_order_of_the_list() -> None:
    for when in When:
        assert ran(when) == [one.name for one in PASSES if one.when is when]
    assert [p.when for p in PASSES] == sorted((p.when for p in PASSES), key=list(When).index)


def test_each_has_a_name_of_its_own_and_says_what_it_does() -> None:
    assert len({p.name for p in PASSES} | {ALL}) == len(PASSES) + 1
    assert all(p.does and not p.does.endswith(".") for p in PASSES)


@pytest.mark.parametrize("name", OPTIONAL)
def test_a_pass_is_left_out_by_its_name(name: str) -> None:
    (one,) = (p for p in PASSES if p.name == name)
    assert name not in ran(one.when, name)
    assert len(ran(one.when, name)) == len(ran(one.when)) - 1


def test_all_off_leaves_what_is_required() -> None:
    left = [name for when in When for name in ran(when, ALL)]
    assert left == [p.name for p in PASSES if p.required]
    assert improved(When.CHANGES, CHANGED, PassContext(off=frozenset({ALL}))).plan is CHANGED
    assert improved(When.CHANGES, CHANGED).plan != CHANGED


def test_it_is_told_whether_a_pass_made_another_plan_and_how_long_it_took(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG, "everview.passes"):
        found = improved(When.CHANGES, CHANGED)
    changed = {one.name: one.changed for one in found.ran}
    assert changed["join_order"]
    assert not changed["union_of_terms"]
    assert all(one.seconds >= 0 for one in found.ran)
    assert [r.getMessage().split()[0] for r in caplog.records] == [one.name for one in found.ran]


def _fewer_columns(rel: Rel) -> Rel:
    return Project(rel, tuple((c, Ref(c.id)) for c in rel.columns[1:]))


def _other_name(rel: Rel) -> Rel:
    first, *rest = rel.columns
    same = ((c, Ref(c.id)) for c in rest)
    return Project(rel, ((Column(first.id, "x"), Ref(first.id)), *same))


def _other_identity(rel: Rel) -> Rel:
    first, *rest = rel.columns
    same = ((c, Ref(c.id)) for c in rest)
    return Project(rel, ((Column(99, first.name), Ref(first.id)), *same))


@pytest.mark.parametrize("wrong", [_fewer_columns, _other_name, _other_identity])
@pytest.mark.parametrize("name", [p.name for p in PASSES])
def test_a_pass_that_gives_other_columns_is_named(
    name: str, wrong: Callable[[Rel], Rel], monkeypatch: pytest.MonkeyPatch
) -> None:
    (one,) = (p for p in PASSES if p.name == name)
    spoiled = replace(one, run=lambda rel, _: wrong(rel))
    monkeypatch.setattr(passes, "PASSES", tuple(spoiled if p is one else p for p in PASSES))
    with pytest.raises(PlanSpoiled, match=f"The pass {name} gave") as caught:
        improved(one.when, CHANGED)
    assert caught.value.code == "EV-9002"
    assert (f"EVERVIEW_PASSES_OFF={name}" in caught.value.remedy) == (not one.required)


def test_a_pass_that_gives_rows_weights_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = (p for p in PASSES if p.name == "connected_joins")
    spoiled = replace(one, run=lambda rel, _: Signed(rel, 1))
    monkeypatch.setattr(passes, "PASSES", (spoiled,))
    with pytest.raises(PlanSpoiled, match=r"a#1, b#2 with weights.* a#1, b#2 without weights"):
        improved(When.BEFORE, T)
    assert improved(When.BEFORE, T, PassContext(off=frozenset({one.name}))).plan is T


@pytest.mark.parametrize(
    ("name", "why"),
    [("faster", "no pass 'faster'"), ("", "no pass ''"), ("needless_distinct", "always needed")],
)
def test_what_is_no_pass_that_may_be_left_out_is_refused(name: str, why: str) -> None:
    with pytest.raises(InvalidArgument, match=why) as caught:
        require_passes(["join_order", name])
    assert all(known in caught.value.remedy for known in (*OPTIONAL, ALL))


def test_the_setting_names_them_all() -> None:
    require_passes((*OPTIONAL, ALL))
    (doc,) = (f.metadata["doc"] for f in fields(Settings) if f.name == "passes_off")
    assert all(name in doc for name in (*OPTIONAL, ALL))


@pytest.mark.parametrize("off", [(), (ALL,)])
def test_rows_at_hand_are_sent_to_every_task_only_where_they_are_few(off: tuple[str, ...]) -> None:
    sent = replace(CHANGED, broadcast="right")
    few, many = (PassContext(few=few, off=frozenset(off)) for few in (True, False))
    assert improved(When.QUERY, sent, few).plan == sent
    assert improved(When.QUERY, sent, many).plan == CHANGED
