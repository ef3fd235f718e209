"""Plans in the notation of the seeds: σ, π, ⋈, + and γ over leaves such as Δsales, stores_new."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import assert_never

from everview.algebra.calls import AggregateCall, WorkDelta
from everview.algebra.relations import (
    Aggregate,
    Changes,
    ChangeTable,
    Filter,
    Join,
    JoinKind,
    Local,
    Negate,
    Net,
    Project,
    Rel,
    Scan,
    UnionAll,
    Values,
)
from everview.algebra.scalar_notation import scalar_notation
from everview.algebra.scalars import Column, ColumnId, Compare, Ref, Scalar, all_of, conjuncts
from everview.algebra.walk import inputs

WIDTH = 100  # a formula longer than this has one term per line
_MOST_LISTED = 6
_MOST_LETTERS = 60
_JOINS: dict[JoinKind, str] = {"inner": "⋈", "cross": "×", "left": "⟕", "semi": "⋉", "anti": "▷"}

Names = dict[ColumnId, str]
Leaf = Scan | Changes | Local | Values


@dataclass(frozen=True, slots=True)
class Node:
    """One operator of a plan for a person to read, and what it is applied to."""

    label: str
    children: tuple[Node, ...] = ()


def notation(rel: Rel) -> str:
    """The plan on one line."""
    return _text(rel, _names(rel))


def formula(view: str, rel: Rel) -> tuple[str, ...]:
    """`Δview = ...`, the terms of a long sum on lines of their own."""
    names = _names(rel)
    line = f"Δ{view} = {_text(rel, names)}"
    if len(line) <= WIDTH:
        return (line,)
    opened, closed, inner = f"Δ{view} = ", "", _seen(rel)
    while (unary := _unary(inner, names)) is not None:
        opened, closed = f"{opened}{unary[0]} ( ", f"{closed} )"
        inner = _seen(unary[1])
    terms = [f"    {sign} {_text(term, names)}" for sign, term in _terms(inner)]
    terms[0] = terms[0].replace("+", " ", 1) if terms[0].startswith("    +") else terms[0]
    return (opened.rstrip(), *terms, *filter(None, (closed.strip(),)))


def tree(rel: Rel, note: Callable[[Rel], str] = lambda _: "") -> Node:
    """The plan as nested nodes; `note` adds what is known of a leaf to its label."""
    return _node(rel, _names(rel), note)


# One operator


def _text(rel: Rel, names: Names) -> str:
    rel = _seen(rel)
    unary = _unary(rel, names)
    if unary is not None:
        symbol, inner = unary
        return f"{symbol} ( {_text(inner, names)} )"
    match rel:
        case Join(kind, left, right, _, _):
            pair = f"{_side(left, names)} {_JOINS[kind]} {_side(right, names, is_right=True)}"
            extra = _extra(rel, names)
            return f"σ {extra} ( {pair} )" if extra else pair
        case UnionAll():
            first, *rest = _terms(rel)
            head = _text(first[1], names) if first[0] == "+" else f"- {_text(first[1], names)}"
            return head + "".join(f"  {sign}  {_text(term, names)}" for sign, term in rest)
        case _:
            assert isinstance(rel, Leaf)
            return _leaf(rel)


def _node(rel: Rel, names: Names, note: Callable[[Rel], str]) -> Node:
    rel = _seen(rel)
    unary = _unary(rel, names)
    if unary is not None:
        return Node(unary[0], (_node(unary[1], names, note),))
    match rel:
        case Join():
            left, right = _node(rel.left, names, note), _node(rel.right, names, note)
            pair = {"left": left, "right": right}
            if rel.broadcast:
                small = pair[rel.broadcast]
                pair[rel.broadcast] = Node(f"{small.label} · broadcast", small.children)
            return Node(_join_label(rel, names), tuple(pair.values()))
        case UnionAll():
            return Node("+", tuple(_signed(s, _node(t, names, note)) for s, t in _terms(rel)))
        case _:
            assert isinstance(rel, Leaf)
            known = note(rel)
            return Node(f"{_leaf(rel)}  {known}" if known else _leaf(rel))


def _signed(sign: str, node: Node) -> Node:
    return node if sign == "+" else Node(sign, (node,))


def _unary(rel: Rel, names: Names) -> tuple[str, Rel] | None:
    """The symbol of an operator with one input, and the input; None for joins, sums and leaves."""
    match rel:
        case Filter(input_, condition):
            return f"σ {_short(scalar_notation(condition, names))}", input_
        case Project(input_, outputs):
            return f"π {_listed(names[c.id] for c, _ in outputs)}", input_
        case Aggregate(input_, keys, calls):
            shown = [names[k.id] for k in keys] + [_call(call, names) for _, call in calls]
            return f"γ {_listed(shown)}", _below_projection(input_)
        case ChangeTable(changes, keys, areas):
            shown = [names[k.id] for k in keys] + _areas([a for _, a in areas], names)
            return f"γ {_listed(shown)}", _below_projection(changes)
        case Negate(input_):
            return "-", input_
        case Net(input_):
            return "net", input_
        case Join() | UnionAll() | Scan() | Changes() | Local() | Values():
            return None
        case _:
            assert_never(rel)


def _leaf(leaf: Leaf) -> str:
    match leaf:
        case Scan(table, at, _):
            return f"{table}_{at.value}"
        case Changes(table, _):
            return f"Δ{table}"
        case Local(name, _):
            return name
        case Values(rows, _):
            shown = _listed(f"({', '.join(c.text for c in row)})" for row in rows)
            return f"{{{shown}}}"
        case _:
            assert_never(leaf)


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


# Sums and joins


def _terms(rel: Rel) -> list[tuple[str, Rel]]:
    """The terms of a sum with their signs, sums within sums included."""
    rel = _seen(rel)
    match rel:
        case UnionAll(some, _):
            return [term for i in some for term in _terms(i)]
        case Negate(input_):
            return [("-" if sign == "+" else "+", term) for sign, term in _terms(input_)]
        case _:
            return [("+", rel)]


def _side(rel: Rel, names: Names, *, is_right: bool = False) -> str:
    seen = _seen(rel)
    encloses = isinstance(seen, UnionAll) or (is_right and isinstance(seen, Join))
    text = _text(seen, names)
    return f"( {text} )" if encloses else text


def _extra(join: Join, names: Names) -> str:
    """What the condition asks besides equal columns of the two sides."""
    rest = tuple(c for c in conjuncts(join.condition) if _equal(join, c) is None)
    return _short(scalar_notation(all_of(rest), names)) if rest else ""


def _equal(join: Join, condition: Scalar) -> tuple[ColumnId, ColumnId] | None:
    match condition:
        case Compare("=" | "<=>", Ref(one), Ref(two)):
            left = {c.id for c in join.left.columns}
            right = {c.id for c in join.right.columns}
            ends = (one, two) if one in left else (two, one)
            return ends if ends[0] in left and ends[1] in right else None
        case _:
            return None


def _join_label(join: Join, names: Names) -> str:
    pairs = [p for c in conjuncts(join.condition) if (p := _equal(join, c)) is not None]
    equal = [names[a] if names[a] == names[b] else f"{names[a]} = {names[b]}" for a, b in pairs]
    on = ", ".join(filter(None, (*equal, _extra(join, names))))
    return f"{_JOINS[join.kind]} {on}".rstrip()


# What is computed of a group


def _areas(areas: list[WorkDelta], names: Names) -> list[str]:
    """The work-area deltas a reader knows by their function; counts that go with a sum are not."""
    summed = {a.arg for a in areas if a.function == "sum"}
    shown = []
    for area in areas:
        arg = "" if area.arg is None else _factor(names[area.arg])
        match area.function:
            case "weight" if area.arg is None:
                shown.append("Σw")
            case "weight" if area.arg not in summed:
                shown.append(f"Σw[{arg} is not null]")
            case "sum":
                shown.append(f"Σw·{arg}")
            case "inserted":
                shown.append(f"{area.extreme}⁺ {arg}")
            case "deleted":
                shown.append(f"{area.extreme}⁻ {arg}")
            case _:
                pass
    return list(dict.fromkeys(shown))


def _call(call: AggregateCall, names: Names) -> str:
    return f"{call.function}({', '.join(names[a] for a in call.args) or '*'})"


def _factor(text: str) -> str:
    return f"({text})" if " " in text and not text.endswith(")") else text


# Names


def _names(rel: Rel) -> Names:
    """What each column is called: its name in a source, or the expression that computes it."""
    names: Names = {}
    for input_ in inputs(rel):
        names |= _names(input_)
    match rel:
        case Project(_, outputs):
            return names | {c.id: _short(scalar_notation(s, names)) for c, s in outputs}
        case UnionAll(some, columns):
            return names | {c.id: _shared(some, i, names) or c.name for i, c in enumerate(columns)}
        case _:
            return {c.id: c.name for c in rel.columns} | names


def _shared(some: tuple[Rel, ...], place: int, names: Names) -> str:
    """What all inputs of a sum call this column, "" if they differ."""
    called = {names[i.columns[place].id] for i in some}
    return called.pop() if len(called) == 1 else ""


def _listed(items: Iterable[str]) -> str:
    found = list(items)
    more = len(found) - _MOST_LISTED
    cut = [*found[:_MOST_LISTED], f"… {more} more"] if more > 1 else found
    return ", ".join(cut)


def _short(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"
