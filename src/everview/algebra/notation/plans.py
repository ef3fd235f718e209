"""Plans in the notation of the papers: σ, π, ⋈, + and γ over leaves such as Δsales, stores_new."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import UnionType
from typing import assert_never

from everview.algebra.notation.joins import JOINS, extra, join_label, set_symbol
from everview.algebra.notation.names import Names, column_names, listed, short
from everview.algebra.notation.operators import operator_symbol
from everview.algebra.notation.scalars import scalar_notation
from everview.algebra.relations import (
    Aggregate,
    Changes,
    ChangeTable,
    Except,
    Intersect,
    Join,
    Local,
    Negate,
    Project,
    Rel,
    Scan,
    Shared,
    Signed,
    TableFunction,
    Touched,
    UnionAll,
    Values,
)
from everview.algebra.scalars import Column, Ref, Scalar
from everview.algebra.walk import walk_plan

_WIDTH = 100  # a formula longer than this has one term per line

_Leaf = Scan | Changes | Local | Values | TableFunction | Shared


@dataclass(frozen=True, slots=True)
class Node:
    """One operator of a plan for a person to read, and what it is applied to."""

    label: str
    children: tuple[Node, ...] = ()


def notation(rel: Rel) -> str:
    """The plan on one line; what it shares stands behind it."""
    names = column_names(rel)
    shared = ",  ".join(_shared(rel, names))
    return f"{_text(rel, names)}  where  {shared}" if shared else _text(rel, names)


def formula(view: str, rel: Rel) -> tuple[str, ...]:
    """`Δview = ...` or `K = ...` of touched keys, a long sum term by term, then what is shared."""
    names = column_names(rel)
    shared = tuple(f"where {each}" for each in _shared(rel, names))
    opened, closed, inner = "K = " if isinstance(rel, Touched) else f"Δ{view} = ", "", _seen(rel)
    if len(line := f"{opened}{_text(rel, names)}") <= _WIDTH:
        return (line, *shared)
    while (unary := _unary(inner, names)) is not None:
        opened, closed = f"{opened}{unary[0]} ( ", f"{closed} )"
        inner = _seen(unary[1])
    terms = [f"    {sign} {_term(term, names)}" for sign, term in _terms(inner)]
    terms[0] = terms[0].replace("+", " ", 1) if terms[0].startswith("    +") else terms[0]
    return (opened.rstrip(), *terms, *filter(None, (closed.strip(),)), *shared)


def plan_tree(rel: Rel, note: Callable[[Rel], str] = lambda _: "") -> Node:
    """The plan as nested nodes, what is shared drawn once; `note` adds what is known of a leaf to
    its label.
    """
    return _Drawing(column_names(rel), note).node(rel)


# The operators


def _text(rel: Rel, names: Names) -> str:
    rel = _seen(rel)
    unary = _unary(rel, names)
    if unary is not None:
        symbol, inner = unary
        return f"{symbol} ( {_text(inner, names)} )"
    match rel:
        case Join():
            return _join_text(rel, names)
        case Except() | Intersect():
            return _comparison_text(rel, names)
        case UnionAll():
            first, *rest = _terms(rel)
            head = _term(first[1], names) if first[0] == "+" else f"- {_term(first[1], names)}"
            return head + "".join(f"  {sign}  {_term(term, names)}" for sign, term in rest)
        case _:
            assert isinstance(rel, _Leaf)
            return _leaf(rel)


def _unary(rel: Rel, names: Names) -> tuple[str, Rel] | None:
    """The symbol of an operator with one input, and what it is applied to; None for joins, sums,
    differences and leaves.
    """
    symbol = operator_symbol(rel, names)
    if symbol is None:
        return None
    (input_,) = rel.inputs
    is_grouped = isinstance(rel, Aggregate | ChangeTable)
    return symbol, _below_projection(input_) if is_grouped else input_


def _leaf(leaf: _Leaf) -> str:
    match leaf:
        case Scan(table, at, _):
            return f"{table}_{at.value}"
        case Changes(table, _):
            return f"Δ{table}"
        case Local(name, _):
            return name
        case Values(rows, _):
            shown = listed(f"({', '.join(scalar_notation(s, {}) for s in row)})" for row in rows)
            return f"{{{shown}}}"
        case TableFunction(call, _):
            return short(scalar_notation(call, {}))
        case Shared(name, input_):
            snapshots = {r.at.value for r in walk_plan(input_) if isinstance(r, Scan)}
            plain = f"{name}_{snapshots.pop()}" if len(snapshots) == 1 else name
            return f"Δ{name}" if leaf.weighted else plain
        case _:
            assert_never(leaf)


def _shared(rel: Rel, names: Names) -> tuple[str, ...]:
    """What each shared part of the plan is, in the order in which a reader meets them."""
    parts = [r for r in walk_plan(rel) if isinstance(r, Shared)]
    return tuple(dict.fromkeys(f"{_leaf(p)} = {_text(p.input, names)}" for p in parts))


def _seen(rel: Rel) -> Rel:
    """The first operator that a reader would miss: not a sum of one, nor a mere reordering."""
    match rel:
        case UnionAll((one,), _):
            return _seen(one)
        case Project(ChangeTable() as table, _):
            return table
        case Project(input_, outputs) if _reorders(input_, outputs):
            return _seen(input_)
        case _:
            return rel


def _below_projection(rel: Rel) -> Rel:
    """What is grouped: a projection right below has its expressions in the γ itself."""
    rel = _seen(rel)
    return rel.input if isinstance(rel, Project) else rel


def _reorders(input_: Rel, outputs: tuple[tuple[Column, Scalar], ...]) -> bool:
    same = all(isinstance(s, Ref) and s.id == c.id for c, s in outputs)
    return same and len(outputs) == len(input_.columns)


# Sums, joins and differences


def _terms(rel: Rel) -> list[tuple[str, Rel]]:
    """The terms of a sum with their signs, sums within sums included."""
    rel = _seen(rel)
    match rel:
        case UnionAll(some, _):
            return [term for i in some for term in _terms(i)]
        case Negate(input_):
            return [("-" if sign == "+" else "+", term) for sign, term in _terms(input_)]
        case Signed(input_, weight):
            return [("+" if weight == 1 else "-", _seen(input_))]
        case _:
            return [("+", rel)]


def _term(rel: Rel, names: Names) -> str:
    return _within(rel, names, Except | Intersect)


def _join_text(join: Join, names: Names) -> str:
    left = _within(join.left, names, UnionAll | Except | Intersect)
    right = _within(join.right, names, UnionAll | Except | Intersect | Join)
    symbol, rest = JOINS[join.kind], extra(join, names)
    match join.kind:
        case "inner" | "cross":
            pair = f"{left} {symbol} {right}"
            return f"σ {rest} ( {pair} )" if rest else pair
        case _:
            return f"{left} {symbol}{f'[{rest}]' if rest else ''} {right}"


def _comparison_text(rel: Except | Intersect, names: Names) -> str:
    sides = (_within(s, names, UnionAll | Except | Intersect | Join) for s in (rel.left, rel.right))
    return f" {set_symbol(rel)} ".join(sides)


def _within(rel: Rel, names: Names, enclosed: type | UnionType) -> str:
    """The text beside another operator, in parentheses if the two would run together."""
    seen = _seen(rel)
    text = _text(seen, names)
    return f"( {text} )" if isinstance(seen, enclosed) else text


# Trees


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A tree under way: `drawn` are the shared parts that it has already."""

    names: Names
    note: Callable[[Rel], str]
    drawn: set[int] = field(default_factory=set)  # by identity

    def node(self, rel: Rel) -> Node:
        rel = _seen(rel)
        unary = _unary(rel, self.names)
        if unary is not None:
            return Node(unary[0], (self.node(unary[1]),))
        match rel:
            case Join():
                return self._join(rel)
            case UnionAll():
                return Node("+", tuple(_signed(s, self.node(t)) for s, t in _terms(rel)))
            case Except() | Intersect():
                return Node(set_symbol(rel), (self.node(rel.left), self.node(rel.right)))
            case Shared():
                return self._shared(rel)
            case _:
                assert isinstance(rel, _Leaf)
                known = self.note(rel)
                return Node(f"{_leaf(rel)}  {known}" if known else _leaf(rel))

    def _join(self, join: Join) -> Node:
        pair = {"left": self.node(join.left), "right": self.node(join.right)}
        if join.broadcast:
            small = pair[join.broadcast]
            pair[join.broadcast] = Node(f"{small.label} · broadcast", small.children)
        return Node(join_label(join, self.names), tuple(pair.values()))

    def _shared(self, shared: Shared) -> Node:
        if id(shared) in self.drawn:
            return Node(_leaf(shared))
        self.drawn.add(id(shared))
        return Node(_leaf(shared), (self.node(shared.input),))


def _signed(sign: str, node: Node) -> Node:
    return node if sign == "+" else Node(sign, (node,))
