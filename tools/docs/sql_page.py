"""docs/sql.md: each construct of a query with how it is kept, and every statement."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from everview.facts.schema import Schema
from everview.sql.names import sql_type
from everview.sql.statements.grammar import GRAMMAR, GrammarEntry
from everview.statements.results import (
    COLUMNS,
    COMPACTED,
    DROPPED,
    KEY_CHECKS,
    RECEIPTS,
    ROW_CHANGES,
    VACUUMED,
    VERIFICATIONS,
)
from tools.docs.queries import EXAMPLES, GROUPS, HOWS, TABLES, Example, Kept, kept

RESULTS = {
    "INSERT, UPDATE, DELETE, MERGE": ROW_CHANGES,
    "DROP": DROPPED,
    "OPTIMIZE": COMPACTED,
    "VACUUM": VACUUMED,
    "REFRESH": RECEIPTS,
    "VERIFY MATERIALIZED VIEW": VERIFICATIONS,
    "VERIFY TABLE": KEY_CHECKS,
    "DESCRIBE": COLUMNS,
}
OPERATORS = Path(__file__).parents[2] / "docs" / "operators"


def sql_page(template: str) -> str:
    """The template with its tables and the reference of statements."""
    parts = {f"{{{{{group}}}}}": _constructs(group) for group in GROUPS} | {
        "{{counts}}": _counts(),
        "{{shop}}": "\n".join(f"- {_shown(name, schema)}" for name, schema in TABLES.items()),
        "{{operators}}": ", ".join(f"[{p.stem}](operators/{p.name})" for p in _operators()),
        "{{results}}": table(("statement", "columns"), list(map(_result, RESULTS.items()))),
        "{{index}}": " · ".join(f"[{e.title}](#{_anchor(e.title)})" for e in GRAMMAR),
        "{{statements}}": "\n\n".join(map(_statement, GRAMMAR)),
    }
    for mark, text in parts.items():
        if template.count(mark) != 1:
            raise ValueError(f"docs/templates/sql.md.in has {mark} not once")
        template = template.replace(mark, text)
    return template


def _constructs(group: str) -> str:
    """A table of the group, what is incremental first."""
    found = [(e, kept(e.sql)) for e in EXAMPLES if e.group == group]
    found.sort(key=lambda pair: HOWS.index(pair[1].how))
    lines = [_construct(example, how) for example, how in found]
    return "\n".join(["| construct | example | kept |", "|---|---|---|", *lines])


def _construct(example: Example, found: Kept) -> str:
    asks = "; Spark is asked for names or types" if found.asks else ""
    cells = (example.construct, f"`{example.sql}`", f"**{found.how}**: {found.why}{asks}")
    return f"| {' | '.join(map(_cell, cells))} |"


def _counts() -> str:
    """How many examples are kept in which way."""
    found = Counter(kept(e.sql).how for e in EXAMPLES)
    lines = [f"| {how} | {found[how]} |" for how in HOWS]
    return "\n".join(["| kept | examples |", "|---|---|", *lines])


def _shown(name: str, schema: Schema) -> str:
    columns = (f"{f.name} {sql_type(f.type).replace('`', '')}" for f in schema.fields)
    return f"`{name} ({', '.join(columns)})`"


def _operators() -> list[Path]:
    return sorted(p for p in OPERATORS.glob("*.md") if p.name != "README.md")


def _result(pair: tuple[str, str]) -> tuple[str, str]:
    statement, schema = pair
    return statement, ", ".join(column.split()[0] for column in schema.split(", "))


def _statement(entry: GrammarEntry) -> str:
    syntax, example = f"```\n{entry.syntax}\n```", f"```sql\n{entry.example}\n```"
    return f"### {entry.title}\n\n{entry.sentence}\n\n{syntax}\n\n{example}"


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def table(head: tuple[str, str], rows: list[tuple[str, str]]) -> str:
    """Two columns, the first as code."""
    lines = [f"| `{_cell(first)}` | {_cell(second)} |" for first, second in rows]
    return "\n".join([f"| {' | '.join(head)} |", "|---|---|", *lines])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
