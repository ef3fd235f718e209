"""How fresh a view is, and what a refresh would do: values for people and programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from everview.facts.wording import size_text
from everview.facts.refreshes import RefreshFacts, SourceFacts
from everview.facts.tables import Changes
from everview.plan.shape import FullOnly, Keyed, Shape
from everview.plan.strategies import Choice
from everview.program.steps import Append, Overwrite, Program, Stage
from everview.sql.write import write


@dataclass(frozen=True, slots=True)
class Status:
    """One line about a view: how fresh, how far behind, how it was refreshed last."""

    view: str
    policy: str
    comment: str
    exact_at: Mapping[str, int]
    behind: Mapping[str, int]  # source -> versions not yet seen
    rows: int | None
    kept: str  # how it is maintained, or why only in full
    last_refresh: Mapping[str, Any] | None
    readable_by_others: bool = True

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        at = ", ".join(f"{n} v{v}" for n, v in self.exact_at.items())
        late = ", ".join(
            f"{n} +{v} version{'' if v == 1 else 's'}" for n, v in self.behind.items() if v
        )
        last = ""
        if self.last_refresh:
            seconds = sum(self.last_refresh["seconds"].values())
            last = f"  last: {self.last_refresh['strategy']} {seconds:.1f} s"
        rows = "?" if self.rows is None else f"{self.rows:,}"
        head = (
            f"{self.view}  {self.policy}  {rows} rows  exact at {at}  behind: {late or '-'}{last}"
        )
        said = f"\n  {self.comment}" if self.comment else ""
        return f"{head}\n  {self.kept}{said}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the next refresh would do and why, read from the steps it would run."""

    view: str
    text: str
    strategy: str
    reason: str
    steps: tuple[str, ...]
    queries: tuple[str, ...]
    estimates: Mapping[str, Any]
    refusals: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        return self.text


def how_kept(shape: Shape) -> str:
    match shape:
        case FullOnly(reason, place, _):
            where = f" at line {place.line}, column {place.column}" if place else ""
            return f"recomputed in full: {reason}{where}"
        case Keyed(view, _):
            keys = ", ".join(k.name for k in view.keys) or "one row"
            redone = f"; touched groups are recomputed: {view.reasons[0]}" if view.reasons else ""
            return f"incremental, keyed by {keys}{redone}"
        case _:
            return "incremental, as a bag of rows"


def explanation(facts: RefreshFacts, shape: Shape, choice: Choice, steps: Program) -> Explanation:
    """The explanation of the same steps that a refresh would carry out."""
    lines = [f"{facts.view} · policy {facts.policy} · {how_kept(shape)}"]
    lines += [f"  {_source_line(s)}" for s in facts.sources]
    lines += ["", f"{choice.strategy.name}: {choice.reason}"]
    titles = tuple(f"{s.name}: {s.title}" for s in steps)
    lines += [f"  {i}  {t}" for i, t in enumerate(titles, 1)]
    if choice.runner_up is not None:
        cost = choice.runner_up.cost
        lines.append(f"not chosen: {choice.runner_up.name}, about {cost.seconds:.1f} s")
    refused = tuple(f"{r.way}: {r.reason}" for r in choice.refusals)
    lines += [f"refused: {r}" for r in refused]
    place = getattr(shape, "place", None)
    if place is not None:
        lines += [f"  {line}" for line in str(place).splitlines()]
    queries = _queries(shape, steps)
    for query in queries:
        lines += ["", *query.splitlines()]
    return Explanation(
        facts.view,
        "\n".join(lines),
        choice.strategy.name,
        choice.reason,
        titles,
        queries,
        choice.estimates(),
        refused,
    )


def rebuild_explanation(view: str, reason: str) -> Explanation:
    """The explanation where the stored rows cannot be built on."""
    said = f"built anew: {reason}"
    steps = ("write: recompute everything into a new folder", "commit: publish it under the name")
    text = "\n".join([view, "", f"full: {said}", *(f"  {i}  {s}" for i, s in enumerate(steps, 1))])
    return Explanation(view, text, "full", said, steps, (), {}, ())


def _source_line(source: SourceFacts) -> str:
    if source.old == source.new:
        return f"{source.name} v{source.new}: unchanged"
    moved = f"{source.name} v{source.old} -> v{source.new}"
    if not isinstance(source.changes, Changes):
        return f"{moved}: {source.changes.reason}"
    rows = "?" if source.changes.rows is None else f"{source.changes.rows:,}"
    ways = ", ".join(f"{n} by {way}" for way, n in source.changes.ways)
    return f"{moved}: {rows} changed rows, {size_text(source.changes.bytes)} ({ways})"


def _queries(shape: Shape, steps: Program) -> tuple[str, ...]:
    """The SQL of the steps that read sources."""
    types = dict(shape.view.types) if isinstance(shape, Keyed) else getattr(shape, "types", {})
    found = []
    for step in steps:
        match step:
            case Stage(changes=rel) | Append(changes=rel):
                found.append(f"-- {step.name}\n{write(rel, types).shown()}")
            case Overwrite(rel=rel) if rel is not None:
                found.append(f"-- {step.name}\n{write(rel, types).shown()}")
            case _:
                pass
    return tuple(found)
