"""From a parsed expression to a scalar: a few shapes understood, the rest kept as Spark's text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from sqlglot import exp

from everview.algebra.scalars import (
    And,
    Cast,
    Compare,
    Comparison,
    Constant,
    IsNull,
    Not,
    Opaque,
    Or,
    Outer,
    Ref,
    Scalar,
)
from everview.facts.refusals import RefusalKind
from everview.sql.bind.pieces import Holes, printed
from everview.sql.bind.scope import Absent, Scope
from everview.sql.names import quoted
from everview.sql.read.known_nodes import CALL_PARTS, item_name, require_known_node
from everview.sql.read.refuse import Refuse

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

_WRAPPERS = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)

# Functions whose first argument is a unit keyword when there are three arguments.
_UNIT_FUNCTIONS = frozenset(
    {"dateadd", "date_add", "datediff", "date_diff", "timestampadd", "timestampdiff"}
)


def bind_scalar(node: exp.Expr, hole: Hole) -> Scalar:
    """The scalar of an expression; `hole` says which nodes are columns or other scalars."""
    found = given(node) or hole(node)
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
            return _constant(node)
        case exp.Neg() if isinstance(node.this, exp.Literal):
            inner = _constant(node.this)
            if isinstance(inner, Constant) and not isinstance(inner.value, str):
                return Constant(printed(node), -inner.value)
            return _opaque(node, hole)
        case exp.Cast(this=exp.Literal(is_string=True) as day) if _is_date(node):
            return Cast(Constant(printed(day), str(day.this)), "date")
        case exp.Anonymous() if node.name.lower() == "struct":
            return _struct(node.expressions, hole)
        case exp.Tuple():
            return _struct(node.expressions, hole)
        case exp.JSONExtract() if node.args.get("variant_extract"):
            return _variant_path(node, hole)
        case exp.Between() if isinstance(value := bind_scalar(node.this, hole), Ref):
            low, high = (bind_scalar(node.args[end], hole) for end in ("low", "high"))
            return And((Compare(">=", value, low), Compare("<=", value, high)))
        case _ if type(node) in _COMPARISONS:
            left, right = bind_scalar(node.this, hole), bind_scalar(node.expression, hole)
            return Compare(_COMPARISONS[type(node)], left, right)
        case _:
            return _opaque(node, hole)


def standing_for(scalar: Scalar, name: str = "") -> exp.Column:
    """A node that stands for a scalar that is already bound."""
    node = exp.Column(this=exp.to_identifier(name, quoted=True))
    node.meta[_GIVEN] = scalar
    return node


def given(node: exp.Expr) -> Scalar | None:
    """The scalar that the node stands for, if it was made to."""
    found: Scalar | None = node.meta.get(_GIVEN)
    return found


_GIVEN = "everview_scalar"


def bind_call(node: exp.Expr, hole: Hole) -> Opaque:
    """The call of an aggregate or window function, verbatim with all that belongs to it."""
    return _opaque(node, hole, CALL_PARTS)


def called_node(node: exp.Expr) -> exp.Expr:
    """The function itself of a call with FILTER, IGNORE NULLS or WITHIN GROUP around it."""
    while isinstance(node, _WRAPPERS):
        node = node.this
    return node


def _constant(node: exp.Expr) -> Constant | Opaque:
    text = printed(node)
    match node:
        case exp.Null():
            return Constant(text, None)
        case exp.Boolean(this=value):
            return Constant(text, bool(value))
        case exp.Literal(is_string=True):
            return Constant(text, str(node.this))
        case _ if re.fullmatch(r"\d+", text):
            return Constant(text, int(text))
        case _ if re.fullmatch(r"\d*\.\d+|\d+\.", text):
            return Constant(text, Fraction(text))
        case _:
            return Opaque((text,))


def _is_date(node: exp.Cast) -> bool:
    return type(node) is exp.Cast and node.to == exp.DataType.build("date")


def _struct(parts: list[exp.Expr], hole: Hole) -> Scalar:
    """A row of values, its fields named as Spark names them: by alias, by column, by place."""
    pieces: list[str | Scalar] = ["named_struct("]
    for place, part in enumerate(parts, start=1):
        name = printed(exp.Literal.string(item_name(part) or f"col{place}"))
        pieces += [f"{', ' if place > 1 else ''}{name}, ", bind_scalar(part.unalias(), hole)]
    return Opaque((*pieces, ")"), frozenset({"named_struct"}))


def _opaque(node: exp.Expr, hole: Hole, besides: frozenset[type[exp.Expr]] = frozenset()) -> Opaque:
    """The node's text with its holes cut out."""
    holes = Holes()
    functions: set[str] = set()
    whole = node.copy()
    own = {id(whole), id(called_node(whole))} if besides else {id(whole)}

    def cut(part: exp.Expr) -> exp.Expr:
        scalar = None if id(part) in own or _is_keyword(part) else given(part) or hole(part)
        if scalar is None and id(part) not in own and _has_shape(part):
            scalar = bind_scalar(part, hole)
        if scalar is not None:
            return holes.keep(scalar)
        name = function_name(part)
        require_known_node(part, name, besides)
        if name is not None:
            functions.add(name)
        return part

    tree = whole.transform(cut, copy=False)
    return Opaque(holes.pieces(tree), frozenset(functions))


