"""Shows that the laws catch every wrong delta rule.

Run by `make mutate`. Every mutant is a module of the delta rules with one node of its tree changed;
it is imported in place of the original, and random cases are tried until one fails. A mutant that
survives all of them is a gap in the laws, or equivalent to the original and argued in EQUIVALENT.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import importlib.util
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import everview

SOURCES = Path(everview.__file__).parent
RULES = (
    *sorted(f"delta/{p.name}" for p in (SOURCES / "delta").glob("*.py") if p.stat().st_size),
    "aggregates/areas.py",
)
# What is imported anew for every mutant: the rules and everything that imports them.
RELOADED = ("everview.aggregates", "everview.rewrite", "everview.delta", "tests.laws.law")
CASES = 3000
SECONDS = 30  # for one case

# (file, function, change) -> why the mutant gives the same rows as the original.
_APPLY, _AREAS = "delta/apply_keyed.py", "aggregates/areas.py"
_TWO_GUARDS = "an untouched row is guarded twice: it keeps its values, and is written as before"
_NO_NULL = "changes of a touched group are never NULL, and an untouched row keeps its old values"
_NEVER_BETTER = (
    "of net changes: what is deleted was there, so it is no better than the stored extreme"
)
_NO_WIDTH = "numbers have no width in Python; tests/aggregates holds the type of the addition"
EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "delta/aggregate.py",
        "change_table",
        "kept.area.lost is not None  ->  kept.area.lost is None",
    ): "a Net more than needed: slower, the same rows; tests/delta holds that there is none",
    (
        _APPLY,
        "ApplyKeyed.lost",
        "'inner'  ->  'left'",
    ): "a group without changes keeps its extreme, so it is not among the lost ones",
    (
        _APPLY,
        "ApplyKeyed._stored_lines",
        "Or((untouched, is_old))  ->  Or((is_old,))",
    ): _TWO_GUARDS,
    (
        _APPLY,
        "ApplyKeyed._computed",
        "[] if untouched is FALSE else [(untouched, Ref(kept.id))]"
        "  ->  [(untouched, Ref(kept.id))] if untouched is FALSE else []",
    ): _TWO_GUARDS,
    (
        _APPLY,
        "ApplyKeyed._computed",
        "untouched is FALSE  ->  untouched is not FALSE",
    ): _TWO_GUARDS,
    (_APPLY, "ApplyKeyed._computed", "FALSE  ->  TRUE"): _TWO_GUARDS,
    (
        _AREAS,
        "sum_area.merge",
        "integer(0)  ->  integer(1)",
    ): "a sum does not overflow in Python; tests/aggregates holds what happens when it does",
    (
        _AREAS,
        "sum_area",
        "'exact_' if types.cast else ''  ->  '' if types.cast else 'exact_'",
    ): "another name: sums with and without a cast stay apart",
    (
        _AREAS,
        "extreme_area.lost",
        "Call(best, (found, deltas[2]))  ->  Call(best, (found,))",
    ): _NEVER_BETTER,
    (
        _AREAS,
        "extreme_area.lost",
        "Or((Compare('<=', copies(old, deltas), integer(0)), better))"
        "  ->  Or((Compare('<=', copies(old, deltas), integer(0)),))",
    ): _NEVER_BETTER,
    (
        _AREAS,
        "extreme_area",
        "integer(0)  ->  integer(1)",
    ): "the copies of an extreme that is NULL are never added",
    (
        _AREAS,
        "_plus_count",
        "Call('coalesce', (change, integer(0)))  ->  Call('coalesce', (change,))",
    ): _NO_NULL,
    (_AREAS, "_plus_count", "integer(0)  ->  integer(1)"): _NO_NULL,
    (
        _AREAS,
        "_plus",
        "EXACT_SUM if stored == 'long' else stored  ->  stored if stored == 'long' else EXACT_SUM",
    ): _NO_WIDTH,
    (_AREAS, "_plus", "stored == 'long'  ->  stored != 'long'"): _NO_WIDTH,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change to one file."""

    file: str
    function: str
    line: int
    change: str
    text: str

    @property
    def key(self) -> tuple[str, str, str]:
        return self.file, self.function, self.change

    @property
    def module(self) -> str:
        return "everview." + self.file.removesuffix(".py").replace("/", ".")


