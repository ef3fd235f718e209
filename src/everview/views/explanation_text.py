"""Explanations for people: text, and a notebook card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everview.algebra.notation.plans import Node
from everview.cards.card import Badge, Markup, card, code, folded, steps, table, tree
from everview.facts.methods import Method
from everview.facts.receipt_text import tone, versions_text
from everview.facts.self_maintenance import self_maintained_text, self_maintenance_rows
from everview.facts.wording import aligned, counted, passes_off_text, seconds_text, size_text
from everview.shape.derived import Derived
from everview.views.propagation import Propagation

if TYPE_CHECKING:
    from everview.views.explanation import ExplainedStep, Explanation, SourceMove

_SOURCES, _FORMULA, _PROPAGATION, _STEPS = 8, 6, 6, 12


def explanation_text(told: Explanation) -> str:
    """What is read and why, the strategy, its steps, then the SQL."""
    lines = [line for part in text_parts(told) for line in part.lines]
    if told.beside:
        lines += ["", "sources read besides the changes"]
        lines += [f"  {line}" for line in aligned(self_maintenance_rows(told.beside))]
    if told.derivation is not None:
        lines += ["", "what each operator hands up when a table below it changes"]
        lines += [f"  {line}" for line in aligned(list(_operators(told.derivation)))]
    if told.queries:
        lines += ["", "SQL"]
        lines += [line for query in told.queries for line in [*query.splitlines(), ""]][:-1]
    return "\n".join(lines)


def _operators(one: Derived, depth: int = 0) -> Iterator[tuple[str, str]]:
    """The operators with what they hand up, each below the one that it hands it up to."""
    yield f"{'  ' * depth}{one.operator}", str(one)
    for below in one.inputs:
        yield from _operators(below, depth + 1)


def _drawn(one: Derived) -> Node:
    """The same as a tree."""
    return Node(f"{one.operator}  {one}", tuple(map(_drawn, one.inputs)))


@dataclass(frozen=True, slots=True)
class TextPart:
    """Some lines of the text, and how many of them a screen has room for; None: all."""

    lines: list[str]
    room: int | None = None


def text_parts(told: Explanation) -> tuple[TextPart, ...]:
    """The text without the SQL, by what its lines are about."""
    sources = aligned([source_cells(s) for s in told.sources]) if told.sources else []
    return (
        TextPart([_header(told), *(f"  {line}" for line in _of_the_view(told))]),
        TextPart([f"  {line}" for line in sources], _SOURCES),
        TextPart(["", _headline(told)]),
        TextPart([f"  {line}" for line in _place(told)]),
        TextPart([f"  {line}" for line in told.formula], _FORMULA),
        TextPart([f"  {line}" for line in _propagated(told.propagation)], _PROPAGATION),
        TextPart([f"  {line}" for line in _numbered(told)], _STEPS),
        TextPart([f"  {said}"] if (said := _replacing(told)) else []),
        TextPart([rest] if (rest := _rest(told)) else []),
        TextPart([passes_off_text(told.passes_off)] if told.passes_off else []),
    )


def _header(told: Explanation) -> str:
    exact = versions_text({}, told.exact_at)
    parts = (
        told.view,
        f"policy {told.policy}" if told.policy else "",
        told.kept,
        f"exact at {exact}" if exact else "",
    )
    return " · ".join(filter(None, parts))


def _of_the_view(told: Explanation) -> list[str]:
    """`read with ORDER BY total DESC LIMIT 3; the rows below it are stored`; and for which changes
    nothing else is read.
    """
    tail = f"read with {told.tail}; the rows below it are stored" if told.tail else ""
    return [line for line in (tail, self_maintained_text(told.beside)) if line]


def source_cells(source: SourceMove) -> tuple[str, ...]:
    """Name, versions, rows, commits and how they are read."""
    if source.lost:
        moved = f"v{source.old} -> v{source.new}" if source.old is not None else f"v{source.new}"
        return source.name, moved, "", "", source.lost
    if source.old == source.new:
        return source.name, f"v{source.new}", "unchanged", "", ""
    commits = counted(source.new - (source.old or 0), "commit")
    ways = ", ".join(f"{way} ({n})" if len(source.ways) > 1 else way for way, n in source.ways)
    read = f"read from {ways}, {size_text(source.bytes)}" if ways else size_text(source.bytes)
    return source.name, f"v{source.old} -> v{source.new}", _rows(source), commits, read


def _rows(source: SourceMove) -> str:
    if source.inserted is None or source.deleted is None:
        return "rows not counted"
    netted = "" if source.netted_from is None else f" of {source.netted_from:,} before netting"
    if not source.inserted and not source.deleted:
        return f"no rows{netted}"
    signed = ((source.inserted, "+"), (source.deleted, "-"))
    return f"{' '.join(f'{sign}{n:,}' for n, sign in signed if n)} rows{netted}"


def _headline(told: Explanation) -> str:
    """`incremental (about 0.6 s) rather than full (about 4.0 s): reads 1 % of the bytes`."""
    other = f" rather than {_about(told, told.not_chosen)}" if told.not_chosen is not None else ""
    why = told.reason.removeprefix("cheaper: ") if other else told.reason
    return f"{_about(told, told.method)}{other}: {why}"


def _about(told: Explanation, method: Method) -> str:
    seconds = told.estimates.get(method.name, {}).get("seconds", 0)
    word = method.way.word
    return f"{word} (about {seconds_text(seconds)})" if seconds else word


def _place(told: Explanation) -> list[str]:
    """Where in the text a view that is only recomputed is not understood, and what helps."""
    helps = [f"to make it incremental: {told.instead}"] if told.instead else []
    return [*told.where.splitlines(), *helps]


def _propagated(told: Propagation) -> list[str]:
    """What each source does alone; the keys; what is left out."""
    lines = [
        line
        for name, formula in told.by_source
        for line in (f"by {name} alone:", *(f"  {part}" for part in formula))
    ]
    if told.keys:
        lines.append(f"key: {' or '.join(f'({key})' for key in told.keys)}")
    return lines + [f"left out: {said}" for said in told.left_out]


def _numbered(told: Explanation) -> list[str]:
    """The steps; a single detail stands on the step's line, several below it."""
    heads = [
        (f"{i}", step.name, step.title, step.details[0] if len(step.details) == 1 else "")
        for i, step in enumerate(told.steps, 1)
    ]
    lines = aligned(heads) if heads else []
    column = 7 + max((len(name) for _, name, *_ in heads), default=0)
    several = [step.details if len(step.details) > 1 else () for step in told.steps]
    return [
        line
        for head, details in zip(lines, several, strict=True)
        for line in (head, *(f"{' ' * column}{d}" for d in details))
    ]


