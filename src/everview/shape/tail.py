"""The tail of a definition: the LIMIT at its root, applied when the view is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from everview.algebra.relations import Aggregate, Filter, Join, Project, Rel, TopK
from everview.algebra.rowwise import Outputs
from everview.algebra.scalars import Column, ColumnId, Constant, Ref, Scalar, substitute
from everview.facts.schema import Field, Schema
from everview.facts.views import OrderKey, Tail, hidden_name
from everview.rewrite.project_merge import project_merge
from everview.shape.shape import FullOnly, Shape, full_only, shape_of


def split_tail(rel: Rel, public: tuple[str, ...]) -> tuple[Rel, Tail | None]:
    """τ(A) as A, which is stored, and τ, by the names that the columns of A are stored under.

    The columns of A are the public ones, then those that the order needs besides, each named as
    it is stored. A definition that has no tail is given back as it is: without a LIMIT at its
    root, with one that is no number, or without an order and not over groups (then all rows would
    be stored to show any few).
    """
    top, shown = _root(rel)
    if top is None or len(shown) != len(public):
        return rel, None
    limit, offset = _number(top.limit), _number(top.offset)
    if (top.limit, top.offset) != (limit, offset):
        return rel, None
    below, names = _stored(top, shown, public)
    if not top.order and not _is_of_groups(below):
        return rel, None
    order = tuple(OrderKey(names[k.column], k.descending, k.nulls_first) for k in top.order)
    skipped = 0 if offset is None else offset.value
    return below, Tail(order, None if limit is None else limit.value, skipped)


def shape_with_tail(
    below: Rel, tail: Tail | None, types: Mapping[ColumnId, str], public: Schema
) -> Shape:
    """The shape of a definition split into what is stored and its tail."""
    more = below.columns[len(public.fields) :]
    hidden = tuple(Field(c.name, types[c.id]) for c in more)
    shape = shape_of(below, types, Schema((*public.fields, *hidden)))
    if isinstance(shape, FullOnly):
        bare = full_only(shape.kind, shape.reason, None, public)
        return replace(shape, layout=bare.layout)
    if tail is None:
        return shape
    own = shape.layout.tail
    return replace(
        shape,
        layout=replace(shape.layout, tail=tail if own is None else replace(tail, shown=own.shown)),
    )


def _root(rel: Rel) -> tuple[TopK | None, Outputs]:
    """The TopK at the root, perhaps below a projection of plain columns, and the columns shown."""
    match _merged(rel):
        case TopK() as top:
            return top, tuple((c, Ref(c.id)) for c in top.columns)
        case Project(TopK() as top, outputs) if all(isinstance(s, Ref) for _, s in outputs):
            return top, outputs
        case _:
            return None, ()


def _number(scalar: Scalar | None) -> Constant | None:
    """The scalar if it is a whole number."""
    is_number = isinstance(scalar, Constant) and type(scalar.value) is int
    return scalar if is_number else None  # type: ignore[return-value]


def _stored(top: TopK, shown: Outputs, public: tuple[str, ...]) -> tuple[Rel, dict[ColumnId, str]]:
    """What lies below the TopK with the columns to store, and the stored name of each column that
    the order reads; one that is public already has no hidden copy.
    """
    below = _merged(top.input)
    made = below.outputs if isinstance(below, Project) else ()
    computed = {column.id: scalar for column, scalar in made}
    outputs = [(column, substitute(scalar, computed)) for column, scalar in shown]
    names = list(public)
    found: dict[ColumnId, str] = {}
    for column in (c for c in top.input.columns if c.id in {k.column for k in top.order}):
        scalar = computed.get(column.id, Ref(column.id))
        place = next((i for i, (_, other) in enumerate(outputs) if other == scalar), len(outputs))
        if place == len(outputs):
            names.append(hidden_name("by", place - len(public), column.name))
            outputs.append((Column(column.id, names[-1]), scalar))
        found[column.id] = names[place]
    whole = tuple(outputs)
    if whole == tuple((c, computed.get(c.id, Ref(c.id))) for c in top.input.columns):
        return top.input, found
    return Project(below.input if isinstance(below, Project) else below, whole), found


def _merged(rel: Rel) -> Rel:
    """The projections at the root as one."""
    while (merged := project_merge(rel)) is not rel:
        rel = merged
    return rel


def _is_of_groups(rel: Rel) -> bool:
    """Whether each row is of a group, perhaps filtered by HAVING, or of groups joined."""
    match rel:
        case Project(input_) | Filter(input_):
            return _is_of_groups(input_)
        case Join(_, left, right):
            return _is_of_groups(left) and _is_of_groups(right)
        case _:
            return isinstance(rel, Aggregate)
