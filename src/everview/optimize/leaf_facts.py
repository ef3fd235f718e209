"""What the log says of the columns of a plan's leaves: their types, and how far changes reach."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce

from everview.algebra.ranges import Range
from everview.algebra.relations import Changes, Local, Scan
from everview.algebra.scalars import ColumnId, Types
from everview.facts.files import Bounds, TableFile
from everview.facts.refreshes import STORED, RefreshFacts, SourceFacts
from everview.facts.schema import Schema
from everview.facts.tables import TableChanges
from everview.optimize.reach import LeafFacts, Ranges

# Types whose values Python orders as Spark does, and of which bounds are known exactly.
_ORDERED = frozenset({"byte", "short", "integer", "long", "date", "string"})

FewValues = Callable[[str], Range | None]  # of a column by its name, None if they are many


@dataclass(frozen=True, slots=True)
class RowsAtHand:
    """The names and types of the columns of rows at hand, the files they lie in, and by name the
    values of a column, where they are few.
    """

    schema: Schema
    files: tuple[TableFile, ...]
    values: FewValues = lambda _: None


AtHand = Mapping[str, RowsAtHand]  # by the name of their leaf


def leaf_facts(facts: RefreshFacts, at_hand: AtHand | None = None) -> LeafFacts:
    """The facts for the leaves of a refresh; nothing is known of a source that is a view with a
    tail, of which not all stored rows are read.
    """
    sources = {s.name: s for s in facts.sources if s.tail is None}
    sources[STORED] = facts.stored.as_source()
    local = at_hand or {}

    def known(leaf: Scan | Changes | Local) -> tuple[Types, Ranges]:
        if isinstance(leaf, Local):
            return _of_local(leaf, local)
        if leaf.table not in sources:
            return {}, {}
        names = {c.id: c.name for c in leaf.columns}
        types = _types(names, sources[leaf.table].at_new.schema)
        if isinstance(leaf, Scan):
            return types, dict(leaf.within)
        return types, _ranges(names, types, _changed_files(sources[leaf.table]))

    return known


def _of_local(leaf: Local, at_hand: AtHand) -> tuple[Types, Ranges]:
    if leaf.name not in at_hand:
        return {}, {}
    rows = at_hand[leaf.name]
    names = dict(zip((c.id for c in leaf.columns), rows.schema.names, strict=False))
    types = _types(names, rows.schema)
    values = {column: rows.values(names[column]) for column in types}
    known = {column: range_ for column, range_ in values.items() if range_ is not None}
    return types, {**_ranges(names, types, rows.files), **known}


def _changed_files(source: SourceFacts) -> Iterable[TableFile]:
    files = source.changes.files if isinstance(source.changes, TableChanges) else ()
    return [f.file for f in files]


def _types(names: Mapping[ColumnId, str], schema: Schema) -> Types:
    found = {c: schema[name].type for c, name in names.items() if name in schema}
    return {c: type_ for c, type_ in found.items() if type_ in _ORDERED}


def _ranges(names: Mapping[ColumnId, str], types: Types, files: Iterable[TableFile]) -> Ranges:
    found: dict[ColumnId, Range] = {}
    for column in types:
        some = [_range(f.bounds_of(names[column])) for f in files]
        known = [r for r in some if r is not None]
        if known and len(known) == len(some):
            found[column] = reduce(Range.hull, known)
    return found


def _range(bounds: Bounds) -> Range | None:
    """None where a bound is not known."""
    if bounds.low is None or bounds.high is None:
        return None
    return Range(bounds.low, bounds.high, null=bounds.nulls != 0)
