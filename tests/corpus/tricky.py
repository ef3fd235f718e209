"""Tricky queries of our own, by theme: each file of `tricky/` holds lines `# title` and texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame

from everview.errors import SqlSyntax
from everview.spark.engine import SMALL, Engine
from tests.corpus.round_trip import Outcome, round_trip
from tests.corpus.tricky_tables import tables

_FOLDER = Path(__file__).parent / "tricky"


@dataclass(frozen=True)
class Case:
    """A query under its title; `theme` is the name of its file."""

    title: str
    theme: str
    text: str


def _cases(file: Path) -> Iterator[Case]:
    for block in file.read_text().split("\n# ")[1:]:
        title, _, text = block.partition("\n")
        yield Case(title.strip(), file.stem, text.strip())


CASES = tuple(case for file in sorted(_FOLDER.glob("*.sql")) for case in _cases(file))


def run(engine: Engine) -> Iterator[tuple[str, Outcome]]:
    """Title and outcome of every case in turn."""
    frames = tables(engine.own)
    for case in CASES:
        yield case.title, outcome(engine, case, frames)


def outcome(engine: Engine, case: Case, frames: Mapping[str, DataFrame]) -> Outcome:
    """What became of the case; a text that Spark takes and our parser does not is refused."""
    try:
        with engine.settings(SMALL):
            return round_trip(engine, case.text, frames)
    except SqlSyntax as error:
        return Outcome("refused", f"not parsed: {error.what}")
