"""From the arguments to an open warehouse: which one it is, and a Spark that starts in silence."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import everview
from everview.cli.noise import SparkLog, spark_log, starting
from everview.cli.screen import Screen
from everview.cli.spark_trouble import trouble
from everview.errors import EverviewError, NotAWarehouse, SparkNotStarted
from everview.spark.local import starting_within

VARIABLE = "EVERVIEW_WAREHOUSE"
DEMO = "everview-demo"
# Whose errors mean that Spark did not start.
_SPARK = ("pyspark.", "py4j.")


def warehouse_path(given: str | None, environ: Mapping[str, str], here: Path) -> str:
    """The warehouse meant; NotAWarehouse if nothing was said and none is near."""
    if given:
        return given
    if environ.get(VARIABLE):
        return environ[VARIABLE]
    for folder in (here, here / DEMO):
        if is_warehouse(folder):
            return str(folder)
    raise NotAWarehouse(
        "No warehouse was named, and neither the current folder nor ./everview-demo is one.",
        where=str(here),
        remedy=f"Give --warehouse PATH or set {VARIABLE}; `everview demo` builds one to try.",
    )


def is_warehouse(folder: Path) -> bool:
    """Whether a local folder holds a warehouse."""
    return (folder / "_everview" / "catalog" / "_delta_log").is_dir()


@contextlib.contextmanager
def opened(
    arguments: argparse.Namespace, screen: Screen, *, create: bool = False
) -> Iterator[everview.Warehouse]:
    """The warehouse that the arguments mean, for as long as the command needs it."""
    path = warehouse_path(arguments.warehouse, os.environ, Path.cwd())
    with opened_at(path, screen, create=create) as warehouse:
        yield warehouse


@contextlib.contextmanager
def opened_at(path: str, screen: Screen, *, create: bool) -> Iterator[everview.Warehouse]:
    """The warehouse at a place; Spark's own words stay in a file that goes if all is well."""
    with (
        spark_log() as log,
        starting_within(partial(_starting, log), waits=not screen.out.is_terminal),
    ):
        warehouse = everview.open(path, create=create)
        try:
            with warehouse:
                yield warehouse
        except EverviewError:
            raise
        except Exception:
            log.keep()
            screen.note(f"What Spark said is in {log.path}")
            raise


@contextlib.contextmanager
def _starting(log: SparkLog) -> Iterator[None]:
    """While Spark starts, stdout is silent, and its errors are explained."""
    with starting(log), _explained(log):
        yield


@contextlib.contextmanager
def _explained(log: SparkLog) -> Iterator[None]:
    """An error of Spark's own becomes one with the reason that its log shows."""
    try:
        yield
    except EverviewError:
        raise
    except Exception as error:
        if not type(error).__module__.startswith(_SPARK):
            raise
        log.keep()
        found = trouble(f"{log.text()}\n{error}")
        said = "\n".join(f"    {line}" for line in log.tail().splitlines())
        what = f"{found.what}\n{said}".rstrip()
        raise SparkNotStarted(what, where=str(log.path), remedy=found.remedy) from error
