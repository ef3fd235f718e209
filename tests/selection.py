"""Which tests a run meets: a first part for everybody who waits, the rest, and shares of cases.

The choice follows from names alone, so that a commit has one choice, on every machine.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, assert_never

Kind = Literal["pure", "spark", "connect", "apart"]
Part = Literal["all", "first", "rest"]
ONE_OF = 6  # functions of a file, of those on Spark, are in the first part


@dataclass(frozen=True, slots=True)
class Case:
    """One test, or one case of a test with several."""

    id: str  # tests/folder/test_file.py::test_name[case]
    kind: Kind
    slow: bool = False
    share: int = 1  # one in so many runs, where not all do
    may_vanish: bool = False  # whether a function may be left with no case at all

    @property
    def function(self) -> str:
        return self.id.partition("[")[0]

    @property
    def file(self) -> str:
        return self.id.partition("::")[0]

    @property
    def folder(self) -> str:
        return "/".join(self.file.split("/")[:2])


def chosen(cases: Iterable[Case], part: Part) -> set[str]:
    """The ids of the part. The first and the rest have all together, none in common; what installs
    what runs apart is in neither.
    """
    cases = list(cases)
    match part:
        case "all":
            return of_shares(cases)
        case "first":
            return first(cases) | {c.id for c in cases if c.kind == "pure"}
        case "rest":
            others = [c for c in cases if c.kind in ("spark", "connect")]
            return of_shares(others) - first(cases)
        case _:
            assert_never(part)


def of_shares(cases: Iterable[Case]) -> set[str]:
    """Of every function one case, and of the others one in as many as their share says."""
    cases = list(cases)
    kept = {c.id for c in cases if _number(c.id) % c.share == 0}
    return kept | {
        _lowest(some).id
        for some in _by(cases, lambda c: f"{c.kind} {c.function}").values()
        if not some[0].may_vanish
    }


def first(cases: Iterable[Case]) -> set[str]:
    """Of every file on Spark one function in six, at least one, and one case of each.

    Slow ones wait for the rest, but no folder does as a whole.
    """
    found: set[str] = set()
    on_spark = [c for c in cases if c.kind == "spark"]
    for folder in _by(on_spark, lambda c: c.folder).values():
        quick = [c for c in folder if not c.slow]
        if not quick:
            found.add(_lowest(folder).id)
        for file in _by(quick, lambda c: c.file).values():
            functions = _by(file, lambda c: c.function)
            ranked = sorted(functions, key=_number)[: 1 + (len(functions) - 1) // ONE_OF]
            found |= {_lowest(functions[name]).id for name in ranked}
    return found


def _by(cases: Iterable[Case], key: Callable[[Case], str]) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        found[key(case)].append(case)
    return found


def _lowest(cases: Iterable[Case]) -> Case:
    return min(cases, key=lambda c: (_number(c.id), c.id))


def _number(name: str) -> int:
    return zlib.crc32(name.encode())
