"""Shows that the laws catch every wrong rule: of changes, of rewriting, of what need not be read.

Run by `make mutate`. Every mutant is a module with rules of which one node of its tree is changed;
it is imported in place of the original, and random cases are tried until one fails: first those
that are known to call the changed function, then more of the same laws. A mutant that survives is
a gap in the laws, or equivalent to the original and argued in EQUIVALENT.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import re
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from itertools import count, islice, repeat
from types import CodeType, FrameType, ModuleType
from typing import Any

from tests.laws.equivalent import EQUIVALENT
from tests.laws.held import RULES, Law, laws_of
from tests.laws.mutants import SOURCES, Mutant, mutants

# What is imported anew for every mutant: the rules and everything that imports them.
RELOADED = (
    "everview.aggregates",
    "everview.algebra.derive.same_rows",
    "everview.rewrite",
    "everview.delta",
    "everview.apply",
    "everview.choose",
    "everview.optimize",
    "everview.run.driver.merge_columns",
    "everview.shape",
    "tests.improve",
    "tests.laws.broken",
    "tests.laws.group_form_law",
    "tests.laws.group_law",
    "tests.laws.grouped_law",
    "tests.laws.in_common_law",
    "tests.laws.key_law",
    "tests.laws.law",
    "tests.laws.line_law",
    "tests.laws.merge_law",
    "tests.laws.met",
    "tests.laws.no_rows",
    "tests.laws.pass_law",
    "tests.laws.rewrite_examples",
    "tests.laws.rewrite_law",
    "tests.laws.shrink",
    "tests.laws.stored_law",
    "tests.laws.tree_law",
    "tests.optimize",
    "tests.rewrite",
)
WATCHED = 120  # cases of each law of which it is known what they call
CASES = 4000
SECONDS = 30  # for one case

# By law, which of its cases call a function, by file and dotted name.
Calling = Mapping[Law, Mapping[tuple[str, str], list[int]]]
Trial = tuple[int, int]  # a law, by its place among those of the file, and a seed


@dataclass(frozen=True, slots=True)
class Outcome:
    mutant: Mutant
    cases: int
    killed_by: str  # "" if it survived


# Trying a mutant


class Replaced(MetaPathFinder, Loader):
    """Imports one module from another text."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return importlib.util.spec_from_loader(name, self) if name == self.mutant.module else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.mutant.text, self.mutant.file, "exec"), module.__dict__)


class TooLong(Exception):
    """A case does not end."""


def attempt(mutant: Mutant, first: list[Trial], cases: int) -> Outcome:
    """Try random cases, these first, until a law fails or all have passed."""
    finder = Replaced(mutant)
    sys.meta_path.insert(0, finder)
    signal.signal(signal.SIGALRM, _stop)
    number = 0
    try:
        laws = _checks(laws_of(mutant.file))
        for law, seed in islice(_trials(first, len(laws)), cases):
            number += 1
            signal.alarm(SECONDS)
            laws[law](seed)
    except Exception as error:
        return Outcome(mutant, number, _reason(error))
    finally:
        signal.alarm(0)
        sys.meta_path.remove(finder)
    return Outcome(mutant, cases, "")


def _stop(_: int, frame: FrameType | None) -> None:
    raise TooLong


def _checks(laws: tuple[Law, ...]) -> list[Callable[[int], None]]:
    """The laws by freshly imported rules."""
    for name in [n for n in sys.modules if n.startswith(RELOADED)]:
        del sys.modules[name]
    seen = importlib.import_module("tests.laws.law").Seen()
    checks = [getattr(importlib.import_module(module), name) for module, name in laws]
    return [lambda seed, check=check: check(seed, seen) for check in checks]


def _trials(first: list[Trial], laws: int) -> Iterator[Trial]:
    """These, then in turn the laws that they are of, or all, over the same cases every time."""
    yield from first
    some = sorted({law for law, _ in first}) or range(laws)
    yield from ((law, seed) for seed in count(WATCHED if first else 0) for law in some)


def watched(law: Law, cases: int) -> dict[tuple[str, str], list[int]]:
    """Which cases of a law call each function of the rules, by file and dotted name."""
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    called: set[CodeType] = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            called.add(frame.f_code)

    (check,) = _checks((law,))
    for seed in range(cases):
        called.clear()
        sys.setprofile(watch)
        try:
            check(seed)
        finally:
            sys.setprofile(None)
        for place in {_place(code) for code in called}:
            found[place].append(seed)
    return found


def _place(code: CodeType) -> tuple[str, str]:
    file = code.co_filename.removeprefix(f"{SOURCES}/")
    name = re.sub(r"\.?<(lambda|listcomp|genexpr|setcomp|dictcomp)>", "", code.co_qualname)
    return file, re.sub(r"\.<locals>", "", name)


def _reason(error: Exception) -> str:
    return "other rows" if isinstance(error, AssertionError) else type(error).__name__


# The table


def run(files: tuple[str, ...], cases: int) -> int:
    """Try all mutants, show the table, and give the exit code."""
    begun = time.perf_counter()
    todo = [m for file in files for m in mutants(file)]
    known = {m.key for m in todo}
    survived, wrong = [], [k for k in EQUIVALENT if k[0] in files and k not in known]
    with ProcessPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        laws = sorted({law for file in files for law in laws_of(file)})
        calling = dict(zip(laws, pool.map(watched, laws, repeat(WATCHED)), strict=True))
        first = [_calling(m, calling) for m in todo]
        outcomes = pool.map(attempt, todo, first, [_cases(m, cases) for m in todo])
        for outcome in outcomes:
            mutant = outcome.mutant
            _say(_line(outcome))
            if not outcome.killed_by and mutant.key not in EQUIVALENT:
                survived.append(mutant)
            if outcome.killed_by and mutant.key in EQUIVALENT:
                wrong.append(mutant.key)
    seconds = time.perf_counter() - begun
    equivalent = len(EQUIVALENT.keys() & known)
    killed = len(todo) - len(survived) - equivalent
    _say(
        f"\n{len(todo)} mutants of {len(files)} files in {seconds:.0f} s: "
        f"{killed} killed, {equivalent} equivalent, {len(survived)} survived"
    )
    for key in wrong:
        _say(f"no longer equivalent, or gone: {key}")
    return 1 if survived or wrong else 0


def _calling(mutant: Mutant, calling: Calling) -> list[Trial]:
    """The cases that call the changed function, those of all laws in turn."""
    place = mutant.file, mutant.function
    laws = enumerate(laws_of(mutant.file))
    some = [(seed, number) for number, law in laws for seed in calling[law].get(place, ())]
    return [(number, seed) for seed, number in sorted(some)]


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _cases(mutant: Mutant, cases: int) -> int:
    """One that is argued to be equivalent is tried less: only to notice a wrong argument."""
    return min(cases, 200) if mutant.key in EQUIVALENT else cases


def _line(outcome: Outcome) -> str:
    mutant = outcome.mutant
    if outcome.killed_by:
        verdict = f"killed by case {outcome.cases:>4} ({outcome.killed_by})"
    elif mutant.key in EQUIVALENT:
        verdict = f"equivalent: {EQUIVALENT[mutant.key]}"
    else:
        verdict = f"SURVIVED {outcome.cases} cases"
    return f"{mutant.file}:{mutant.line} {mutant.function}\n    {mutant.change}\n    {verdict}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", default=RULES, help="rule files, below src/everview")
    parser.add_argument("--cases", type=int, default=CASES, help="cases a mutant must not survive")
    given = parser.parse_args()
    sys.exit(run(tuple(given.files), given.cases))
