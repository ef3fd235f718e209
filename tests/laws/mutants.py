"""Every way to change one node of a rule: other snapshots, signs, sides, kinds, fewer terms."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import everview

SOURCES = Path(everview.__file__).parent


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
    "left": ("inner", "right"),
    "right": ("left",),
    "full": ("left",),
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
    "left": ("right",),
    "right": ("left",),
}
_SIDES = {"left": "right", "right": "left"}
_DROPPED = (
    "Net",
    "Negate",
    "Not",
    "Filter",
    "Signed",
    "Touched",
    "Distinct",
)  # wrappers whose first argument may stand alone
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
        case ast.Attribute(value, "left" | "right" as side):
            yield ast.Attribute(value, _SIDES[side])
        case ast.Call(ast.Name(name), [first, *_]) if name in _DROPPED:
            yield first
            yield from (ast.Call(node.func, other, []) for other in _negated(node.args))
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
        case ast.Assign([ast.Name()] as targets, ast.Tuple(parts)):
            yield from (ast.Assign(targets, ast.Tuple(kept)) for kept in _fewer(parts))
        case ast.For(target, ast.Tuple(parts), body, otherwise):
            for kept in _fewer(parts):
                yield ast.For(target, ast.Tuple(kept), body, otherwise)
        case ast.comprehension(target, ast.Tuple(parts), tests, is_async):
            for kept in _fewer(parts):
                yield ast.comprehension(target, ast.Tuple(kept), tests, is_async)
        case ast.Tuple(parts):
            yield from (ast.Tuple(other) for other in _negated(parts))
        case ast.Constant(str(text)):
            yield from (ast.Constant(other) for other in _TEXT.get(text, ()))
        case ast.Name(name):
            yield from (ast.Name(other) for other in _NAMES.get(name, ()))


def _fewer(parts: list[ast.expr]) -> Iterator[list[ast.expr]]:
    """The terms with one left out, of at least two."""
    if len(parts) > 1:
        yield from (parts[:i] + parts[i + 1 :] for i in range(len(parts)))


def _negated(parts: list[ast.expr]) -> Iterator[list[ast.expr]]:
    """The parts with the sign of a weight turned."""
    minus_one = ast.UnaryOp(ast.USub(), ast.Constant(1))
    for i, part in enumerate(parts):
        match part:
            case ast.Constant(1):
                yield [*parts[:i], minus_one, *parts[i + 1 :]]
            case ast.UnaryOp(ast.USub(), ast.Constant(1)):
                yield [*parts[:i], ast.Constant(1), *parts[i + 1 :]]
            case _:
                pass


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
            if not isinstance(child, ast.AST) or name in _SKIPPED or _says_nothing(child):
                continue
            here = (*path, (name, index if isinstance(value, list) else None))
            inner = function
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inner = f"{function}.{child.name}".lstrip(".")
            elif function and not isinstance(child, ast.expr_context):
                yield here, function
            yield from _places(child, here, inner)


def _says_nothing(node: ast.AST) -> bool:
    """Of the rows: docstrings, messages, and which side of a join is known to be small."""
    match node:
        case ast.Expr(ast.Constant()) | ast.Assert() | ast.Raise() | ast.keyword("broadcast"):
            return True
        case _:
            return False


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
