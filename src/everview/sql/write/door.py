"""Plans as Spark SQL text: the one door by which SQL leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from everview.algebra.relations import Changes, Local, Project, Rel, Scan, SourceLeaf
from everview.algebra.scalars import Column, Scalar, Types
from everview.sql.names import escaped, quoted
from everview.sql.write.scalar import bare_text
from everview.sql.write.writer import Writer, weight_item

__all__ = [
    "SourceLeaf", "Sql", "Types", "function_question", "generator_question", "local_names",
    "value_question", "write",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sql:
    """A query whose leaves stand as `{name}`; other braces are doubled, as `spark.sql` wants it."""

    text: str
    leaves: Mapping[str, SourceLeaf]

    def shown(self) -> str:
        """The text for a person: leaves by table and snapshot."""
        return self.text.format(**{name: _leaf_title(leaf) for name, leaf in self.leaves.items()})


def write(rel: Rel, types: Types, names: tuple[str, ...] | None = None) -> Sql:
    """The query of a plan under these column names, by default the columns' own; weights come last.

    `types` are needed of the columns that a Net compares.
    """
    writer = Writer(types)
    select = writer.select(rel)
    titles = names if names is not None else tuple(c.name for c in rel.columns)
    pairs = zip(rel.columns, titles, strict=True)
    items = [(select.items[c.id], escaped(title)) for c, title in pairs]
    text = select.text(items + weight_item(rel))
    return Sql(writer.with_clause() + text, writer.leaves)


def value_question(rel: Rel, scalar: Scalar) -> Sql:
    """Asks for the type of a scalar over a relation."""
    return write(Project(rel, ((Column(0, "value"), scalar),)), {})


def generator_question(rel: Rel, generator: Scalar) -> Sql:
    """Asks for the columns that a generator makes of the rows of a relation."""
    writer = Writer({})
    below = writer.nested(rel)
    call = bare_text(generator, below.items)
    text = f"SELECT made.*\nFROM {below.from_}\nJOIN LATERAL {call} AS made"
    return Sql(writer.with_clause() + text, writer.leaves)


def function_question(call: Scalar) -> Sql:
    """Asks for the columns of a table function."""
    return Sql(f"SELECT *\nFROM {bare_text(call, {})}", {})


def local_names(columns: tuple[Column, ...]) -> tuple[str, ...]:
    """The names that the columns of a Local must have in its rows."""
    return tuple(f"{c.name}_{c.id}" for c in columns)


def _leaf_title(leaf: SourceLeaf) -> str:
    match leaf:
        case Scan(table, at, _):
            ranges = "".join(f", {name} {range_}" for name, range_ in leaf.ranges().items())
            said = ranges.replace("*/", "* /")
            return f"{quoted(table)} /* at the {at.value} version{said} */"
        case Changes(table, _):
            return f"{quoted(table)} /* its changes */"
        case Local(name, _):
            return f"{quoted(name)} /* computed before */"
        case _:
            assert_never(leaf)
