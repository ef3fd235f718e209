"""Pipe syntax as queries within queries, read as Spark reads it."""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

NOT_UNDERSTOOD = "settings"  # an argument of queries that no text of Spark's has
_OPEN = {"expressions", "from_", "joins", "where"}  # the clauses of a query that may go on


def piped(parser: Any, query: exp.Expr) -> exp.Expr:
    """The query with each operator that follows; the parser stands at the first `|>`."""
    if isinstance(query, exp.Subquery):
        query = exp.Select(expressions=[exp.Star()], from_=exp.From(this=query))
    while parser._match(TokenType.PIPE_GT):
        query = _applied(parser, query)
    return query


def _applied(parser: Any, query: exp.Expr) -> exp.Expr:
    word = parser._curr.text.upper()
    if word in ("WHERE", "SELECT", "JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL"):
        return _joined_or_chosen(parser, query, word)
    if parser._match_text_seq("EXTEND"):
        return _chosen(_going_on(query), [exp.Star(), *parser._parse_expressions()])
    if parser._match_text_seq("AGGREGATE"):
        return _aggregated(parser, _going_on(query))
    if parser._match_text_seq("DROP"):
        names = parser._parse_csv(parser._parse_column)
        return _chosen(_wrapped(query), [exp.Star(except_=names)])
    if parser._match(TokenType.ALIAS):
        return _wrapped(query, parser._parse_id_var())
    if word in ("ORDER BY", "LIMIT", "OFFSET"):
        return _cut(parser, query)
    if word in ("PIVOT", "UNPIVOT"):
        wrapped = _wrapped(query)
        wrapped.args["from_"].this.set("pivots", parser._parse_pivots())
        return wrapped
    if word in ("UNION", "EXCEPT", "INTERSECT", "MINUS"):
        combined: exp.Expr = parser.parse_set_operation(_as_query(query))
        return combined
    if word == "TABLESAMPLE":
        sampled = _wrapped(query)
        sampled.args["from_"].this.set("sample", parser._parse_table_sample())
        return sampled
    if parser._match(TokenType.SET):
        return _not_understood(_wrapped(query), parser._parse_expressions())
    parser.raise_error(f"The pipe operator {word} is not understood")
    return query


def _not_understood(query: exp.Select, parts: list[exp.Expr]) -> exp.Select:
    """The query with what the binder will refuse, so that its text alone is run."""
    query.set(NOT_UNDERSTOOD, parts)
    return query


def _joined_or_chosen(parser: Any, query: exp.Expr, word: str) -> exp.Expr:
    if word == "WHERE":
        found = _going_on(query)
        return found.where(parser._parse_where().this, copy=False)
    if word == "SELECT":
        chosen = parser._parse_select(consume_pipe=False)
        found = _chosen(_going_on(query), chosen.expressions)
        found.set("distinct", chosen.args.get("distinct"))
        return found
    open_ = _going_on(query)
    found = open_ if open_.args.get("where") is None else _wrapped(open_)
    found.append("joins", parser._parse_join())
    return found


def _aggregated(parser: Any, query: exp.Select) -> exp.Select:
    """The keys come first in the result, then the aggregates."""
    is_grouped = parser._match(TokenType.GROUP_BY, advance=False)
    calls = [] if is_grouped else parser._parse_expressions()
    keys = parser._parse_expressions() if parser._match(TokenType.GROUP_BY) else []
    found = _chosen(query, [*keys, *calls])
    if any(isinstance(key.unalias(), exp.Literal) for key in keys):
        return _not_understood(found, keys)
    if keys:
        found.set("group", exp.Group(expressions=[key.unalias().copy() for key in keys]))
    return found


def _cut(parser: Any, query: exp.Expr) -> exp.Expr:
    """ORDER BY and LIMIT are one clause where they follow each other."""
    goes_on = (
        isinstance(query, exp.Select)
        and query.args.get("order") is not None
        and query.args.get("limit") is None
    )
    found = query if goes_on else _wrapped(query)
    order = parser._parse_order()
    if order is not None:
        found = _wrapped(found) if goes_on else found
        found.set("order", order)
        return found
    found.set("limit", parser._parse_limit())
    found.set("offset", parser._parse_offset())
    return found


def _chosen(query: exp.Select, items: list[exp.Expr]) -> exp.Select:
    query.set("expressions", items)
    return query


def _going_on(query: exp.Expr) -> exp.Select:
    """The query itself while it only reads and filters, so that its tables keep their names."""
    if isinstance(query, exp.Select):
        has = {key for key, value in query.args.items() if value}
        is_all = len(query.expressions) == 1 and type(query.expressions[0]) is exp.Star
        if has <= _OPEN and is_all and not query.expressions[0].args.get("except_"):
            return query
    return _wrapped(query)


def _wrapped(query: exp.Expr, alias: exp.Expr | None = None) -> exp.Select:
    inner = exp.Subquery(this=_as_query(query))
    if alias is not None:
        inner.set("alias", exp.TableAlias(this=alias))
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=inner))


def _as_query(query: exp.Expr) -> exp.Expr:
    if isinstance(query, exp.Subquery) and not query.args.get("alias"):
        return query.this if isinstance(query.this, exp.Query) else query
    if isinstance(query, exp.Values):
        return exp.Select(expressions=[exp.Star()], from_=exp.From(this=query))
    return query
