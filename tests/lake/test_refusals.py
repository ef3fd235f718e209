"""Places that cannot be a warehouse or a table: an error with a code, never the library's own."""

from __future__ import annotations

from pathlib import Path

import pytest

import everview as ev
from everview.errors import (
    EverviewError,
    InvalidArgument,
    NotATable,
    NotAWarehouse,
    StorageUnreadable,
)
from everview.lake.delta.refusals import plain_message

BUCKETS = ("s3://no-bucket/x",)


@pytest.fixture(autouse=True)
def _no_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "plain").write_text("x")
    return tmp_path / "plain"


def complete(error: EverviewError) -> None:
    assert "\x1b" not in str(error)
    assert error.where
    assert error.remedy
    assert len(error.what.splitlines()) == 1


@pytest.mark.parametrize("below", ["", "/deeper", "/deeper/still"])
def test_a_file_is_no_warehouse(file: Path, below: str) -> None:
    with pytest.raises(NotAWarehouse, match="A file lies there") as caught:
        ev.open(f"{file}{below}")
    complete(caught.value)


@pytest.mark.parametrize("uri", [*BUCKETS, "s3a://no-bucket"])
def test_a_store_without_credentials_is_no_warehouse(uri: str) -> None:
    with pytest.raises(StorageUnreadable, match="credential") as caught:
        ev.open(uri)
    complete(caught.value)


def test_an_unknown_scheme(tmp_path: Path) -> None:
    with pytest.raises(NotAWarehouse) as caught:
        ev.open("foo://bucket/x")
    complete(caught.value)


def test_a_file_is_no_table(file: Path, tmp_path: Path) -> None:
    with ev.open(tmp_path / "shop") as wh:
        with pytest.raises(NotATable, match="A file lies there") as caught:
            wh.attach("t", file)
        complete(caught.value)
        assert wh.tables() == []


@pytest.mark.parametrize("uri", BUCKETS)
def test_a_store_without_credentials_gives_no_table(uri: str, tmp_path: Path) -> None:
    with ev.open(tmp_path / "shop") as wh:
        with pytest.raises(StorageUnreadable, match="credential") as caught:
            wh.attach("t", uri)
        complete(caught.value)


@pytest.mark.parametrize("path", [5, "", None])
def test_what_is_no_path(path: object, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="not a folder or URI"):
        ev.open(path)  # type: ignore[arg-type]
    with ev.open(tmp_path) as wh, pytest.raises(InvalidArgument, match="not a folder or URI"):
        wh.attach("t", path)  # type: ignore[arg-type]


def test_causes_stand_on_one_line() -> None:
    said = "Generic error\n  \x1b[31m↳\x1b[0m Unable to walk\n   \x1b[31m↳\x1b[0m Not a directory\n"
    assert plain_message(OSError(said)) == "Generic error: Unable to walk: Not a directory"
