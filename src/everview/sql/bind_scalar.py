"""From a parsed expression to a scalar: a few shapes understood, the rest kept as Spark's text."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from everview.algebra.scalars import (
    And,
    Compare,
    Comparison,
    Constant,
    IsNull,
    Not,
    Opaque,
    Or,
    Ref,
    Scalar,
)
from everview.sql.dialect import EverviewSpark
from everview.sql.names import quoted
from everview.sql.refuse import Refuse
from everview.sql.scope import Scope

# A node that becomes a scalar of its own inside verbatim text; None: part of the text.
Hole = Callable[[exp.Expr], Scalar | None]

_COMPARISONS: dict[type[exp.Expr], Comparison] = {
    exp.EQ: "=",
    exp.NullSafeEQ: "<=>",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}

# Every node that verbatim text may hold. Anything else is refused: never passed through unknown.
VERBATIM: frozenset[type[exp.Expr]] = frozenset(
    {
        exp.Add, exp.Alias, exp.And, exp.Anonymous, exp.Between, exp.BitwiseAnd,
        exp.BitwiseLeftShift, exp.BitwiseNot, exp.BitwiseOr, exp.BitwiseRightShift,
        exp.BitwiseXor, exp.Boolean, exp.Bracket, exp.Case, exp.Cast, exp.Collate, exp.Column,
        exp.ColumnDef, exp.Concat, exp.DPipe, exp.DataType, exp.DataTypeParam, exp.Div, exp.Dot,
        exp.EQ, exp.Escape, exp.Extract, exp.GT, exp.GTE, exp.HexString, exp.ILike,
        exp.Identifier, exp.If, exp.In, exp.IntDiv, exp.Interval, exp.Is, exp.LT, exp.LTE,
        exp.Lambda, exp.Like, exp.Literal, exp.Mod, exp.Mul, exp.NEQ, exp.Neg, exp.Not, exp.Null,
        exp.NullSafeEQ, exp.NullSafeNEQ, exp.Or, exp.Overlay, exp.Paren, exp.RawString,
        exp.RegexpLike, exp.StrPosition, exp.Sub, exp.Substring, exp.Transform, exp.Trim,
        exp.TryCast, exp.Tuple, exp.Var,
    }
)  # fmt: skip

# Functions whose first argument is a unit keyword when there are three arguments.
_UNIT_FUNCTIONS = frozenset(
    {"dateadd", "date_add", "datediff", "date_diff", "timestampadd", "timestampdiff"}
)

# The value of these is the same within one query, but not from one refresh to the next.
PER_QUERY = frozenset(
    {
        "current_catalog", "current_database", "current_date", "current_path", "current_role",
        "current_schema", "current_time", "current_timestamp", "current_timezone",
        "current_user", "curdate", "localtimestamp", "now", "session_user", "unix_timestamp",
        "user", "version",
    }
)  # fmt: skip

# The names of the arguments become part of the result; under our own column names they would
# change.
NAMING = frozenset({"struct", "arrays_zip"})

_MARK = re.compile("\ue000(\\d+)\ue001")


def bind_scalar(node: exp.Expr, hole: Hole) -> Scalar:
    """The scalar of an expression; `hole` says which nodes are columns or other scalars."""
    found = hole(node)
    if found is not None:
        return found
    match node:
        case exp.Paren():
            return bind_scalar(node.this, hole)
        case exp.And():
            return And((bind_scalar(node.this, hole), bind_scalar(node.expression, hole)))
        case exp.Or():
            return Or((bind_scalar(node.this, hole), bind_scalar(node.expression, hole)))
        case exp.Not():
            return Not(bind_scalar(node.this, hole))
        case exp.Is() if isinstance(node.expression, exp.Null):
            return IsNull(bind_scalar(node.this, hole))
        case exp.Literal() | exp.Boolean() | exp.Null():
            return Constant(_text(node))
        case _ if type(node) in _COMPARISONS:
            left, right = bind_scalar(node.this, hole), bind_scalar(node.expression, hole)
            return Compare(_COMPARISONS[type(node)], left, right)
        case _:
            return _opaque(node, hole)


def _opaque(node: exp.Expr, hole: Hole) -> Opaque:
    """The node's text with its holes cut out."""
    holes: list[Scalar] = []
    functions: set[str] = set()

    def cut(part: exp.Expr) -> exp.Expr:
        _require_known(part)
        name = function_name(part)
        if name is not None:
            functions.add(name)
        if _is_keyword(part):
            return part
        scalar = hole(part) if part is not marked else None
        if scalar is None:
            return part
        holes.append(scalar)
        return exp.Var(this=f"\ue000{len(holes) - 1}\ue001")

    marked = node.copy()
    text = _text(marked.transform(cut, copy=False))
    pieces = tuple(
        piece if i % 2 == 0 else holes[int(piece)] for i, piece in enumerate(_MARK.split(text))
    )
    return Opaque(tuple(p for p in pieces if p != ""), frozenset(functions))


