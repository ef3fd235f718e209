"""The types of the columns of a plan, as far as the writer of a query asks for them."""

from __future__ import annotations

from everview.algebra.relations import Changes, Rel
from everview.algebra.walk import walk_plan
from everview.facts.views import ViewRecord
from everview.shape.bag import Bag
from everview.shape.grouped import Grouped
from everview.shape.shape import Keyed, Shape


def column_types(shape: Shape, record: ViewRecord, rel: Rel) -> dict[int, str]:
    """By the column's id: what the shape knows, and the columns of changes, which may be netted
    as they come.
    """
    changes = [leaf for leaf in walk_plan(rel) if isinstance(leaf, Changes)]
    of_sources = {
        column.id: record.source(leaf.table).schema[column.name].type
        for leaf in changes
        for column in leaf.columns
    }
    return _of_shape(shape) | of_sources


def _of_shape(shape: Shape) -> dict[int, str]:
    match shape:
        case Keyed(view, _):
            stored = ((column.id, view.types.get(held.id)) for column, held in view.stored)
            return {column: type_ for column, type_ in stored if type_} | dict(view.types)
        case Grouped(view, _, _):
            return dict(view.types)
        case Bag(_, types, _):
            return dict(types)
        case _:
            return {}
