"""The clauses of FROM, OVER and ORDER BY that operators are written with, as Spark SQL text."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from everview.algebra.calls import SortKey
from everview.algebra.grouping import Pivot, TopK, Window
from everview.algebra.joins import Join
from everview.algebra.leaves import TableFunction, Values
from everview.algebra.rowwise import Generate, Unpivot
from everview.algebra.scalars import ColumnId, called
from everview.facts.checks import ROW_BELOW_ZERO
from everview.sql.names import escaped, quoted
from everview.sql.spark_functions import GENERATORS
from everview.sql.write.scalar import ColumnTexts, bare_text, scalar_text
from everview.sql.write.select import identity, name

# How the kinds of joins are written.
JOIN_WORDS = {
    "inner": "JOIN",
    "cross": "CROSS JOIN",
    "left": "LEFT JOIN",
    "right": "RIGHT JOIN",
    "full": "FULL JOIN",
    "semi": "LEFT SEMI JOIN",
    "anti": "LEFT ANTI JOIN",
}


def values_from(rel: Values, alias: str) -> str:
    """A VALUES clause; of rows without columns only their number matters."""
    rows = [", ".join(scalar_text(s, {}) for s in row) or "1" for row in rel.rows]
    names = ", ".join(name(c) for c in rel.columns) or "one"
    return f"VALUES {', '.join(f'({row})' for row in rows)} AS {alias}({names})"


def function_from(rel: TableFunction, alias: str) -> str:
    return f"{bare_text(rel.call, {})} AS {alias}({', '.join(name(c) for c in rel.columns)})"


def lateral_view(rel: Generate, items: ColumnTexts, alias: str) -> str:
    """LATERAL VIEW; of a function that is none of Spark's generators, a LATERAL join."""
    made = ", ".join(name(c) for c in rel.made)
    call = bare_text(rel.generator, items)
    if called(rel.generator) in GENERATORS and "=>" not in call:
        words = "LATERAL VIEW OUTER" if rel.outer else "LATERAL VIEW"
        return f"\n{words} {call} {alias} AS {made}"
    if rel.outer:
        return f"\nLEFT JOIN LATERAL {call} AS {alias}({made}) ON TRUE"
    return f"\nJOIN LATERAL {call} AS {alias}({made})"


def copies_clause(weight: str, alias: str) -> str:
    """Each row as often as its weight says; one below zero fails, never a row too few."""
    fails = f"CAST(raise_error('{ROW_BELOW_ZERO.raised}') AS BIGINT)"
    times = f"sequence(1L, if({weight} > 0, {weight}, {fails}))"
    return f"\nLATERAL VIEW explode({times}) {alias} AS {alias}_copy"


def unpivot(rel: Unpivot, items: ColumnTexts) -> str:
    words = "INCLUDE NULLS" if rel.keeps_nulls else "EXCLUDE NULLS"
    values = ", ".join(name(c) for c in rel.values)
    entries = ", ".join(
        f"({', '.join(items[c] for c in entry)}) AS {quoted(escaped(label))}"
        for label, entry in rel.rows
    )
    return f"\nUNPIVOT {words} (({values}) FOR {name(rel.label)} IN ({entries}))"


def pivot(rel: Pivot, items: ColumnTexts) -> str:
    measures = ", ".join(f"{bare_text(m, items)} AS m{i}" for i, m in enumerate(rel.measures))
    dimensions = ", ".join(items[d.id] for d in rel.dimensions)
    values = ", ".join(
        f"({', '.join(scalar_text(s, {}) for s in entry)}) AS v{i}"
        for i, entry in enumerate(rel.values)
    )
    return f"\nPIVOT ({measures} FOR ({dimensions}) IN ({values}))"


def pivot_items(rel: Pivot) -> dict[ColumnId, str]:
    """What Spark calls the cells: by their value, and by measure where there are several."""
    several = len(rel.measures) > 1
    cells = product(range(len(rel.values)), range(len(rel.measures)))
    named = [quoted(f"v{v}_m{m}" if several else f"v{v}") for v, m in cells]
    own = {cell.id: text for cell, text in zip(rel.cells, named, strict=True)}
    return identity(rel.keys) | own


def window_items(rel: Window, items: ColumnTexts) -> dict[ColumnId, str]:
    """Each call with its OVER clause."""
    partition = ", ".join(items[c.id] for c in rel.partition)
    found = {}
    for column, call in rel.calls:
        parts = [f"PARTITION BY {partition}"] if partition else []
        if call.order:
            parts.append(f"ORDER BY {ordering(call.order, items)}")
        over = " ".join([*parts, escaped(call.frame)]).strip()
        found[column.id] = f"{bare_text(call.function, items)} OVER ({over})"
    return found


def ordering(keys: Iterable[SortKey], items: ColumnTexts) -> str:
    return ", ".join(
        f"{items[k.column]} {'DESC' if k.descending else 'ASC'} "
        f"NULLS {'FIRST' if k.nulls_first else 'LAST'}"
        for k in keys
    )


def limits(rel: TopK) -> str:
    order = ordering(rel.order, identity(rel.input.columns))
    parts = [f"\nORDER BY {order}"] if order else []
    if rel.limit is not None:
        parts.append(f"\nLIMIT {scalar_text(rel.limit, {})}")
    if rel.offset is not None:
        parts.append(f"\nOFFSET {scalar_text(rel.offset, {})}")
    return "".join(parts)


def mark(rel: Join, right: str) -> str:
    """Whether a row has a partner."""
    assert rel.condition is not None
    condition = scalar_text(rel.condition, identity(rel.left.columns + rel.right.columns))
    return f"EXISTS (SELECT 1 FROM {right} WHERE {condition})"
