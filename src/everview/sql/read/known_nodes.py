"""Which nodes of a parsed expression are known well enough to be kept as text."""

from __future__ import annotations

from sqlglot import exp

from everview.sql.read.refuse import Refuse

# Every node that verbatim text may hold. Anything else is refused: never passed through unknown.
VERBATIM: frozenset[type[exp.Expr]] = frozenset(
    {
        exp.Add, exp.Alias, exp.All, exp.And, exp.Anonymous, exp.Any, exp.Array,
        exp.Between, exp.BitwiseAnd,
        exp.BitwiseLeftShift, exp.BitwiseNot, exp.BitwiseOr, exp.BitwiseRightShift,
        exp.BitwiseXor, exp.Boolean, exp.Bracket, exp.Case, exp.Cast, exp.Collate, exp.Column,
        exp.ColumnDef, exp.Concat, exp.DPipe, exp.DataType, exp.DataTypeParam, exp.Div, exp.Dot,
        exp.EQ, exp.Escape, exp.Extract, exp.GT, exp.GTE, exp.HexString, exp.ILike,
        exp.Identifier, exp.If, exp.In, exp.IntDiv, exp.Interval, exp.IntervalSpan,
        exp.Is, exp.Kwarg, exp.LT, exp.LTE,
        exp.Lambda, exp.Like, exp.Literal, exp.Mod, exp.Mul, exp.NEQ, exp.Neg, exp.Not, exp.Null,
        exp.NullSafeEQ, exp.NullSafeNEQ, exp.Or, exp.Overlay, exp.Paren, exp.RawString,
        exp.RegexpLike, exp.StrPosition, exp.Sub, exp.Substring, exp.Transform, exp.Trim,
        exp.TryCast, exp.Tuple, exp.Var,
    }
)  # fmt: skip

# What may stand around or inside a call of an aggregate or window function, besides.
CALL_PARTS: frozenset[type[exp.Expr]] = frozenset(
    {
        exp.Distinct, exp.Filter, exp.IgnoreNulls, exp.Order, exp.Ordered, exp.RespectNulls,
        exp.Star, exp.Where, exp.WithinGroup,
    }
)  # fmt: skip

_WINDOWS_OF_TIME = frozenset({"session_window", "window", "window_time"})

# The names of the arguments that are columns become part of the result.
NAMING = frozenset({"arrays_zip"})


def require_known_node(
    node: exp.Expr, name: str | None, besides: frozenset[type[exp.Expr]] = frozenset()
) -> None:
    """Refuse a node that has no place in verbatim text; `name` is that of the function it calls."""
    if name in NAMING and any(item_name(e) for e in node.expressions):
        raise Refuse(f"the fields of {name}(...) are named after its arguments", node)
    if name in _WINDOWS_OF_TIME:
        raise Refuse(f"{name}() drops and repeats rows, which is not understood exactly", node)
    if name in ("grouping", "grouping_id", "identifier"):
        raise Refuse(f"{name}() is not understood here", node)
    if isinstance(node, exp.Query | exp.Subquery | exp.Exists):
        raise Refuse("a subquery is not understood here", node)
    if isinstance(node, exp.Window):
        raise Refuse("a window function is not understood here", node)
    if type(node) not in VERBATIM and type(node) not in besides:
        raise Refuse(f"{node.key.upper()} inside an expression is not understood exactly", node)
    if isinstance(node, exp.In) and not node.expressions:
        raise Refuse("IN without a list is not understood exactly", node)


def item_name(item: exp.Expr) -> str:
    """The name that a select item has by its text; "" where only Spark knows it."""
    match item:
        case exp.Alias():
            return str(item.alias)
        case exp.Column() | exp.Dot() | exp.Identifier():
            return str(item.name)
        case exp.Paren():
            return item_name(item.this)
        case _:
            return ""
