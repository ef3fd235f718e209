"""What the log says of the columns of a plan's leaves: their kinds, and how far changes reach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import reduce
from typing import Any

from everview.algebra.ranges import Range
from everview.algebra.relations import Changes, Local, Scan
from everview.algebra.scalars import ColumnId
from everview.facts.files import Bounds, TableFile
from everview.facts.refreshes import RefreshFacts, SourceFacts
from everview.facts.schema import Schema
from everview.facts.tables import Changes as ChangedFiles
from everview.plan.reach import Kinds, LeafFacts, Ranges, kind_of

_CLASSES: dict[str, type] = {"whole": int, "date": date, "string": str}

# Rows at hand by their name: the names and types of their columns, and the files they lie in.
AtHand = Mapping[str, tuple[Schema, tuple[TableFile, ...]]]


def leaf_facts(facts: RefreshFacts, at_hand: AtHand | None = None) -> LeafFacts:
    """The facts for the leaves of a refresh; nothing is known of a source that is a view with a
    tail, of which not all stored rows are read.
    """
    sources = {s.name: s for s in facts.sources if s.tail is None}
    local = at_hand or {}

    def known(leaf: Scan | Changes | Local) -> tuple[Kinds, Ranges]:
        if isinstance(leaf, Local):
            return _of_local(leaf, local)
        if leaf.table not in sources:
            return {}, {}
        names = {c.id: c.name for c in leaf.columns}
        kinds = _kinds(names, sources[leaf.table].at_new.schema)
        if isinstance(leaf, Scan):
            return kinds, dict(leaf.within)
        return kinds, _ranges(names, kinds, _changed(sources[leaf.table]))

    return known


def _of_local(leaf: Local, at_hand: AtHand) -> tuple[Kinds, Ranges]:
    if leaf.name not in at_hand:
        return {}, {}
    schema, files = at_hand[leaf.name]
    names = dict(zip((c.id for c in leaf.columns), schema.names, strict=False))
    kinds = _kinds(names, schema)
    return kinds, _ranges(names, kinds, files)


def _changed(source: SourceFacts) -> Iterable[TableFile]:
    files = source.changes.files if isinstance(source.changes, ChangedFiles) else ()
    return [f.file for f in files]


def _kinds(names: Mapping[ColumnId, str], schema: Schema) -> Kinds:
    found = {c: kind_of(schema[name].type) for c, name in names.items() if name in schema}
    return {c: kind for c, kind in found.items() if kind is not None}


def _ranges(names: Mapping[ColumnId, str], kinds: Kinds, files: Iterable[TableFile]) -> Ranges:
    found: dict[ColumnId, Range] = {}
    for column, kind in kinds.items():
        some = [_range(f.bounds_of(names[column]), _CLASSES[kind]) for f in files]
        known = [r for r in some if r is not None]
        if known and len(known) == len(some):
            found[column] = reduce(Range.hull, known)
    return found


def _range(bounds: Bounds, class_: type) -> Range | None:
    """None where a bound is not known, or not a plain value of the kind."""
    if not all(_is_plain(end, class_) for end in (bounds.low, bounds.high)):
        return None
    return Range(bounds.low, bounds.high, null=bounds.nulls != 0)


def _is_plain(value: Any, class_: type) -> bool:
    return isinstance(value, class_) and not isinstance(value, bool | datetime)
