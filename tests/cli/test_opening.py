"""Which warehouse is meant, and a Spark that will not start."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from everview.cli.noise import spark_log, starting
from everview.cli.opening import opened_at, warehouse_path
from everview.cli.spark_trouble import trouble
from everview.errors import NotAWarehouse, SparkNotStarted
from everview.spark import local
from tests.cli.fakes import screen


def make(folder: Path) -> Path:
    (folder / "_everview" / "catalog" / "_delta_log").mkdir(parents=True)
    return folder


def test_what_was_said_comes_first(tmp_path: Path) -> None:
    make(tmp_path)
    assert warehouse_path("a", {"EVERVIEW_WAREHOUSE": "b"}, tmp_path) == "a"
    assert warehouse_path(None, {"EVERVIEW_WAREHOUSE": "b"}, tmp_path) == "b"


def test_then_the_current_folder_then_the_demo(tmp_path: Path) -> None:
    demo = make(tmp_path / "everview-demo")
    assert warehouse_path(None, {}, tmp_path) == str(demo)
    make(tmp_path)
    assert warehouse_path(None, {"EVERVIEW_WAREHOUSE": ""}, tmp_path) == str(tmp_path)


def test_a_folder_of_something_else_is_no_warehouse(tmp_path: Path) -> None:
    (tmp_path / "everview-demo").mkdir()
    with pytest.raises(NotAWarehouse, match="everview demo"):
        warehouse_path(None, {}, tmp_path)


# Spark's words


class PySparkRuntimeError(Exception):
    __module__ = "pyspark.errors.exceptions.base"


def test_a_spark_that_does_not_start_is_explained(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse() -> None:
        os.write(1, b"a line on stdout\n")
        os.write(2, b"java.net.BindException: Can't assign requested address\n")
        raise PySparkRuntimeError("JAVA_GATEWAY_EXITED")

    monkeypatch.setattr(local, "prepare", refuse)
    with (
        pytest.raises(SparkNotStarted) as caught,
        opened_at(str(tmp_path / "x"), screen().screen, create=True) as warehouse,
    ):
        warehouse.create_table("t", "id INT")
    error = caught.value
    assert "could not open a port" in error.what
    assert "BindException" in error.what
    assert "SPARK_LOCAL_IP" in error.remedy
    log = Path(str(error.where))
    assert log.read_text().startswith("a line on stdout\n")
    log.unlink()


def test_noise_goes_to_a_file_that_goes(capfd: pytest.CaptureFixture[str]) -> None:
    os.write(2, b"before ")
    with spark_log() as log:
        os.write(2, b"noise\n")
        with starting(log):
            os.write(1, b"more\n")
        os.write(1, b"result\n")
        assert log.text() == "noise\nmore\n"
        assert log.tail(1) == "more"
    os.write(2, b"after")
    assert not log.path.exists()
    assert capfd.readouterr() == ("result\n", "before after")


def test_a_log_that_is_kept_stays() -> None:
    with spark_log() as log:
        log.keep()
    assert log.path.exists()
    log.path.unlink()


@pytest.mark.parametrize(
    ("log", "what"),
    [
        ("java.net.BindException: Cannot assign requested address: bind", "port on 127.0.0.1"),
        ("java.net.UnknownHostException: box: box: Name or service not known", "has no address"),
        ("Error occurred: Could not reserve enough space for object heap", "not enough memory"),
        ("There is insufficient memory for the Java Runtime Environment", "not enough memory"),
        ("Invalid maximum heap size: -Xmx2x", "not one that Java takes"),
        ("java.lang.module.FindException: Module jdk.incubator.vector not found", "a module"),
        ("java.lang.UnsupportedOperationException: getSubject is not supported", "This Java"),
        ("UnsupportedClassVersionError: org/apache/spark/launcher/Main", "This Java"),
        ("java.io.IOException: No space left on device", "disk is full"),
        ("Error: Could not find or load main class org.apache.spark", "own classes"),
        ("java.nio.file.AccessDeniedException: /x", "may not write"),
        ("a\nfoo.BarException: odd thing\n\tat x.y", "BarException: odd thing"),
        ("only this\n\nPySparkRuntimeError: [JAVA_GATEWAY_EXITED] Java gateway", "only this"),
        ("Error occurred during initialization of VM\nToo small maximum heap", "Java takes"),
        ("", "said nothing"),
    ],
)
def test_the_cause_is_one_sentence(log: str, what: str) -> None:
    found = trouble(log)
    assert what in found.what
    assert found.remedy.endswith(".")
