"""What a person calls the columns of a plan, and how long lists and texts are cut."""

from __future__ import annotations

from collections.abc import Iterable

from everview.algebra.notation.scalars import scalar_notation
from everview.algebra.relations import Except, Intersect, Project, Rel, UnionAll
from everview.algebra.scalars import NULL, Column, ColumnId, Scalar
from everview.algebra.walk import bottom_up

_MOST_LISTED = 6
_MOST_LETTERS = 60

Names = dict[ColumnId, str]


def column_names(rel: Rel) -> Names:
    """What each column is called: its name in a source, or the expression that computes it."""
    names: Names = {}
    for operator in bottom_up(rel):
        match operator:
            case Project(_, outputs):
                names |= {c.id: _computed(c, s, names) for c, s in outputs}
            case UnionAll() | Except() | Intersect():
                made = enumerate(operator.columns)
                some = operator.inputs
                names |= {c.id: _agreed(some, i, names) or c.name for i, c in made}
            case _:
                names = {c.id: c.name for c in operator.columns} | names
    return names


def _computed(column: Column, scalar: Scalar, names: Names) -> str:
    """The expression; of the padding of an outer join still the name of the column."""
    return column.name if scalar == NULL else short(scalar_notation(scalar, names))


def _agreed(some: tuple[Rel, ...], place: int, names: Names) -> str:
    """What all inputs call this column, "" if they differ."""
    called = {names[i.columns[place].id] for i in some}
    return called.pop() if len(called) == 1 else ""


def listed(items: Iterable[str]) -> str:
    found = list(items)
    more = len(found) - _MOST_LISTED
    cut = [*found[:_MOST_LISTED], f"… {more} more"] if more > 1 else found
    return ", ".join(cut)


def short(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"
