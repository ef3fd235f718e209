"""What the value of an aggregate may be where the order of rows decides it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from everview.aggregates.keyed import AnyCall
from everview.algebra.calls import VerbatimCall
from everview.algebra.scalars import ColumnId, Opaque, Ref
from everview.shape.shape import Keyed


@dataclass(frozen=True, slots=True)
class Unordered:
    """An array of the same elements in any order."""


ChoiceRule = Literal["any", "max_by", "min_by", "mode"]


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value of the group's rows: of any of them, of those with the highest or the lowest `by`,
    or the most frequent one.
    """

    rule: ChoiceRule
    value: ColumnId
    by: ColumnId | None = None


FreeChoice = Unordered | OneOf

_ARRAYS = frozenset({"array_agg", "collect_list", "collect_set"})
_RULES: dict[str, ChoiceRule] = {
    "any_value": "any", "first": "any", "first_value": "any", "last": "any", "last_value": "any",
    "max_by": "max_by", "min_by": "min_by", "mode": "mode",
}  # fmt: skip


def choices(shape: Keyed) -> Mapping[str, FreeChoice]:
    """By public column, what it may be; only of columns that are such a value as it is."""
    calls = {c.id: call for c, call in shape.view.recomputed}
    names = shape.layout.stored.names
    found = {}
    for name, (_, scalar) in zip(names, shape.view.public, strict=False):
        call = calls.get(scalar.id) if isinstance(scalar, Ref) else None
        choice = None if call is None else choice_of(call)
        if choice is not None:
            found[name] = choice
    return found


def choice_of(call: AnyCall) -> FreeChoice | None:
    """What the value of a call may be; None where that is not known."""
    if not isinstance(call, VerbatimCall) or not isinstance(call.text, Opaque):
        return None
    match call.text.pieces:
        case (str(opened), Ref(), ")") if _name(opened) in _ARRAYS:
            return Unordered()
        case (str(opened), Ref(value), ")") if _RULES.get(_name(opened)) in ("any", "mode"):
            return OneOf(_RULES[_name(opened)], value)
        case (str(opened), Ref(value), ", ", Ref(by), ")") if _name(opened) in ("max_by", "min_by"):
            return OneOf(_RULES[_name(opened)], value, by)
        case _:
            return None


def _name(opened: str) -> str:
    return opened.lower().removesuffix("(")
