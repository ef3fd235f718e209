"""Locations and paths: one spelling per place, encoded in the log, plain for Spark."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from everview.errors import InvalidArgument, WriteVerification
from everview.facts.files import DataFile
from everview.facts.schema import Field, Schema
from everview.facts.tables import Commit
from everview.lake.delta.table import EmbeddedDelta
from everview.lake.footers import partition_of_path
from everview.lake.storage import Storage, decoded, encoded, location, spark_path
from tests.lake.kits import write_columns
from tests.lake.reading import bag_of, check_changes


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("/a/b", "/a/b"),
        ("/a/b/", "/a/b"),
        ("file:///a/b/", "/a/b"),
        ("file:/a/b", "/a/b"),
        ("file:///a%20b", "/a b"),
        ("/a b/é", "/a b/é"),
        ("s3://bucket/a/", "s3://bucket/a"),
        ("abfss://c@account/a", "abfss://c@account/a"),
    ],
)
def test_a_place_has_one_spelling(uri: str, expected: str) -> None:
    assert location(uri) == expected


def test_a_relative_path_is_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert location("shop") == str(tmp_path / "shop")


@pytest.mark.parametrize("name", ["a%20b", "a[b", "a]b", "a^b", "a|b", "a\\b"])
def test_folders_the_library_cannot_address_are_refused(name: str) -> None:
    with pytest.raises(InvalidArgument, match="location"):
        location(f"/x/{name}/y")


@pytest.mark.parametrize("character", " é#?*{}~<>`&+=:;,\"'!$()@%")
def test_every_other_root_works(tmp_path: Path, character: str) -> None:
    root = tmp_path / f"a{character}b"
    table = EmbeddedDelta().create(str(root), Schema((Field("k", "long"),)), (), {})
    write_columns(root, "data/x/part=rows", pa.table({"k": [1]}))
    table.commit(Commit(0, "INSERT", "t", adds=table.written("data/x/part=rows")))
    table.checkpoint()
    check_changes(table, 0, 1)
    assert sum(bag_of(table.snapshot(1)).values()) == 1


def test_spark_paths_are_not_encoded() -> None:
    assert spark_path("/a b", "data/p=x%252Fy%20z/f.parquet") == (
        "file:///a b/data/p=x%2Fy z/f.parquet"
    )
    assert spark_path("s3://b/t", "data/f.parquet") == "s3://b/t/data/f.parquet"
    assert spark_path("/t", "s3://other/a%20b") == "s3://other/a b"
    assert spark_path("/t") == "file:///t"


def test_encoding_comes_back() -> None:
    path = 'data/p=p a%2Fé%3D~<>|`"^#?*[]{}/f.parquet'
    assert decoded(encoded(path)) == path


def test_a_folder_is_removed_with_its_empty_folders(tmp_path: Path) -> None:
    for name in ("gone/a/x.parquet", "gone/b/.x.crc", "kept/y.parquet"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    storage = Storage(str(tmp_path))
    storage.delete_folder("gone")
    storage.delete_folder("never there")
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]
    storage.delete_folder("")
    assert not tmp_path.exists()


def test_missing_files_are_found_in_batches(tmp_path: Path) -> None:
    names = [f"f{i}" for i in range(100)]
    for name in names[:60]:
        (tmp_path / name).write_text("x")
    storage = Storage(str(tmp_path))
    assert storage.missing(names) == tuple(names[60:])
    assert storage.missing([]) == ()


# partitions

ODD = ["a/b", "é =%", " ", "x=y", "p a/é=%:#?*[]{}^~<>|`\"'\\", "%2F", None]


def hive_name(value: str | None) -> str:
    """The folder Spark makes for a partition value."""
    if value is None:
        return "p=__HIVE_DEFAULT_PARTITION__"
    special = set("\"#%'*/:=?\\{[]^")
    return "p=" + "".join(f"%{ord(c):02X}" if c in special else c for c in value)


@pytest.mark.parametrize("value", ODD)
def test_folder_names_give_the_value_back(value: str | None) -> None:
    path = f"data/t/part=rows/{hive_name(value)}/f.parquet"
    assert partition_of_path(path, "data/t/part=rows") == {"p": value}


def test_odd_partition_values_are_committed_exactly(tmp_path: Path) -> None:
    schema = Schema((Field("k", "long"), Field("p", "string")))
    table = EmbeddedDelta().create(str(tmp_path), schema, ("p",), {})
    folder = "data/x/part=rows"
    for number, value in enumerate(ODD):
        write_columns(tmp_path, f"{folder}/{hive_name(value)}", pa.table({"k": [number]}))
    written = table.written(folder)
    assert {dict(f.partition)["p"] for f in written} == set(ODD)
    table.commit(Commit(0, "INSERT", "t", adds=written))
    snapshot = table.snapshot(1)
    assert {f.path: f for f in snapshot.files} == {f.path: f for f in written}
    check_changes(table, 0, 1)
    table.commit(Commit(1, "DELETE", "d", removes=snapshot.files))
    assert table.snapshot(2).files == ()
    changes = check_changes(table, 1, 2)
    assert {dict(c.file.partition)["p"] for c in changes.files} == set(ODD)


def test_typed_partition_values_are_text_as_spark_casts_it(tmp_path: Path) -> None:
    types = {"d": "date", "i": "integer", "b": "boolean", "m": "decimal(5,2)", "n": "timestamp_ntz"}
    values = {"d": "2020-01-02", "i": "-7", "b": "true", "m": "-1.50", "n": "2020-01-01 00:00:01.5"}
    fields = (Field("k", "long"), *(Field(name, type_) for name, type_ in types.items()))
    table = EmbeddedDelta().create(str(tmp_path), Schema(fields), tuple(types), {})
    folders = "/".join(f"{n}={v.replace(':', '%3A')}" for n, v in values.items())
    write_columns(tmp_path, f"data/x/part=rows/{folders}", pa.table({"k": [1]}))
    table.commit(Commit(0, "INSERT", "t", adds=table.written("data/x/part=rows")))
    expected = {**values, "n": "2020-01-01 00:00:01.500000"}
    (file,) = table.snapshot(1).files
    assert dict(file.partition) == expected
    (change,) = check_changes(table, 0, 1).files
    assert dict(change.file.partition) == expected


def test_files_in_the_wrong_folders_are_refused(tmp_path: Path) -> None:
    schema = Schema((Field("k", "long"), Field("p", "string")))
    table = EmbeddedDelta().create(str(tmp_path), schema, ("p",), {})
    write_columns(tmp_path, "data/x/part=rows/q=1", pa.table({"k": [1]}))
    with pytest.raises(WriteVerification, match="q"):
        table.written("data/x/part=rows")


def test_only_data_files_are_taken(tmp_path: Path) -> None:
    table = EmbeddedDelta().create(str(tmp_path), Schema((Field("k", "long"),)), (), {})
    folder = tmp_path / "data/x/part=rows"
    write_columns(tmp_path, "data/x/part=rows", pa.table({"k": [1]}))
    for name in ("_SUCCESS", ".f.parquet.crc", "._SUCCESS.crc", "notes.txt"):
        (folder / name).write_text("")
    write_columns(tmp_path, "data/x/part=rows/_temporary/0", pa.table({"k": [2]}))
    files = table.written("data/x/part=rows")
    assert [f.rows for f in files] == [1]
    assert all(isinstance(f, DataFile) for f in files)
    assert table.written("data/nothing/part=rows") == ()
