"""Files, functions and parameter lists stay small, booleans are named, modules have real names."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

import pytest

from tests.architecture.tree import ROOT, SOURCES, files, named

FILE_LINES = 300
FUNCTION_LINES = 40
PARAMETERS = 5
FORBIDDEN_NAMES = frozenset(
    ("base", "common", "core", "helper", "helpers", "manager", "misc", "util", "utils")
)

# (where, budget) -> why it may be exceeded. An entry that is no longer needed fails the test.
EXCEPTIONS: dict[tuple[str, str], str] = {
    (
        "src/everview/handles/view.py::View.refresh",
        "keyword-only booleans",
    ): "the public signature is refresh(full=False)",
    (
        "src/everview/session.py::open",
        "parameters",
    ): "each thing that a caller may bring along has its own name",
    (
        "src/everview/warehouse.py::Warehouse.create_table",
        "parameters",
    ): "each thing that can be declared of a table has its own name",
    (
        "src/everview/warehouse.py::Warehouse.create_materialized_view",
        "keyword-only booleans",
    ): "the public signature has replace=False",
    (
        "src/everview/warehouse.py::Warehouse.create_materialized_view",
        "parameters",
    ): "each thing that can be wished for a view has its own name",
}


@dataclass(frozen=True, slots=True)
class Violation:
    where: str
    budget: str
    found: str

    @property
    def key(self) -> tuple[str, str]:
        return self.where, self.budget

    def __str__(self) -> str:
        return f"{self.where}: {self.budget}: {self.found}"


def violations(path: str, text: str) -> Iterator[Violation]:
    """Every budget that a Python file exceeds."""
    yield from file_violations(path, text)
    for name, function in functions(ast.parse(text, path)):
        yield from _function_violations(f"{path}::{name}", function)


def file_violations(path: str, text: str) -> Iterator[Violation]:
    """The budgets of a file as a whole, which tests and tools obey too."""
    yield from name_violations(path)
    lines = len(text.splitlines())
    if lines > FILE_LINES:
        yield Violation(path, "file lines", f"{lines}, at most {FILE_LINES}")


def name_violations(path: str) -> Iterator[Violation]:
    for part in PurePosixPath(path).with_suffix("").parts:
        if part.strip("_") in FORBIDDEN_NAMES:
            yield Violation(path, "module name", f"{part} says nothing about what is inside")


Function = ast.FunctionDef | ast.AsyncFunctionDef
_BOOLEANS = ("bool", "bool | None")


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Every function with its dotted name, methods and inner functions included."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function | ast.ClassDef):
            name = prefix + node.name
            if isinstance(node, Function):
                yield name, node
            yield from functions(node, f"{name}.")
        else:
            yield from functions(node, prefix)


def _function_violations(where: str, function: Function) -> Iterator[Violation]:
    lines = _lines(function)
    if lines > FUNCTION_LINES:
        yield Violation(where, "function lines", f"{lines}, at most {FUNCTION_LINES}")
    arguments = function.args
    positional = [a for a in arguments.posonlyargs + arguments.args if a.arg not in ("self", "cls")]
    rest = [*arguments.kwonlyargs, *filter(None, (arguments.vararg, arguments.kwarg))]
    if len(positional) + len(rest) > PARAMETERS:
        count = len(positional) + len(rest)
        yield Violation(where, "parameters", f"{count}, at most {PARAMETERS}")
    defaults = dict(zip(reversed(positional), reversed(arguments.defaults), strict=False))
    for index, argument in enumerate(positional):
        if _is_flag(argument.annotation, defaults.get(argument), index):
            yield Violation(where, "keyword-only booleans", f"{argument.arg} is positional")


def _lines(function: Function) -> int:
    """From `def` to the end; what the docstring takes is free."""
    lines = (function.end_lineno or 0) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function) is not None:
        lines -= (first.end_lineno or 0) - first.lineno + 1
    return lines


def _is_flag(annotation: ast.expr | None, default: ast.expr | None, index: int) -> bool:
    """A boolean is a flag, unless it comes first without a default: then it is the operand."""
    if default is not None:
        return isinstance(default, ast.Constant) and isinstance(default.value, bool)
    return index > 0 and annotation is not None and ast.unparse(annotation) in _BOOLEANS


def judge(found: Iterable[Violation], exceptions: dict[tuple[str, str], str]) -> list[str]:
    """What is neither within budget nor excepted, and the exceptions that nothing needs."""
    found = list(found)
    unneeded = exceptions.keys() - {v.key for v in found}
    return [str(v) for v in found if v.key not in exceptions] + [
        f"{where}: {budget}: the exception is no longer needed" for where, budget in unneeded
    ]


def test_the_sources_keep_their_budgets() -> None:
    found = [v for file in files(".py", SOURCES) for v in violations(named(file), file.read_text())]
    for folder in ("tests", "tools", "bench"):
        for file in files(".py", ROOT / folder):
            found += file_violations(named(file), file.read_text())
    problems = judge(found, EXCEPTIONS)
    assert not problems, "\n".join(problems)


def test_every_exception_has_a_reason() -> None:
    assert all(reason.strip() for reason in EXCEPTIONS.values())


LONG = "def f():\n" + "    pass\n" * FUNCTION_LINES


@pytest.mark.parametrize(
    ("path", "text", "budget", "where"),
    [
        ("a.py", "x = 1\n" * (FILE_LINES + 1), "file lines", "a.py"),
        ("a.py", LONG, "function lines", "a.py::f"),
        ("a.py", "async " + LONG, "function lines", "a.py::f"),
        ("a.py", "def f(a, b, c, d, e, g): ...", "parameters", "a.py::f"),
        ("a.py", "def f(a, b, *c, d, e, **g): ...", "parameters", "a.py::f"),
        ("a.py", "class A:\n def f(self, a, b, c, d, e, g): ...", "parameters", "a.py::A.f"),
        ("a.py", "def f(a, b: bool): ...", "keyword-only booleans", "a.py::f"),
        ("a.py", "def f(a, b: bool | None): ...", "keyword-only booleans", "a.py::f"),
        ("a.py", "def f(a: bool = True): ...", "keyword-only booleans", "a.py::f"),
        ("a.py", "def f(a, b=False): ...", "keyword-only booleans", "a.py::f"),
        ("a.py", "if x:\n def f():\n  def g(a=True): ...", "keyword-only booleans", "a.py::f.g"),
        ("x/utils.py", "", "module name", "x/utils.py"),
        ("x/_helpers/y.py", "", "module name", "x/_helpers/y.py"),
    ],
)
def test_an_excess_is_seen(path: str, text: str, budget: str, where: str) -> None:
    (violation,) = violations(path, text)
    assert violation.key == (where, budget)


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n" * FILE_LINES,
        "def f():\n" + "    pass\n" * (FUNCTION_LINES - 1),
        'def f():\n    """One.\n\n    Two.\n    """\n' + "    pass\n" * (FUNCTION_LINES - 1),
        "class A:\n def f(self, a, b, c, d, e): ...",
        "def f(a, *, b: bool = False): ...",
        "def require(condition: bool, message: str): ...",
        "@dataclass\nclass A:\n a: int\n b: int\n c: int\n d: int\n e: int\n f: bool = True",
    ],
)
def test_what_is_within_budget_is_left_alone(text: str) -> None:
    assert list(violations("a.py", text)) == []


def test_an_exception_counts_while_it_is_needed() -> None:
    found = list(violations("a.py", LONG))
    key = ("a.py::f", "function lines")
    assert judge(found, {}) == [str(found[0])]
    assert judge(found, {key: "one long table"}) == []
    assert judge([], {key: "one long table"}) == [
        "a.py::f: function lines: the exception is no longer needed"
    ]
