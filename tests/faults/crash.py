"""Dying at a named place, and what must be left behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import everview as ev
from everview.run.faults import no_fault


class Crash(BaseException):
    """The process dies here; what answers errors does not see it."""


@contextmanager
def crash_at(wh: ev.Warehouse, place: str) -> Iterator[None]:
    """The block comes to this place and dies there."""

    def probe(reached: str) -> None:
        if reached == place:
            raise Crash(place)

    wh._world.probe = probe
    try:
        with pytest.raises(Crash, match=place):
            yield
    finally:
        wh._world.probe = no_fault


def opened_again(wh: ev.Warehouse) -> ev.Warehouse:
    """The same warehouse as the next process sees it."""
    return ev.open(wh.path, spark=wh.spark)


def staged_files(wh: ev.Warehouse) -> list[str]:
    """What refreshes and writes left in the staging folder."""
    folder = Path(wh.path.removeprefix("file://")) / "_everview" / "staging"
    return [str(p) for p in folder.rglob("*") if p.is_file()]
