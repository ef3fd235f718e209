"""From text to a parse tree, and where things stand in the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from everview.errors import Place, SqlNotAllowed, SqlSyntax
from everview.sql.names import escaped, quoted
from everview.sql.read.dialect import EverviewSpark


@dataclass(frozen=True, slots=True)
class Parsed:
    """One query: its text and its tree; `lead` lines of the text were put before the user's."""

    text: str
    tree: exp.Query
    lead: int = 0

    def place(self, node: exp.Expr) -> Place | None:
        """Where the node begins in the text, None if the parser did not keep it."""
        starts = [(n.meta["start"], n.meta["end"]) for n in node.walk() if "start" in n.meta]
        return self.place_at(*min(starts)) if starts else None

    def place_at(self, start: int, end: int) -> Place:
        """The place of the characters from start to end, both included, for the user."""
        place = place_at(self.text, start, end)
        return replace(place, line=max(1, place.line - self.lead))


def place_at(text: str, start: int, end: int) -> Place:
    """The place of the characters from start to end, both included."""
    line_start = text.rfind("\n", 0, start) + 1
    line = text[line_start:].split("\n", 1)[0]
    length = min(end - start + 1, len(line) - (start - line_start))
    return Place(text.count("\n", 0, start) + 1, start - line_start + 1, length, line)


def parse_query(text: object) -> Parsed:
    """The one query of a text; SqlSyntax if it cannot be parsed, SqlNotAllowed if it is none."""
    if not isinstance(text, str):
        raise SqlNotAllowed(
            f"A query is wanted as text, not {type(text).__name__}.", remedy="Give a SELECT query."
        )
    try:
        whole = _whole_table(text)
        if whole is not None:
            return replace(parse_query(whole), lead=1)
        trees = [t for t in sqlglot.parse(text, dialect=EverviewSpark) if t is not None]
    except SqlglotError as error:
        raise _syntax(text, error) from None
    if len(trees) != 1:
        raise SqlNotAllowed(
            f"The text holds {len(trees)} statements.", remedy="Give one SELECT query."
        )
    tree = trees[0]
    if isinstance(tree, exp.Values):
        return replace(parse_query(f"SELECT * FROM (\n{text}\n)"), lead=1)
    if not isinstance(tree, exp.Query):
        raise SqlNotAllowed(
            f"This is a {tree.key.upper()} statement, not a query.", remedy="Give a SELECT query."
        )
    return Parsed(text, tree)


def _whole_table(text: str) -> str | None:
    """TABLE name as a SELECT, each character of the name in its column; None of another query."""
    tokens = sqlglot.tokenize(text, dialect=EverviewSpark)
    if not tokens or tokens[0].token_type != TokenType.TABLE:
        return None
    start, end = tokens[0].start, tokens[0].end + 1
    return f"SELECT * FROM\n{text[:start]}{' ' * (end - start)}{text[end:]}"


def _syntax(text: str, error: SqlglotError) -> SqlSyntax:
    details = getattr(error, "errors", None) or [{}]
    line, column = details[0].get("line"), details[0].get("col")
    where = None
    if line is not None and column is not None:
        highlight = details[0].get("highlight") or " "
        start = sum(len(x) + 1 for x in text.split("\n")[: line - 1]) + column - len(highlight)
        where = place_at(text, max(0, start), max(0, start + len(highlight) - 1))
    if where is None:
        remedy = "Close every string, quoted name and comment."
        return SqlSyntax("The text cannot be cut into words.", remedy=remedy)
    what = "The query cannot be read beyond this place."
    return SqlSyntax(what, where=where, remedy="Correct the text at this place.")


def table_references(parsed: Parsed) -> tuple[exp.Table, ...]:
    """The tables named in the query that are not names of its own WITH clauses."""
    return tuple(_tables(parsed.tree, frozenset()))


