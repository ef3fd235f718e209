"""Notebook cards as HTML: a title, a badge, facts, and parts such as tables and plan trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, Protocol

from everview.cards.style import STYLE

Tone = Literal["good", "slow", "bad", "idle"]


class Markup(str):
    """HTML that is safe to stand as it is; every other text is escaped."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Badge:
    """The one word on how things stand, and its colour."""

    text: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Bar:
    """A number as a length: `share` of the longest one, between 0 and 1."""

    name: str
    value: str
    share: float
    tone: Tone


class Tree(Protocol):
    """What a plan tree is drawn from."""

    @property
    def label(self) -> str: ...

    @property
    def children(self) -> Sequence[Tree]: ...


def card(
    title: str,
    badge: Badge | None,
    rows: Iterable[tuple[str, str]],
    parts: Iterable[Markup] = (),
    lead: str = "",
) -> str:
    """A card: what it is about, how it stands, one row per fact, then its parts.

    A row whose value is empty is left out. `lead` is the number a person wants first.
    """
    head = f'<strong class="ev-title">{_html(title)}</strong>'
    if badge is not None:
        head += f' <span class="ev-badge ev-{badge.tone}">{_html(badge.text)}</span>'
    if lead:
        head += f' <span class="ev-lead">{_html(lead)}</span>'
    facts = "".join(
        f'<tr><th scope="row">{_html(name)}</th><td>{_html(value)}</td></tr>'
        for name, value in rows
        if value
    )
    body = f'<table class="ev-facts"><tbody>{facts}</tbody></table>' if facts else ""
    return (
        f'<div class="ev-card"><style>{STYLE}</style><div class="ev-head">{head}</div>'
        f"{body}{''.join(parts)}</div>"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> Markup:
    """Rows below a line of column names."""
    titles = "".join(f'<th scope="col">{_html(cell)}</th>' for cell in head)
    body = "".join(f"<tr>{''.join(f'<td>{_html(c)}</td>' for c in row)}</tr>" for row in rows)
    said = f"<caption>{_html(caption)}</caption>" if caption else ""
    return Markup(
        f'<table class="ev-table">{said}<thead><tr>{titles}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def tree(root: Tree, name: str = "") -> Markup:
    """A plan as nested lists, the root first; changes stand out."""
    return _part(f'<div class="ev-tree"><ul>{_branch(root)}</ul></div>', name)


def _branch(node: Tree) -> str:
    label, _, note = node.label.partition("  ")
    shown = _html(label)
    if label.startswith("Δ"):
        shown = f'<span class="ev-delta">{shown}</span>'
    if note:
        shown += f' <span class="ev-note">{_html(note)}</span>'
    below = "".join(map(_branch, node.children))
    return f"<li>{shown}{f'<ul>{below}</ul>' if below else ''}</li>"


def steps(lines: Iterable[str], name: str = "") -> Markup:
    """What is done, in order."""
    return _part(f"<ol>{''.join(f'<li>{_html(line)}</li>' for line in lines)}</ol>", name)


def code(text: str, name: str = "") -> Markup:
    """Text as it stands: a formula, a query, a place in one."""
    return _part(f'<pre class="ev-box">{_html(text)}</pre>', name)


def folded(summary: str, text: str) -> Markup:
    """Text that opens at a click."""
    shown = f'<pre class="ev-box">{_html(text)}</pre>'
    return Markup(f"<details><summary>{_html(summary)}</summary>{shown}</details>")


def bars(items: Iterable[Bar]) -> Markup:
    """Numbers to compare, as lengths."""
    lines = "".join(
        f'<tr><th scope="row">{_html(b.name)}</th><td>{_html(b.value)}</td>'
        f'<td><span class="ev-bar ev-{b.tone}" style="width:{_percent(b.share)}"></span></td></tr>'
        for b in items
    )
    return Markup(f'<table class="ev-bars"><tbody>{lines}</tbody></table>')


def _percent(share: float) -> str:
    return f"{100 * min(1.0, max(0.0, share)):.1f}%"


def _part(body: str, name: str) -> Markup:
    title = f'<div class="ev-name">{_html(name)}</div>' if name else ""
    return Markup(f'<div class="ev-part">{title}{body}</div>')


def _html(text: str) -> str:
    return text if isinstance(text, Markup) else escape(text)