def function_name(node: exp.Expr) -> str | None:
    """The name of the function that a node calls, in lower case."""
    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    if not isinstance(node, exp.Func) or isinstance(node, _NOT_CALLS):
        return None
    return node.sql_name().lower()


_NOT_CALLS = (exp.Case, exp.Cast, exp.TryCast, exp.And, exp.Or, exp.If)


def _require_known(node: exp.Expr) -> None:
    name = function_name(node)
    if name in NAMING or (isinstance(node, exp.Tuple) and not isinstance(node.parent, exp.In)):
        raise Refuse(f"the fields of {name or 'a row'}(...) are named after its arguments", node)
    if isinstance(node, exp.Query | exp.Subquery | exp.Exists):
        raise Refuse("a subquery inside an expression is not maintained incrementally", node)
    if isinstance(node, exp.Window):
        raise Refuse("a window function is not maintained incrementally", node)
    if name in PER_QUERY:
        raise Refuse(f"{name}() has another value at every refresh", node)
    if type(node) not in VERBATIM:
        raise Refuse(f"{node.key.upper()} inside an expression is not understood exactly", node)
    if isinstance(node, exp.In) and not node.expressions:
        raise Refuse("IN with a subquery is not maintained incrementally", node)


def _is_keyword(node: exp.Expr) -> bool:
    """Whether a name is a unit keyword, as DAY in dateadd(DAY, 1, d)."""
    call = node.parent
    return (
        isinstance(node, exp.Column)
        and isinstance(call, exp.Anonymous)
        and call.name.lower() in _UNIT_FUNCTIONS
        and len(call.expressions) == 3
        and call.expressions[0] is node
    )


def column_hole(scope: Scope) -> Hole:
    """Columns of the scope are holes; variables of lambdas are not columns for the parser."""

    def hole(node: exp.Expr) -> Scalar | None:
        if not isinstance(node, exp.Column):
            return None
        if isinstance(node.this, exp.Star):
            raise Refuse("a star inside an expression is not understood exactly", node)
        parts = tuple(part.name for part in node.parts)
        found = scope.resolve(parts)
        if isinstance(found, str):
            raise Refuse(found, node)
        name = found.column.name
        if _is_hidden(node, {name.lower(), f"{name}_{found.column.id}".lower()}):
            raise Refuse(f"a variable of the lambda around hides the column `{name}`", node)
        reference = Ref(found.column.id)
        if not found.path:
            return reference
        return Opaque((reference, *(f".{quoted(name)}" for name in found.path)))

    return hole


def _is_hidden(node: exp.Expr, names: set[str]) -> bool:
    """Whether a lambda around the node has a variable of one of these names."""
    around = node.find_ancestor(exp.Lambda)
    while around is not None:
        if any(variable.name.lower() in names for variable in around.expressions):
            return True
        around = around.find_ancestor(exp.Lambda)
    return False


def _text(node: exp.Expr) -> str:
    return node.sql(dialect=EverviewSpark)
