"""An attached table belongs to its writer: it is read, never written, copied or dropped."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import everview as ev
from everview.errors import (
    CopiedTable,
    EverviewError,
    NameTaken,
    NotATable,
    ReadOnlyTable,
    StillUsed,
    UnknownName,
    UnsupportedFeature,
)
from tests.attach.followed import GROUPS, Followed, rows
from tests.lake.test_delta_features import with_protocol

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from everview.handles.table import Table


@pytest.fixture(scope="module")
def foreign(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Followed:
    return Followed(spark, tmp_path_factory.mktemp("manners"))


WRITES: dict[str, Callable[[Table, Any], object]] = {
    "append": lambda table, df: table.append(df),
    "overwrite": lambda table, df: table.overwrite(df),
    "delete": lambda table, df: table.delete("true"),
    "update": lambda table, df: table.update({"v": "0"}),
    "merge": lambda table, df: table.merge(df, on="k"),
    "compact": lambda table, df: table.compact(),
    "vacuum": lambda table, df: table.vacuum(),
}


@pytest.mark.parametrize("write", WRITES)
def test_it_is_read_only(write: str, foreign: Followed) -> None:
    before = foreign.files()
    with pytest.raises(ReadOnlyTable, match="t") as refusal:
        WRITES[write](foreign.table, foreign.table.to_df())
    assert refusal.value.remedy
    assert foreign.files() == before


def test_it_is_seen_like_any_table(foreign: Followed) -> None:
    assert foreign.wh.tables() == ["t"]
    assert foreign.table.version == foreign.delta.version()
    assert foreign.table.path == str(foreign.path)
    assert foreign.table.to_df(version=0).count() == 6
    assert foreign.wh.sql("SELECT count(*) FROM t").collect() == [(6,)]
    assert [h["version"] for h in foreign.table.history()][-1] == 0


def test_a_copied_folder_is_refused(foreign: Followed, tmp_path: Path) -> None:
    shutil.copytree(foreign.path, tmp_path / "copy")
    with pytest.raises(CopiedTable, match=r"`t`.*foreign table"):
        foreign.wh.attach("u", str(tmp_path / "copy"))
    assert foreign.wh.tables() == ["t"]


def test_a_name_is_not_taken_twice(foreign: Followed) -> None:
    with pytest.raises(NameTaken):
        foreign.wh.attach("T", str(foreign.path))


def test_a_folder_without_a_table_is_refused(foreign: Followed, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for place in ("empty", "nowhere"):
        with pytest.raises(NotATable):
            foreign.wh.attach("u", str(tmp_path / place))


@pytest.mark.parametrize("feature", ["columnMapping", "typeWidening", "of-tomorrow"])
def test_a_feature_is_refused_by_name(feature: str, foreign: Followed, tmp_path: Path) -> None:
    mapping = "name" if feature == "columnMapping" else None
    with_protocol(tmp_path / "t", [feature], [], mapping)
    with pytest.raises(UnsupportedFeature, match=feature) as refusal:
        foreign.wh.attach("u", str(tmp_path / "t"))
    assert "delta-spark" in refusal.value.remedy
    assert isinstance(refusal.value, EverviewError)
    assert foreign.wh.tables() == ["t"]


def test_dropping_it_forgets_it_alone(spark: SparkSession, tmp_path: Path) -> None:
    foreign = Followed(spark, tmp_path)
    foreign.view(GROUPS)
    before = foreign.files()
    with pytest.raises(StillUsed, match="v"):
        foreign.table.drop()
    foreign.wh.view("v").drop()
    foreign.table.drop()
    assert foreign.wh.tables() == []
    assert foreign.files() == before
    with pytest.raises(UnknownName):
        foreign.wh.table("t")
    foreign.write(rows((6, "a", 6)))
    assert foreign.wh.attach("again", str(foreign.path)).to_df().count() == 7


def test_it_stays_attached_when_the_warehouse_is_opened_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    foreign = Followed(spark, tmp_path)
    foreign.view(GROUPS)
    foreign.write(rows((6, "a", 6)))
    with ev.open(foreign.wh.path, spark=spark) as wh:
        assert wh.view("v").refresh().strategy == "incremental: groups"
    foreign.check()


def test_a_table_put_in_its_place_is_told_by_its_id(spark: SparkSession, tmp_path: Path) -> None:
    foreign = Followed(spark, tmp_path)
    foreign.view(GROUPS, policy="INCREMENTAL")
    shutil.rmtree(foreign.path)
    foreign.write(rows((1, "other", 1)))
    receipt = foreign.refresh("full")
    assert "t" in receipt.reason
    foreign.write(rows((2, "other", 2)))
    foreign.refresh("incremental: groups")
