"""Scalar expressions as values: a few shapes we reason about, and Spark's own text for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, assert_never

ColumnId = int
Types = Mapping[ColumnId, str]  # the types of columns, as schemas write them


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a plan: an id that is unique in the whole plan, and the name a person knows
    it by.
    """

    id: ColumnId
    name: str


Columns = tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Ref:
    """The value of a column."""

    id: ColumnId


@dataclass(frozen=True, slots=True)
class Outer:
    """The value of a column of the row around: a parameter of a subquery; no finished plan has
    one.
    """

    id: ColumnId


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal: its Spark text, and its Python value where a rule of ours made it."""

    text: str
    value: Any = None


Comparison = Literal["=", "<=>", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Compare:
    """`left op right`; NULL if a side is NULL, except `<=>`, which is never NULL."""

    op: Comparison
    left: Scalar
    right: Scalar


@dataclass(frozen=True, slots=True)
class And:
    """True if all parts are, false if one is, else NULL; no parts: true."""

    parts: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """False if all parts are, true if one is, else NULL; no parts: false."""

    parts: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Three-valued negation."""

    input: Scalar


@dataclass(frozen=True, slots=True)
class IsNull:
    """True if the input is NULL, else false."""

    input: Scalar


@dataclass(frozen=True, slots=True)
class Case:
    """The value of the first branch whose condition is true, else `otherwise`."""

    branches: tuple[tuple[Scalar, Scalar], ...]
    otherwise: Scalar


@dataclass(frozen=True, slots=True)
class Cast:
    """The input as a Spark type, given by its SQL name."""

    input: Scalar
    type: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function or operator that our own rules use; `algebra.meaning` says what each one means."""

    function: str
    args: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Opaque:
    """Spark text kept verbatim; where a piece is a scalar, its text stands there in parentheses.

    `functions` are the names of the functions the text calls, in lower case.
    """

    pieces: tuple[str | Scalar, ...]
    functions: frozenset[str] = frozenset()


Scalar = Ref | Outer | Constant | Compare | And | Or | Not | IsNull | Case | Cast | Call | Opaque

NULL = Constant("NULL", None)
TRUE = Constant("TRUE", True)
FALSE = Constant("FALSE", False)


def integer(value: int) -> Constant:
    return Constant(str(value), value)


def string(value: str) -> Constant:
    """A string constant of ours; only plain characters, so that no escaping rule matters."""
    if not value.replace("_", "").replace(" ", "").isalnum():
        raise ValueError(f"not a plain string: {value!r}")
    return Constant(f"'{value}'", value)


def comparable(scalar: Scalar, type_: str) -> Scalar:
    """The scalar in a form whose equality is equality of stored values, for a Spark type."""
    return Call("comparable", (scalar, Constant(type_)))


def called(scalar: Scalar) -> str:
    """The function that a scalar calls at its top, in lower case; "" if it calls none."""
    match scalar:
        case Call(function, _):
            return function
        case Opaque((str(first), *_), _) if "(" in first:
            return first.split("(")[0].strip().lower()
        case _:
            return ""


def children(scalar: Scalar) -> tuple[Scalar, ...]:
    match scalar:
        case Ref() | Outer() | Constant():
            return ()
        case Compare(_, left, right):
            return (left, right)
        case And(parts) | Or(parts):
            return parts
        case Not(input_) | IsNull(input_) | Cast(input_, _):
            return (input_,)
        case Case(branches, otherwise):
            return (*(s for branch in branches for s in branch), otherwise)
        case Call(_, args):
            return args
        case Opaque(pieces, _):
            return tuple(p for p in pieces if not isinstance(p, str))
        case _:
            assert_never(scalar)


def walk(scalar: Scalar) -> Iterator[Scalar]:
    yield scalar
    for child in children(scalar):
        yield from walk(child)


def refs(scalar: Scalar) -> frozenset[ColumnId]:
    """The columns that the scalar reads."""
    return frozenset(s.id for s in walk(scalar) if isinstance(s, Ref))


def outers(scalar: Scalar) -> frozenset[ColumnId]:
    """The columns of rows around that the scalar reads."""
    return frozenset(s.id for s in walk(scalar) if isinstance(s, Outer))


def substitute(scalar: Scalar, by: Mapping[ColumnId, Scalar]) -> Scalar:
    """The scalar with columns replaced by scalars, all at once; columns not named stay."""
    return rebuilt(scalar, lambda s: by.get(s.id, s) if isinstance(s, Ref) else s)


def substitute_outer(scalar: Scalar, by: Mapping[ColumnId, Scalar]) -> Scalar:
    """The same for columns of rows around."""
    return rebuilt(scalar, lambda s: by.get(s.id, s) if isinstance(s, Outer) else s)


def rebuilt(scalar: Scalar, leaf: Callable[[Ref | Outer], Scalar]) -> Scalar:
    """The scalar with each column it reads replaced."""

    def inner(part: Scalar) -> Scalar:
        return rebuilt(part, leaf)

    match scalar:
        case Ref() | Outer():
            return leaf(scalar)
        case Constant():
            return scalar
        case Compare(op, left, right):
            return Compare(op, inner(left), inner(right))
        case And(parts):
            return And(tuple(map(inner, parts)))
        case Or(parts):
            return Or(tuple(map(inner, parts)))
        case Not(input_):
            return Not(inner(input_))
        case IsNull(input_):
            return IsNull(inner(input_))
        case Cast(input_, type_):
            return Cast(inner(input_), type_)
        case Case(branches, otherwise):
            whens = tuple((inner(c), inner(v)) for c, v in branches)
            return Case(whens, inner(otherwise))
        case Call(_, args):
            return replace(scalar, args=tuple(map(inner, args)))
        case Opaque(pieces, _):
            return replace(
                scalar, pieces=tuple(p if isinstance(p, str) else inner(p) for p in pieces)
            )
        case _:
            assert_never(scalar)


def conjuncts(condition: Scalar | None) -> tuple[Scalar, ...]:
    """The parts of a condition that must all hold."""
    match condition:
        case None:
            return ()
        case And(parts):
            return tuple(c for part in parts for c in conjuncts(part))
        case _:
            return (condition,)


def all_of(parts: tuple[Scalar, ...]) -> Scalar:
    """The conjunction, without an And around a single part."""
    return parts[0] if len(parts) == 1 else And(parts)