def _tables(node: exp.Expr, known: frozenset[str]) -> Iterator[exp.Table]:
    with_ = node.args.get("with_")
    if with_ is not None:
        for cte in with_.expressions:
            inner = known | {cte.alias.lower()} if with_.args.get("recursive") else known
            yield from _tables(cte.this, inner)
            known = known | {cte.alias.lower()}
    if isinstance(node, exp.Table) and _is_source(node, known):
        yield node
    for key, child in node.args.items():
        if key == "with_":
            continue
        for one in child if isinstance(child, list) else [child]:
            if isinstance(one, exp.Expr):
                yield from _tables(one, known)


def _is_source(table: exp.Table, ctes: frozenset[str]) -> bool:
    is_named = isinstance(table.this, exp.Identifier)
    return is_named and (bool(table.args.get("db")) or table.name.lower() not in ctes)


def with_placeholders(parsed: Parsed, names: Mapping[str, str]) -> str:
    """The text with each table replaced by `{placeholder}`, under its own name where it has no
    alias.

    `names` maps a table's lower-case name to its placeholder; other braces are doubled.
    """
    return replaced(
        parsed,
        [
            (table, int(table.this.meta["end"]), names[table_name(table).lower()])
            for table in table_references(parsed)
        ],
    )


def replaced(parsed: Parsed, tables: Iterable[tuple[exp.Table, int, str]]) -> str:
    """The text with each of its tables, from its name to an end, replaced by a placeholder."""
    pieces: list[str] = []
    done = 0
    for table, end, placeholder in sorted(tables, key=lambda found: _start(found[0])):
        pieces += [escaped(parsed.text[done : _start(table)]), f"{{{placeholder}}}"]
        if not table.alias and not table.args.get("sample"):
            pieces.append(f" AS {escaped(quoted(table.name))}")
        done = end + 1
    return "".join([*pieces, escaped(parsed.text[done:])])


def _start(table: exp.Table) -> int:
    return int(table.parts[0].meta["start"])


def parsed_without_limit(parsed: Parsed) -> Parsed | None:
    """The query without the LIMIT and OFFSET at the end of its text; None where they stand
    elsewhere.
    """
    tokens = sqlglot.tokenize(parsed.text, dialect=EverviewSpark)
    end = len(tokens)
    while end and tokens[end - 1].token_type == TokenType.SEMICOLON:
        end -= 1
    start = end
    for word in (TokenType.OFFSET, TokenType.LIMIT):
        if start > 2 and tokens[start - 2].token_type == word:
            start -= 2
    if start == end or tokens[start - 1].token_type == TokenType.PIPE_GT:
        return None
    whole = parse_query(parsed.text[: tokens[start].start])
    rest = parsed.tree.copy()
    rest.set("limit", None)
    rest.set("offset", None)
    return replace(whole, lead=parsed.lead) if whole.tree == rest else None


def forbid_outside_state(parsed: Parsed) -> None:
    """Refuse by name what a definition must not rest on: parameters, variables, past versions."""
    for node in parsed.tree.walk():
        what = _FORBIDDEN.get(type(node))
        if isinstance(node, exp.Table) and (node.args.get("version") or node.args.get("when")):
            what = "a past version of a table (VERSION or TIMESTAMP AS OF)"
        if what is not None:
            raise SqlNotAllowed(
                f"The query uses {what}.",
                where=parsed.place(node),
                remedy="A definition may read only tables and views, as they are at each refresh.",
            )


_FORBIDDEN: dict[type[exp.Expr], str] = {
    exp.Placeholder: "a parameter",
    exp.Parameter: "a variable",
    exp.SessionParameter: "a session variable",
}


def place_of_table(parsed: Parsed, name: str) -> Place | None:
    """Where a table is named first, by its lower-case name."""
    named = (t for t in table_references(parsed) if table_name(t).lower() == name)
    return next((parsed.place(t) for t in named), None)


def table_name(table: exp.Table) -> str:
    """The name as written, its parts joined with dots."""
    return ".".join(part.name for part in table.parts)
