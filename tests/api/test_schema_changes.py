"""Columns of a source that come, go and change: one rule for `*` and named columns, and explain,
status, refresh and full refresh agree on it under every policy.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pytest
from deltalake import write_deltalake

import everview as ev
from everview.errors import ColumnGone, EverviewError, RefreshRefused, SqlInvalid
from tests.api.bags import bag, refused

Columns = dict[str, Any]
Outcome = Literal["kept", "rebuilt", "gone"]

BEFORE: Columns = {
    "k": pa.array([1, 2, 3]),
    "s": pa.array(["a", "b", "a"]),
    "v": pa.array([10, 20, 30], pa.int32()),
    "u": pa.array([1.5, 2.5, 3.5]),
}
NAMED = "SELECT k, s, v FROM t WHERE k > 1"
STAR = "SELECT * FROM t WHERE k > 1"
STRICT = "INCREMENTAL STRICT"


def without(columns: Columns, name: str) -> Columns:
    return {n: values for n, values in columns.items() if n != name}


@dataclass(frozen=True)
class Change:
    """The columns of the table afterwards, and what becomes of a view of either text."""

    columns: Columns
    named: Outcome
    star: Outcome
    says: str = ""
    types: dict[str, str] = field(default_factory=dict)  # of the view's columns, where they change


CHANGES = {
    "added": Change({**BEFORE, "x": pa.array([7, 8, 9])}, "kept", "kept"),
    "reordered": Change(dict(reversed(BEFORE.items())), "kept", "kept"),
    "unused dropped": Change(without(BEFORE, "u"), "kept", "gone", "`u` of `t`"),
    "unused retyped": Change(
        {**BEFORE, "u": pa.array(["p", "q", "r"])},
        "kept",
        "rebuilt",
        "`t`.`u` was double and is string",
        {"u": "string"},
    ),
    "dropped": Change(without(BEFORE, "v"), "gone", "gone", "`v` of `t`"),
    "renamed": Change(
        {**without(BEFORE, "v"), "w": BEFORE["v"]}, "gone", "gone", "(new there: `w`)"
    ),
    "widened": Change(
        {**BEFORE, "v": BEFORE["v"].cast(pa.int64())},
        "rebuilt",
        "rebuilt",
        "`t`.`v` was integer and is long",
        {"v": "bigint"},
    ),
    "narrowed": Change(
        {**BEFORE, "v": BEFORE["v"].cast(pa.int16())},
        "rebuilt",
        "rebuilt",
        "`t`.`v` was integer and is short",
        {"v": "smallint"},
    ),
}


@pytest.fixture
def path(wh: ev.Warehouse, tmp_path: Path) -> Path:
    """The folder of the attached table `t`."""
    place = tmp_path / "t"
    write_deltalake(place, pa.table(BEFORE))
    wh.attach("t", str(place))
    return place


def rewrite(path: Path, columns: Columns) -> None:
    """Other columns, and the key of one row raised so that there is something to refresh."""
    keys = pa.array([2, 2, 3])
    made = pa.table({**columns, "k": keys})
    write_deltalake(path, made, mode="overwrite", schema_mode="overwrite")


def expected(columns: Columns, names: list[str]) -> Any:
    rows = pa.table({**columns, "k": pa.array([2, 2, 3])}).select(names).to_pylist()
    return bag([tuple(row.values()) for row in rows if row["k"] > 1])


@contextmanager
def unchanged(view: ev.View) -> Iterator[None]:
    before = bag(view.to_df())
    yield
    assert bag(view.to_df()) == before, "nothing was published"


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("text", [NAMED, STAR], ids=["named", "star"])
def test_the_rule(wh: ev.Warehouse, path: Path, text: str, change: str) -> None:
    case = CHANGES[change]
    outcome = case.named if text is NAMED else case.star
    views = [
        wh.create_materialized_view("incremental", text, policy="INCREMENTAL"),
        wh.create_materialized_view("strict", text, policy=STRICT),
    ]
    columns = views[0].to_df().columns
    rewrite(path, case.columns)
    for view in views:
        CHECKS[outcome](view, case)
        if outcome != "gone":
            shown = view.to_df()
            assert shown.columns == columns, "columns do not come and go by themselves"
            assert bag(shown) == expected(case.columns, columns)
            types = dict(shown.dtypes)
            assert {n: types[n] for n in case.types if n in types} == {
                n: t for n, t in case.types.items() if n in columns
            }
            assert view.refresh().strategy.startswith("skipped")


def kept(view: ev.View, case: Change) -> None:
    assert view.explain().strategy.startswith("incremental")
    assert (view.status().next_full, view.status().error) == ("", None)
    assert view.refresh().strategy.startswith("incremental")


def rebuilt(view: ev.View, case: Change) -> None:
    if view.status().policy == STRICT:
        with unchanged(view):
            for act in (view.explain, view.refresh):
                with refused(RefreshRefused, f"`{view.name}`", case.says):
                    act()
        assert case.says in str(view.status().error)
        assert case.says in view.refresh(full=True).reason
        return
    said = view.explain()
    assert (said.strategy, view.status().next_full) == ("full", case.says)
    receipt = view.refresh()
    assert (receipt.strategy, receipt.reason) == ("full", said.reason)
    assert case.says in receipt.reason


def gone(view: ev.View, case: Change) -> None:
    acts: list[Callable[[], object]] = [
        view.explain,
        view.refresh,
        lambda: view.refresh(full=True),
    ]
    with unchanged(view):
        for act in acts:
            with refused(ColumnGone, f"`{view.name}` reads", case.says, "CREATE OR REPLACE"):
                act()
    assert case.says in str(view.status().error)
    assert view.verify().ok, "at the versions that it was computed from"


CHECKS: dict[Outcome, Callable[[ev.View, Change], None]] = {
    "kept": kept,
    "rebuilt": rebuilt,
    "gone": gone,
}


def test_a_column_that_comes_back(wh: ev.Warehouse, path: Path) -> None:
    view = wh.create_materialized_view("v", NAMED, policy="INCREMENTAL")
    rewrite(path, without(BEFORE, "v"))
    with refused(ColumnGone, "`v`"):
        view.refresh()
    rewrite(path, BEFORE)
    assert view.refresh().changed
    assert bag(view.to_df()) == expected(BEFORE, ["k", "s", "v"])


def test_another_table_with_more_columns_and_a_replaced_view(wh: ev.Warehouse, path: Path) -> None:
    """A view built anew keeps its columns; one that is replaced has those of today."""
    view = wh.create_materialized_view("v", STAR, policy="AUTO")
    shutil.rmtree(path)
    more = {"x": pa.array([7, 8, 9]), **BEFORE}
    write_deltalake(path, pa.table(more))
    assert "another table" in view.refresh().reason
    assert view.to_df().columns == ["k", "s", "v", "u"]
    assert view.verify().ok
    wh.create_materialized_view("v", STAR, replace=True)
    assert wh.view("v").to_df().columns == ["x", "k", "s", "v", "u"]


def test_a_definition_that_is_not_valid_any_more(wh: ev.Warehouse, path: Path) -> None:
    sums = "SELECT s, sum(v) AS total FROM t GROUP BY s"
    view = wh.create_materialized_view("sums", sums, policy="INCREMENTAL")
    rewrite(path, {**BEFORE, "v": pa.array([True, False, True])})
    acts: list[Callable[[], object]] = [
        view.explain,
        view.refresh,
        lambda: view.refresh(full=True),
    ]
    with unchanged(view):
        for act in acts:
            with refused(SqlInvalid, "`sums`", "`t`.`v` was integer and is boolean"):
                act()
    assert "`t`.`v` was integer and is boolean" in str(view.status().error)
    rewrite(path, {**BEFORE, "v": pa.array(["1", "2", "three"])})
    with unchanged(view), refused(EverviewError, "`sums`", "`t`.`v` was integer and is string"):
        view.refresh()


NOT_UNDERSTOOD = "SELECT s, rank() OVER (ORDER BY v) AS place FROM t"


def test_a_view_that_is_recomputed_by_its_text(wh: ev.Warehouse, path: Path) -> None:
    """Only what the text notices matters, although any column may be used."""
    view = wh.create_materialized_view("v", NOT_UNDERSTOOD)
    rewrite(path, {**without(BEFORE, "u"), "v": BEFORE["v"].cast(pa.int64())})
    assert "built anew" not in view.explain().reason
    assert view.refresh().strategy == "full"
    assert view.verify().ok
    rewrite(path, without(BEFORE, "v"))
    with unchanged(view), refused(ColumnGone, "`v` reads `v` of `t`"):
        view.refresh()


def test_fields_of_a_struct_do_not_come_by_themselves(wh: ev.Warehouse, path: Path) -> None:
    place = path.with_name("nested")
    write_deltalake(place, pa.table({"p": pa.array([{"a": 1}])}))
    wh.attach("nested", str(place))
    view = wh.create_materialized_view("v", "SELECT p.* FROM nested", policy="AUTO")
    wider = pa.table({"p": pa.array([{"a": 2, "b": 3}])})
    write_deltalake(place, wider, mode="overwrite", schema_mode="overwrite")
    for act in (view.explain, view.refresh):
        with unchanged(view), refused(EverviewError, "`v`", "`nested`", "a, b"):
            act()
