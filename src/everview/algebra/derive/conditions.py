"""What a condition says of rows that pass it: columns of one value, columns that are equal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from everview.algebra.scalars import (
    FALSE,
    NULL,
    TRUE,
    ColumnId,
    Compare,
    Constant,
    IsNull,
    Not,
    Ref,
    Scalar,
    Types,
    conjuncts,
)
from everview.algebra.types import is_nested, type_of

Fixed = Mapping[ColumnId, Constant]
Pair = tuple[ColumnId, ColumnId]

_WHOLE = ("byte", "short", "integer", "long")


@dataclass(frozen=True, slots=True)
class Said:
    """The columns that have the same value in all rows, and the pairs that are equal in each."""

    fixed: Fixed
    equal: frozenset[Pair]

    def among(self, columns: Iterable[ColumnId]) -> Said:
        """The same of these columns alone."""
        kept = frozenset(columns)
        return Said(
            {c: v for c, v in self.fixed.items() if c in kept},
            frozenset((x, y) for x, y in self.equal if x in kept and y in kept),
        )


def said(condition: Scalar | None, types: Types) -> Said:
    """What the condition says, as far as it compares values of one type: before it compares
    others Spark casts them, and then two values of a column may be equal to one.
    """
    fixed: dict[ColumnId, Constant] = {}
    equal: set[Pair] = set()
    for part in conjuncts(condition):
        match part:
            case Compare("=" | "<=>", Ref(x), Ref(y)) if alike(types.get(x), types.get(y)):
                equal |= {(x, y), (y, x)}
            case Compare("=" | "<=>", Ref(x), Constant() as constant) | Compare(
                "=" | "<=>", Constant() as constant, Ref(x)
            ) if _is_of(constant, types.get(x, "")):
                fixed[x] = constant
            case IsNull(Ref(x)):
                fixed[x] = NULL
            case Ref(x):
                fixed[x] = TRUE
            case Not(Ref(x)):
                fixed[x] = FALSE
            case _:
                pass
    return Said(spread(fixed, equal), frozenset(equal))


def alike(*types: str | None) -> bool:
    """Whether values of these types are compared as they are, or as whole numbers."""
    known = [t for t in types if t]
    if len(known) < len(types) or any(is_nested(type_of(t)) for t in known):
        return False
    return len(set(known)) == 1 or all(t in _WHOLE for t in known)


def _is_of(constant: Constant, type_: str) -> bool:
    match constant.value:
        case bool():
            return False
        case int():
            return type_ in _WHOLE
        case str():
            return type_ == "string"
        case _:
            return False


def spread(fixed: Fixed, equal: Iterable[Pair]) -> dict[ColumnId, Constant]:
    """What is fixed, with all that is equal to it."""
    known, pairs = dict(fixed), sorted(equal)
    while True:
        more = {y: known[x] for x, y in pairs if x in known and y not in known}
        if not more:
            return known
        known |= more


def tied(to: Iterable[ColumnId], what: Said) -> frozenset[ColumnId]:
    """The columns that have one value where these have one."""
    known = frozenset(to) | what.fixed.keys()
    while True:
        more = {y for x, y in what.equal if x in known} - known
        if not more:
            return known
        known |= more
