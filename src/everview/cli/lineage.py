"""Which views stand on which tables, as a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from everview import Status

UP_TO_DATE = "up to date"


@dataclass(frozen=True, slots=True)
class Branch:
    """A table or view and the views that read it."""

    name: str
    note: str
    above: tuple[Branch, ...] = ()


def lineage(statuses: Sequence[Status]) -> tuple[Branch, ...]:
    """A branch per table, in the order they are met; a view stands on each of its sources."""
    views = {s.view.lower() for s in statuses}
    sources = [n for s in statuses for n in s.exact_at]
    tables = dict.fromkeys(n for n in sources if n.lower() not in views)
    return tuple(Branch(t, "", _above(t, statuses)) for t in tables)


def _above(name: str, statuses: Sequence[Status]) -> tuple[Branch, ...]:
    found = [s for s in statuses if name.lower() in {n.lower() for n in s.exact_at}]
    return tuple(Branch(s.view, _note(s, name), _above(s.view, statuses)) for s in found)


def _note(status: Status, source: str) -> str:
    if status.error:
        return f"error {status.error['code']}"
    late = next((n for s, n in status.behind.items() if s.lower() == source.lower()), 0)
    if status.next_full:
        return f"next refresh in full: {status.next_full}"
    said = f"{late:,} commit{'' if late == 1 else 's'} behind" if late else ""
    return said or ("depends on the clock" if status.clock else UP_TO_DATE)


def shown_lineage(branches: Sequence[Branch], *, plain: bool) -> RenderableType:
    """The tree with its lines, or by indentation where no terminal shows them."""
    if plain:
        return Text("\n".join(line for b in branches for line in _lines(b, 0)))
    return Group(*(_tree(b) for b in branches))


def _lines(branch: Branch, depth: int) -> list[str]:
    own = "  " * depth + "  ".join(filter(None, (branch.name, branch.note)))
    return [own, *(line for b in branch.above for line in _lines(b, depth + 1))]


def _tree(branch: Branch) -> Tree:
    text = Text(branch.name, "" if branch.note else "bold")
    if branch.note:
        text.append(f"  {branch.note}", "green" if branch.note == UP_TO_DATE else "yellow")
    tree = Tree(text, guide_style="dim")
    tree.children = [_tree(b) for b in branch.above]
    return tree
