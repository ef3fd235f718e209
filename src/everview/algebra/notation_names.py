"""What a person calls the columns of a plan, and how long lists and texts are cut."""

from __future__ import annotations

from collections.abc import Iterable

from everview.algebra.relations import Except, Intersect, Project, Rel, UnionAll
from everview.algebra.scalar_notation import scalar_notation
from everview.algebra.scalars import NULL, Column, ColumnId, Scalar
from everview.algebra.walk import inputs

_MOST_LISTED = 6
_MOST_LETTERS = 60

Names = dict[ColumnId, str]


def column_names(rel: Rel) -> Names:
    """What each column is called: its name in a source, or the expression that computes it."""
    names: Names = {}
    for input_ in inputs(rel):
        names |= column_names(input_)
    match rel:
        case Project(_, outputs):
            return names | {c.id: _computed(c, s, names) for c, s in outputs}
        case UnionAll() | Except() | Intersect():
            made = enumerate(rel.columns)
            return names | {c.id: _agreed(inputs(rel), i, names) or c.name for i, c in made}
        case _:
            return {c.id: c.name for c in rel.columns} | names


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