@dataclass(frozen=True, slots=True)
class Outcome:
    mutant: Mutant
    cases: int
    killed_by: str  # "" if it survived


# Which changes are tried

_TEXT = {
    "=": ("<>",),
    "<>": ("=",),
    "<=>": ("=",),
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "+": ("-",),
    "-": ("+",),
    "greatest": ("least",),
    "least": ("greatest",),
    "inner": ("left",),
    "left": ("inner",),
    "semi": ("anti",),
    "anti": ("semi",),
    "max": ("min",),
    "min": ("max",),
}
_NAMES = {
    "And": ("Or",),
    "Or": ("And",),
    "TRUE": ("FALSE",),
    "FALSE": ("TRUE",),
    "ROWS": ("MINUS",),
    "MINUS": ("PLUS",),
    "PLUS": ("MINUS",),
    "INSERT": ("UPDATE_NEW",),
    "UPDATE_NEW": ("INSERT",),
    "UPDATE_OLD": ("DELETE",),
    "DELETE": ("UPDATE_OLD",),
}
_DROPPED = ("Net", "Negate", "Not", "Filter")  # wrappers whose first argument may stand alone
_GROUPED = ("And", "Or", "UnionAll", "Call", "Case")  # calls whose terms may be dropped
_OPERATORS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Gt: ast.GtE,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.GtE: ast.Gt,
}


def changed(node: ast.AST) -> Iterator[ast.AST | None]:
    """The nodes that may stand in place of one; None: the statement is left out."""
    match node:
        case ast.Attribute(ast.Name("At"), "OLD" | "NEW" as snapshot):
            yield ast.Attribute(ast.Name("At"), "NEW" if snapshot == "OLD" else "OLD")
        case ast.Call(ast.Name(name), [first, *_]) if name in _DROPPED:
            yield first
        case ast.Call(ast.Name("integer"), [ast.Constant(0 | 1 as number)]):
            yield ast.Call(ast.Name("integer"), [ast.Constant(1 - number)], [])
        case ast.Call(ast.Name(name), [*before, ast.Tuple(parts)], []) if name in _GROUPED:
            for kept in (*_fewer(parts), *(() if _commutes(node) else _swapped(parts))):
                yield ast.Call(ast.Name(name), [*before, ast.Tuple(kept)], [])
        case ast.Compare(left, [operator], right) if type(operator) in _OPERATORS:
            yield ast.Compare(left, [_OPERATORS[type(operator)]()], right)
        case ast.BoolOp(operator, values):
            other = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield ast.BoolOp(other, values)
        case ast.IfExp(test, body, otherwise):
            yield ast.IfExp(test, otherwise, body)
        case ast.Expr(ast.Call(ast.Attribute(attr="append"))) | ast.AugAssign():
            yield ast.Pass()
        case ast.Constant(str(text)):
            yield from (ast.Constant(other) for other in _TEXT.get(text, ()))
        case ast.Name(name):
            yield from (ast.Name(other) for other in _NAMES.get(name, ()))


def _fewer(parts: list[ast.expr]) -> Iterator[list[ast.expr]]:
    """The terms with one left out, of at least two."""
    if len(parts) > 1:
        yield from (parts[:i] + parts[i + 1 :] for i in range(len(parts)))


def _swapped(parts: list[ast.expr]) -> Iterator[list[ast.expr]]:
    """The terms with two neighbours swapped."""
    for i in range(len(parts) - 1):
        yield [*parts[:i], parts[i + 1], parts[i], *parts[i + 2 :]]


