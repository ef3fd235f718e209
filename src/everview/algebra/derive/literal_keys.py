"""Rows and inputs that literals tell apart."""

from __future__ import annotations

from collections.abc import Sequence

from everview.algebra.derive.minimal_keys import Key
from everview.algebra.relations import Values
from everview.algebra.scalars import Constant, Scalar


def told_apart(some: Sequence[Scalar | None]) -> bool:
    """Whether these are literals, whole numbers or words, of which no two have the same value."""
    found = [_value(s) for s in some]
    known = [v for v in found if v is not None]
    return len(known) == len(some) == len(set(known)) and _is_one_kind(known)


def values_keys(rel: Values) -> list[Key]:
    """The first column, or all columns, that tell the rows apart."""
    if len(rel.rows) == 1:
        return [frozenset()]
    each = list(zip(*rel.rows, strict=True))
    single = [
        frozenset({c.id}) for c, some in zip(rel.columns, each, strict=True) if told_apart(some)
    ]
    if single:
        return single
    known = [i for i, some in enumerate(each) if _are_literals(some)]
    rows = {tuple(_value(row[i]) for i in known) for row in rel.rows}
    return [frozenset(rel.columns[i].id for i in known)] if len(rows) == len(rel.rows) else []


Value = tuple[str, object]  # the kind of a literal, and what is compared of it


def _value(scalar: Scalar | None) -> Value | None:
    """What is compared of a literal; None where equality is Spark's to say.

    Spaces at the end do not count, because a CHAR is padded with them.
    """
    match scalar:
        case Constant("NULL", None):
            return "null", None
        case Constant(_, bool()):
            return None
        case Constant(_, int(number)):
            return "number", number
        case Constant(text, str(word)) if "\\" not in text:
            return "word", word.rstrip()
        case _:
            return None


def _are_literals(some: Sequence[Scalar]) -> bool:
    found = [_value(s) for s in some]
    known = [v for v in found if v is not None]
    return len(known) == len(some) and _is_one_kind(known)


def _is_one_kind(some: Sequence[Value]) -> bool:
    """Others Spark would cast to one type, and so make 1 and '1' equal."""
    return len({kind for kind, _ in some} - {"null"}) <= 1