def _replacing(told: Explanation) -> str:
    """`rows marked: the files of these rows have 90.0 MB`; nothing of the usual way."""
    how = told.replacing
    if how is None or how.way == "rewritten by the driver":
        return ""
    return f"{how}: {how.reason}"


def _rest(told: Explanation) -> str:
    """What else was considered; a refusal that is the reason already is only named."""
    refused = [r.way.word if told.reason in r.reason else str(r) for r in told.refusals]
    said = "; ".join(refused)
    if told.not_chosen is None:
        return f"refused: {said}" if said else ""
    cost = told.estimates[told.not_chosen.name]
    read, written = size_text(cost["bytes_read"]), size_text(cost["bytes_written"])
    other = f"{told.not_chosen.way.word}, reads {read} and writes {written}"
    return f"not chosen: {other} · refused: {said or 'none'}"


def explanation_card(told: Explanation) -> str:
    rows = (
        ("why", told.reason),
        ("kept", ", policy ".join(filter(None, (told.kept, told.policy)))),
        ("read with", told.tail),
        ("stored rows", _replacing(told)),
        ("exact at", versions_text({}, told.exact_at)),
        ("refused", "; ".join(str(r) for r in told.refusals if told.reason not in r.reason)),
        ("to make it incremental", told.instead),
        ("passes off", ", ".join(told.passes_off)),
    )
    badge = Badge(told.strategy, tone(told.way))
    return card(told.view, badge, rows, _parts(told), _lead(told))


def _lead(told: Explanation) -> str:
    """`about 0.6 s rather than 4.0 s`."""
    methods = (told.method, told.not_chosen)
    known = [told.estimates.get(m.name, {}).get("seconds") for m in methods if m is not None]
    said = " rather than ".join(seconds_text(s) for s in known if s)
    return f"about {said}" if said else ""


def _parts(told: Explanation) -> list[Markup]:
    parts = [code(told.where)] if told.where else []
    if told.sources:
        head = ("source", "versions", "changes", "commits", "")
        parts.append(table(head, [source_cells(s) for s in told.sources]))
    if told.formula:
        parts.append(code("\n".join(told.formula), "the view's changes"))
    if told.propagation != Propagation():
        parts.append(folded("by source, and keys", "\n".join(_propagated(told.propagation))))
    if told.beside:
        first, *others = self_maintenance_rows(told.beside)
        parts.append(table(first, others, "sources read besides the changes"))
    if told.derivation is not None:
        parts.append(tree(_drawn(told.derivation), "what each operator hands up"))
    if told.tree is not None:
        parts.append(tree(told.tree, "as a plan"))
    if told.steps:
        parts.append(steps(map(_step, told.steps), "steps"))
    if told.queries:
        parts.append(folded("SQL", "\n\n".join(told.queries)))
    return parts


def _step(step: ExplainedStep) -> str:
    """The step's title with its detail; reads of a plan are in its tree."""
    return f"{step.title}: {step.details[0]}" if len(step.details) == 1 else step.title