def _has_shape(node: exp.Expr) -> bool:
    """Whether the node is not kept as text: a row, whose fields are named after its parts, or a
    path into a variant.
    """
    if isinstance(node, exp.Tuple):
        return not isinstance(node.parent, exp.In | exp.Any | exp.All)
    is_path = isinstance(node, exp.JSONExtract) and bool(node.args.get("variant_extract"))
    return is_path or (isinstance(node, exp.Anonymous) and node.name.lower() == "struct")


def _variant_path(node: exp.JSONExtract, hole: Hole) -> Scalar:
    """`v:a.b[0]` as the call that it stands for."""
    steps = []
    for part in node.expression.expressions:
        match part:
            case exp.JSONPathRoot():
                steps.append("$")
            case exp.JSONPathKey(this=str(key)):
                steps.append(f"[{json.dumps(key, ensure_ascii=False)}]")
            case exp.JSONPathSubscript(this=int(place)):
                steps.append(f"[{place}]")
            case _:
                raise Refuse("this path into a variant is not understood exactly", node)
    path = printed(exp.Literal.string("".join(steps)))
    inner = bind_scalar(node.this, hole)
    return Opaque(("variant_get(", inner, f", {path}, 'variant')"), frozenset({"variant_get"}))


def function_name(node: exp.Expr) -> str | None:
    """The name of the function that a node calls, in lower case."""
    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    if not isinstance(node, exp.Func) or isinstance(node, _NOT_CALLS):
        return None
    return node.sql_name().lower()


_NOT_CALLS = (exp.Case, exp.Cast, exp.TryCast, exp.And, exp.Or, exp.If)


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


def column_scalar(
    node: exp.Column, scopes: tuple[Scope, ...], aliases: Mapping[str, Scalar]
) -> Scalar:
    """What a name stands for: a column of the first scope, an alias of an item before, or a column
    of the scopes around. Variables of lambdas are not columns for the parser.
    """
    if isinstance(node.this, exp.Star):
        raise Refuse(
            "a star inside an expression is not understood exactly", node, RefusalKind.STAR
        )
    parts = tuple(part.name for part in node.parts)
    here = scopes[0].resolve(parts)
    if isinstance(here, Absent) and parts[0].lower() in aliases:
        return _path(aliases[parts[0].lower()], parts[1:])
    around = [(scope.resolve(parts), True) for scope in scopes[1:]]
    for found, is_outer in [(here, False), *around]:
        if isinstance(found, Absent):
            continue
        if isinstance(found, str):
            raise Refuse(found, node)
        name = found.column.name
        if _is_hidden(node, {name.lower(), f"{name}_{found.column.id}".lower()}):
            raise Refuse(f"a variable of the lambda around hides the column `{name}`", node)
        value = Outer(found.column.id) if is_outer else Ref(found.column.id)
        return _path(value, found.path)
    if len(parts) == 1 and parts[0].lower() in WITHOUT_PARENTHESES:
        return Opaque((parts[0],), frozenset({parts[0].lower()}))
    raise Refuse(str(here), node)


# Functions that Spark calls by their bare name where it finds no column of that name.
WITHOUT_PARENTHESES = frozenset(
    {
        "current_date", "current_time", "current_timestamp", "current_user", "localtimestamp",
        "session_user", "user",
    }
)  # fmt: skip


def _path(value: Scalar, fields: tuple[str, ...]) -> Scalar:
    return Opaque((value, *(f".{quoted(name)}" for name in fields))) if fields else value


def _is_hidden(node: exp.Expr, names: set[str]) -> bool:
    """Whether a lambda around the node has a variable of one of these names."""
    around = node.find_ancestor(exp.Lambda)
    while around is not None:
        if any(variable.name.lower() in names for variable in around.expressions):
            return True
        around = around.find_ancestor(exp.Lambda)
    return False