def _commutes(call: ast.Call) -> bool:
    """Whether the order of the terms has no meaning: And, Or, unions, sums, the better of two."""
    match call:
        case ast.Call(ast.Name("Call"), [ast.Constant(function), *_]):
            return function == "+"
        case ast.Call(ast.Name("Call"), [ast.Name("best"), *_]):
            return True
        case _:
            return isinstance(call.func, ast.Name) and call.func.id in ("And", "Or", "UnionAll")


# Making mutants


def mutants(file: str) -> Iterator[Mutant]:
    """Every change to one file, in the order of its lines."""
    text = (SOURCES / file).read_text()
    tree = ast.parse(text)
    seen: dict[tuple[str, str], int] = {}
    for path, function in _places(tree, (), ""):
        node = _at(tree, path)
        for other in changed(node):
            copied = copy.deepcopy(tree)
            _put(copied, path, other)
            change = f"{_short(node)}  ->  {_short(other)}"
            seen[function, change] = count = seen.get((function, change), 0) + 1
            title = change if count == 1 else f"{change}  #{count}"
            line = getattr(node, "lineno", 0)
            yield Mutant(
                file, function, line, title, ast.unparse(ast.fix_missing_locations(copied))
            )


Path_ = tuple[tuple[str, int | None], ...]
_SKIPPED = ("annotation", "returns", "decorator_list", "bases")


def _places(node: ast.AST, path: Path_, function: str) -> Iterator[tuple[Path_, str]]:
    """The way to every node inside functions, with the function's dotted name."""
    for name, value in ast.iter_fields(node):
        many = value if isinstance(value, list) else [value]
        for index, child in enumerate(many):
            if not isinstance(child, ast.AST) or name in _SKIPPED or _is_docstring(child):
                continue
            here = (*path, (name, index if isinstance(value, list) else None))
            inner = function
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inner = f"{function}.{child.name}".lstrip(".")
            elif function and not isinstance(child, ast.expr_context):
                yield here, function
            yield from _places(child, here, inner)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _at(tree: ast.AST, path: Path_) -> ast.AST:
    node: Any = tree
    for name, index in path:
        node = getattr(node, name) if index is None else getattr(node, name)[index]
    return node


def _put(tree: ast.AST, path: Path_, node: ast.AST | None) -> None:
    parent = _at(tree, path[:-1])
    name, index = path[-1]
    if index is None:
        setattr(parent, name, copy.deepcopy(node))
    else:
        getattr(parent, name)[index] = copy.deepcopy(node)


def _short(node: ast.AST | None) -> str:
    text = "nothing" if isinstance(node, ast.Pass) else ast.unparse(ast.fix_missing_locations(node))
    return " ".join(text.split())


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


def attempt(mutant: Mutant, cases: int) -> Outcome:
    """Try random cases until a law fails, or all have passed."""
    finder = Replaced(mutant)
    sys.meta_path.insert(0, finder)
    signal.signal(signal.SIGALRM, _stop)
    number = 0
    try:
        for check in _checks(cases):
            number += 1
            signal.alarm(SECONDS)
            check()
    except Exception as error:
        return Outcome(mutant, number, _reason(error))
    finally:
        signal.alarm(0)
        sys.meta_path.remove(finder)
    return Outcome(mutant, cases, "")


def _stop(_: int, frame: FrameType | None) -> None:
    raise TooLong


def _checks(cases: int) -> Iterator[Callable[[], None]]:
    """The two laws in turn, over the same cases every time, by freshly imported rules."""
    for name in [n for n in sys.modules if n.startswith(RELOADED)]:
        del sys.modules[name]
    law = importlib.import_module("tests.laws.law")
    seen = law.Seen()
    for seed in range(cases // 2):
        yield lambda seed=seed: law.check_keyed(seed, seen)
        yield lambda seed=seed: law.check_rows(seed, seen)


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
        outcomes = pool.map(attempt, todo, [_cases(m, cases) for m in todo])
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
