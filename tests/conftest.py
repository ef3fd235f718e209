"""What all tests share: a Spark session per process, classic or Connect; and which tests run."""

from __future__ import annotations

import os
import socket
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, get_args

import pytest
from hypothesis import HealthCheck, settings

from everview.spark import java
from tests.selection import Case, Part, chosen

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
# Several processes share the cores: how long an example takes says nothing about what it tests.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")

# Programs that tests start in a home of their own would each make an archive, for one run.
os.environ.setdefault("EVERVIEW_CLASS_ARCHIVE", "off")

COLLECTED = pytest.StashKey[list[Case]]()  # all that were found, before some are left out


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
    cases = config.stash[COLLECTED] = [_case(item) for item in items]
    kept = chosen(cases, _part())
    left_out = [item for item in items if item.nodeid not in kept]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item.nodeid in kept]


def _part() -> Part:
    asked = os.environ.get("EVERVIEW_PART", "all")
    for part in get_args(Part):
        if asked == part:
            return part
    raise pytest.UsageError(f"EVERVIEW_PART is {asked!r}, not one of {get_args(Part)}")


def _case(item: pytest.Item) -> Case:
    """The test as its selection sees it; the environment says which share of the cases runs."""
    slow = item.get_closest_marker("slow") is not None
    if any(item.get_closest_marker(marker) is not None for marker in ("wheel", "connectors")):
        return Case(item.nodeid, "apart", slow)
    if item.get_closest_marker("connect") is not None:
        twice = "spark_or_connect" in getattr(item, "fixturenames", ())
        share = _share("CONNECT") if twice else 1
        return Case(item.nodeid, "connect", slow, share, may_vanish=True)
    if item.get_closest_marker("corpus") is not None:
        return Case(item.nodeid, "spark", slow, _share("CORPUS"))
    if item.get_closest_marker("spark") is not None:
        scripts = item.nodeid.startswith("tests/scripts/")
        return Case(item.nodeid, "spark", slow, _share("SCRIPTS" if scripts else "CASES"))
    return Case(item.nodeid, "pure", slow)


def _share(of: str) -> int:
    return int(os.environ.get(f"EVERVIEW_{of}_SHARE", "1"))


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
