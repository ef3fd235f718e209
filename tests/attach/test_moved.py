"""An attached table that was moved is pointed to its new place; ids tell what lies there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from pyspark.sql import SparkSession

import everview as ev
from everview.errors import (
    CopiedTable,
    InvalidArgument,
    NameTaken,
    NotATable,
    RefreshRefused,
    UnsupportedFeature,
)
from tests.api.bags import assert_exact, refused

SQL = "SELECT k, count(*) AS n, sum(v) AS s FROM t GROUP BY k"


def write(path: Path, *rows: tuple[int, int]) -> None:
    """Append rows as the owner of the table does."""
    columns = {"k": [k for k, _ in rows], "v": [v for _, v in rows]}
    write_deltalake(path, pa.table(columns), mode="append")


@pytest.fixture
def wh(spark: SparkSession, tmp_path: Path) -> Iterator[ev.Warehouse]:
    write(tmp_path / "here", (1, 10), (2, 20))
    with ev.open(tmp_path / "shop", spark=spark) as warehouse:
        warehouse.attach("t", str(tmp_path / "here"))
        warehouse.create_materialized_view("v", SQL, policy="INCREMENTAL STRICT")
        yield warehouse


def move(tmp_path: Path) -> Path:
    shutil.move(tmp_path / "here", tmp_path / "there")
    write(tmp_path / "there", (1, 5), (3, 30))
    return tmp_path / "there"


@pytest.mark.parametrize("way", ["ALTER TABLE", "attach"])
def test_a_moved_table_goes_on_where_it_was(wh: ev.Warehouse, tmp_path: Path, way: str) -> None:
    there = move(tmp_path)
    with refused(NotATable, "ALTER TABLE t SET LOCATION 'path'", "replace=True"):
        wh.view("v").refresh()
    if way == "attach":
        wh.attach("T", str(there), replace=True)
    else:
        wh.sql(f"ALTER TABLE t SET LOCATION '{there}'")
    receipt = wh.view("v").refresh()
    assert receipt.strategy.startswith("incremental")
    assert dict(receipt.watermark_after) == {"t": 1}
    assert_exact(wh, "v", SQL)
    assert wh.table("t").path == str(there)
    assert wh.tables() == ["t"]
    assert (there / "_delta_log").is_dir(), "nothing of the owner's is removed"


def test_another_table_is_only_taken_by_attach(wh: ev.Warehouse, tmp_path: Path) -> None:
    write(tmp_path / "other", (7, 70))
    for _ in ("while the old one is there", "when it is gone"):
        with refused(InvalidArgument, "another one", "ATTACH OR REPLACE"):
            wh.sql(f"ALTER TABLE t SET LOCATION '{tmp_path / 'other'}'")
        assert wh.table("t").path == str(tmp_path / "here")
        if (tmp_path / "here").exists():
            shutil.move(tmp_path / "here", tmp_path / "kept")
            with pytest.raises(NotATable):
                wh.table("t").to_df()
    wh.sql(f"ATTACH OR REPLACE TABLE t FROM '{tmp_path / 'other'}'")
    with refused(RefreshRefused, "`v`", "another table"):
        wh.view("v").refresh()
    receipt = wh.view("v").refresh(full=True)
    assert receipt.strategy == "full"
    assert "another table" in receipt.reason
    assert_exact(wh, "v", SQL)
    assert (tmp_path / "kept" / "_delta_log").is_dir()


def test_a_copy_that_was_written_on_its_own_is_refused(wh: ev.Warehouse, tmp_path: Path) -> None:
    shutil.copytree(tmp_path / "here", tmp_path / "copy")
    wh.sql(f"ALTER TABLE t SET LOCATION '{tmp_path / 'copy'}'")
    wh.sql(f"ALTER TABLE t SET LOCATION '{tmp_path / 'here'}'")
    write(tmp_path / "here", (1, 1))
    write(tmp_path / "copy", (1, 2))
    wh.view("v").refresh()
    with refused(CopiedTable, "versions 1 differ"):
        wh.sql(f"ALTER TABLE t SET LOCATION '{tmp_path / 'copy'}'")
    with refused(CopiedTable):
        wh.attach("t", str(tmp_path / "copy"), replace=True)
    assert_exact(wh, "v", SQL)


def test_what_cannot_be_pointed_elsewhere(wh: ev.Warehouse, tmp_path: Path) -> None:
    wh.sql("CREATE TABLE own (n INT)")
    with refused(InvalidArgument, "own"):
        wh.sql(f"ALTER TABLE own SET LOCATION '{tmp_path / 'here'}'")
    with refused(NameTaken):
        wh.attach("own", str(tmp_path / "here"), replace=True)
    with refused(NameTaken):
        wh.attach("v", str(tmp_path / "here"), replace=True)
    with pytest.raises(NotATable):
        wh.sql(f"ALTER TABLE t SET LOCATION '{tmp_path / 'nowhere'}'")
    wh.sql(f"ALTER TABLE t SET LOCATION '{tmp_path / 'here'}'")
    assert wh.table("t").path == str(tmp_path / "here")


def test_a_table_that_cannot_be_read_any_more_keeps_nobody_from_attaching_another(
    wh: ev.Warehouse, tmp_path: Path
) -> None:
    features = {"readerFeatures": ["of-tomorrow"], "writerFeatures": ["of-tomorrow"]}
    protocol = {"minReaderVersion": 3, "minWriterVersion": 7, **features}
    log = tmp_path / "here" / "_delta_log" / f"{1:020}.json"
    log.write_text(json.dumps({"protocol": protocol}) + "\n")
    with refused(UnsupportedFeature, "of-tomorrow"):
        wh.view("v").refresh()
    write(tmp_path / "other", (7, 70))
    wh.attach("other", str(tmp_path / "other"))
    wh.create_materialized_view("w", SQL.replace("FROM t", "FROM other"))
    with pytest.raises(ev.RefreshFailed) as caught:
        wh.refresh()
    assert [r.view for r in caught.value.receipts] == ["w"]
    assert {s.view: s.error and s.error["code"] for s in wh.status()} == {
        "v": UnsupportedFeature.code,
        "w": None,
    }
    write(tmp_path / "instead", (1, 1))
    wh.attach("t", str(tmp_path / "instead"), replace=True)
    wh.view("v").refresh(full=True)
    assert [r.view for r in wh.refresh()] == ["v", "w"]
    assert_exact(wh, "v", SQL)


def test_what_helps_a_table_of_the_warehouse_that_is_gone(wh: ev.Warehouse) -> None:
    own = wh.create_table("own", "k INT, v INT")
    wh.create_materialized_view("w", SQL.replace("FROM t", "FROM own"))
    shutil.rmtree(own.path)
    with refused(NotATable, "DROP TABLE own CASCADE"):
        wh.view("w").refresh()
    wh.sql("DROP TABLE own CASCADE")
    assert (wh.tables(), wh.views()) == (["t"], ["v"])
    assert [r.view for r in wh.refresh()] == ["v"]
