"""The Spark sessions that tests share: one per process, classic or Connect, never both."""

from __future__ import annotations

import os
import socket
import warnings
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from everview.spark import java

if TYPE_CHECKING:  # the tests without Spark do not wait for its import
    from pyspark.sql import SparkSession

# Tests run each query once or twice: a second compilation of hot code costs more than it saves.
# What Java keeps for compiled code by then is full after a minute, and all later code interpreted.
SETTINGS = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m "
    "-XX:+UseSerialGC",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}

# Programs that tests start in a home of their own would each make an archive, for one run.
os.environ.setdefault("EVERVIEW_CLASS_ARCHIVE", "off")

MANY_CASES = (
    "tests/faults/",
    "tests/numbers/",
    "tests/attach/test_operations.py",
    "tests/api/test_merge_statement.py::test_random",
    "tests/api/test_create_table.py",
    "tests/api/test_keys.py",
    "tests/api/test_write.py",
)
SCRIPTS = "tests/scripts/"


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A classic session; whoever uses it is marked `spark` by that."""
    session = _builder(tmp_path_factory).master("local[2]").getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def connect(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session on a local Spark Connect server; whoever uses it is marked `connect` by that."""
    from pyspark.sql.connect.client import DefaultChannelBuilder

    port = _free_port()
    builder = _builder(tmp_path_factory).config("spark.connect.grpc.binding.port", str(port))
    with pytest.MonkeyPatch.context() as patch:
        # On Spark's fixed port two runs on one machine would meet.
        patch.setattr(DefaultChannelBuilder, "default_port", staticmethod(lambda: port))
        with warnings.catch_warnings():
            # The client warns of every setting that is the server's alone.
            warnings.simplefilter("ignore")
            session = builder.remote("local[2]").getOrCreate()
        yield session
        session.stop()


@pytest.fixture(
    scope="session",
    params=[
        pytest.param("spark", marks=pytest.mark.spark),
        pytest.param("connect", marks=pytest.mark.connect),
    ],
)
def spark_or_connect(request: pytest.FixtureRequest) -> SparkSession:
    """For a test of both kinds of session: it runs once in each of the two processes."""
    session: SparkSession = request.getfixturevalue(request.param)
    return session


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for kind in ("spark", "connect"):
            if kind in getattr(item, "fixturenames", ()):
                item.add_marker(kind)
    left_out = [item for item in items if _is_left_out(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _is_left_out(item: pytest.Item) -> bool:
    """Of tests that run on both kinds of session all but one in so many on Connect; of the
    queries of the corpus, of scripts, and of cases of faults and numbers, all but one in so many.
    """
    twice = "spark_or_connect" in getattr(item, "fixturenames", ())
    if twice and item.get_closest_marker("connect") is not None:
        return not _is_of_share(item, "EVERVIEW_CONNECT_SHARE")
    if item.get_closest_marker("corpus") is not None:
        return not _is_of_share(item, "EVERVIEW_CORPUS_SHARE")
    if item.get_closest_marker("spark") is not None and _is_one_of_many(item):
        return not _is_of_share(item, "EVERVIEW_CASES_SHARE")
    if item.get_closest_marker("spark") is not None and item.nodeid.startswith(SCRIPTS):
        return not _is_of_share(item, "EVERVIEW_SCRIPTS_SHARE")
    return False


def _is_one_of_many(item: pytest.Item) -> bool:
    """Whether the test is one case of several that differ in what fails, or in numbers."""
    return hasattr(item, "callspec") and item.nodeid.startswith(MANY_CASES)


def _is_of_share(item: pytest.Item, name: str) -> bool:
    return zlib.crc32(item.nodeid.encode()) % int(os.environ.get(name, "1")) == 0


def pytest_collection_finish(session: pytest.Session) -> None:
    kinds = [k for k in ("spark", "connect") if any(i.get_closest_marker(k) for i in session.items)]
    if len(kinds) > 1 and not session.config.option.collectonly:
        raise pytest.UsageError(
            "classic and Connect sessions cannot share a process: use make test-spark and "
            "make test-connect, or -m connect"
        )


def _builder(tmp_path_factory: pytest.TempPathFactory) -> SparkSession.Builder:
    from pyspark.sql import SparkSession

    java.prepare()
    warehouse = tmp_path_factory.mktemp("spark") / "warehouse"
    builder = SparkSession.builder.appName("everview tests")
    for name, value in {**SETTINGS, "spark.sql.warehouse.dir": str(warehouse)}.items():
        builder = builder.config(name, value)
    return builder


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
