"""Spark's dialect for sqlglot, used only to parse and print, with function calls kept verbatim."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.tokenizer_core import TokenType

from everview.sql.read.pipes import piped

# Calls whose arguments are not a plain list; every other function is kept by name and arguments.
_SPECIAL_FORMS = (
    "CAST",
    "TRY_CAST",
    "EXTRACT",
    "POSITION",
    "TRIM",
    "SUBSTR",
    "SUBSTRING",
    "OVERLAY",
)


_LITERAL_TYPES = frozenset(
    {
        TokenType.DATE, TokenType.TIME, TokenType.TIMESTAMP, TokenType.TIMESTAMPLTZ,
        TokenType.TIMESTAMPNTZ, TokenType.TIMESTAMPTZ,
    }
)  # fmt: skip


_BEGINS_A_QUERY = frozenset(
    {
        TokenType.ALL, TokenType.DISTINCT, TokenType.FROM, TokenType.L_PAREN, TokenType.SELECT,
        TokenType.TABLE, TokenType.VALUES, TokenType.WITH,
    }
)  # fmt: skip
# Behind these a value or a column is wanted, so no query ends before them.
_WANTS_MORE = frozenset(
    {
        TokenType.ALIAS, TokenType.AND, TokenType.COMMA, TokenType.DASH, TokenType.DISTINCT,
        TokenType.DOT, TokenType.EQ, TokenType.GROUP_BY, TokenType.GT, TokenType.GTE,
        TokenType.HAVING, TokenType.LT, TokenType.LTE, TokenType.L_PAREN, TokenType.NEQ,
        TokenType.NOT, TokenType.ON, TokenType.OR, TokenType.ORDER_BY, TokenType.PLUS,
        TokenType.SELECT, TokenType.SLASH, TokenType.STAR, TokenType.WHERE,
    }
)  # fmt: skip


def _is_between_queries(before: Any, after: Any) -> bool:
    """Whether a query can end before a word and another begin behind it."""
    ends = before is not None and before.token_type not in _WANTS_MORE
    return ends and after is not None and after.token_type in _BEGINS_A_QUERY


class EverviewSpark(Spark):
    """Spark SQL as written: sqlglot's own function table would change some calls in silence."""

    class Tokenizer(Spark.Tokenizer):
        # A quote is doubled inside a string, besides the backslash.
        STRING_ESCAPES: ClassVar[list[str]] = ["\\", "'", '"']

    class Parser(Spark.Parser):  # type: ignore[misc, valid-type]
        COLON_IS_VARIANT_EXTRACT: ClassVar[bool] = True
        ARRAY_CONSTRUCTORS: ClassVar[dict[str, Any]] = {}
        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        NO_PAREN_FUNCTIONS: ClassVar[dict[Any, Any]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            name: parser
            for name, parser in Spark.Parser.FUNCTION_PARSERS.items()
            if name in _SPECIAL_FORMS
        }
        NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            name: parser
            for name, parser in Spark.Parser.NO_PAREN_FUNCTION_PARSERS.items()
            if name == "CASE"
        }
        _COMPARISONS: ClassVar[dict[Any, Any]] = {
            **Spark.Parser.EQUALITY,
            **Spark.Parser.COMPARISON,
        }

        def parse(self, raw_tokens: list[Any], sql: str | None = None) -> list[exp.Expr | None]:
            """`window(` calls a function; only without a parenthesis does a clause begin. MINUS
            without a query behind it is a name.
            """
            for token, after in pairwise(raw_tokens):
                opens = after.token_type is TokenType.L_PAREN
                if opens and token.token_type is TokenType.WINDOW:
                    token.token_type = TokenType.VAR
            before = None
            for token, after in pairwise([*raw_tokens, None]):
                is_minus = token.token_type is TokenType.EXCEPT and token.text.upper() == "MINUS"
                if is_minus and not _is_between_queries(before, after):
                    token.token_type = TokenType.VAR
                before = token
            trees: list[exp.Expr | None] = super().parse(raw_tokens, sql)
            return trees

        def _parse_grouping_set(self) -> exp.Expr | None:
            """Any expression may be a key, also one with IN."""
            inner = self._parse_grouping_sets() or self._parse_cube_or_rollup()
            found: exp.Expr | None = inner or self._parse_disjunction()
            return found

        def _parse_equality(self, *_: Any, **__: Any) -> exp.Expr | None:
            """In Spark all comparisons bind alike, from left to right, and tighter than IN, IS,
            LIKE and BETWEEN.
            """
            this = self._parse_bitwise()
            while self._match_set(self._COMPARISONS):
                kind = self._COMPARISONS[self._prev.token_type]
                this = self.expression(kind(this=this, expression=self._parse_bitwise()))
            found: exp.Expr | None = self._parse_range(this, parse_is=True)
            return found

        def _parse_unary(self) -> exp.Expr | None:
            """A minus sign belongs to the number behind it: `-1::string` is `(-1)::string`."""
            index = self._index
            if self._match(TokenType.DASH) and self._match(TokenType.NUMBER, advance=False):
                number = exp.Neg(this=self._parse_primary())
                if self._match(TokenType.DCOLON, advance=False):
                    cast: exp.Expr | None = self._parse_column_ops(exp.Paren(this=number))
                    return cast
            self._retreat(index)
            unary: exp.Expr | None = super()._parse_unary()
            return unary

        def _parse_interval(self, *args: Any, **named: Any) -> exp.Expr | None:
            """Several units are one literal: their sum stands in parentheses."""
            found: exp.Expr | None = super()._parse_interval(*args, **named)
            return exp.Paren(this=found) if isinstance(found, exp.Add) else found

        def _parse_type(self, *args: Any, **named: Any) -> exp.Expr | None:
            """A type before a string makes a literal of it, which what follows applies to."""
            token, after = self._curr, self._next
            is_typed = after is not None and after.token_type is TokenType.STRING
            if is_typed and token.token_type is TokenType.VAR and token.text.upper() == "X":
                self._advance(2)
                literal: exp.Expr = exp.HexString(this=after.text)
            elif is_typed and token.token_type in _LITERAL_TYPES:
                kind = self._parse_types(check_func=True, allow_identifiers=False)
                self._advance()
                string = exp.Literal.string(after.text)
                string.meta.update(start=token.start, end=after.end)
                literal = exp.Cast(this=string, to=kind)
            else:
                found: exp.Expr | None = super()._parse_type(*args, **named)
                return found
            whole: exp.Expr | None = self._parse_column_ops(self.expression(literal))
            return whole

        def _parse_value(self, *args: Any, **named: Any) -> exp.Expr | None:
            """A row of VALUES without parentheses has no alias of its own."""
            if self._match(TokenType.L_PAREN, advance=False):
                found: exp.Expr | None = super()._parse_value(*args, **named)
                return found
            row = self._parse_assignment()
            return self.expression(exp.Tuple(expressions=[row])) if row else None

        def _parse_pipe_syntax_query(self, query: exp.Expr) -> exp.Expr:
            return piped(self, query)

    class Generator(Spark.Generator):  # type: ignore[misc, valid-type]
        TYPE_MAPPING: ClassVar[dict[Any, str]] = {
            **Spark.Generator.TYPE_MAPPING,
            exp.DType.TIME: "TIME",
        }
        TRANSFORMS: ClassVar[dict[Any, Any]] = {
            **Spark.Generator.TRANSFORMS,
            exp.BitwiseLeftShift: lambda self, e: self.binary(e, "<<"),
            exp.BitwiseRightShift: lambda self, e: self.binary(e, ">>"),
        }
