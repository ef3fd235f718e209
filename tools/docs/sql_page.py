"""docs/sql.md: what is maintained incrementally, and every statement of the grammar."""

from __future__ import annotations

from everview.sql.statements.grammar import GRAMMAR, Entry
from everview.statements.results import CHANGES, CHECKS, COLUMNS, RECEIPTS, VERIFICATIONS
from tools.docs.queries import full, incremental

RESULTS = {
    "INSERT, UPDATE, DELETE, MERGE": CHANGES,
    "REFRESH": RECEIPTS,
    "VERIFY MATERIALIZED VIEW": VERIFICATIONS,
    "VERIFY TABLE": CHECKS,
    "DESCRIBE": COLUMNS,
}


def sql_page(template: str) -> str:
    """The template with its tables and the reference of statements."""
    parts = {
        "{{incremental}}": table(("query", "stored"), incremental()),
        "{{full}}": table(("query", "why"), full()),
        "{{results}}": table(("statement", "columns"), list(map(_result, RESULTS.items()))),
        "{{index}}": " · ".join(f"[{e.title}](#{_anchor(e.title)})" for e in GRAMMAR),
        "{{statements}}": "\n\n".join(map(_statement, GRAMMAR)),
    }
    for mark, text in parts.items():
        if template.count(mark) != 1:
            raise ValueError(f"docs/templates/sql.md.in has {mark} not once")
        template = template.replace(mark, text)
    return template


def _result(pair: tuple[str, str]) -> tuple[str, str]:
    statement, schema = pair
    return statement, ", ".join(column.split()[0] for column in schema.split(", "))


def _statement(entry: Entry) -> str:
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
