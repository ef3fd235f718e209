"""What the next refresh would do and why: a value read from the steps that it would run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from everview.algebra.notation.plans import Node, formula, plan_tree
from everview.algebra.relations import Changes, Rel, Scan
from everview.choose.changes import context_of
from everview.choose.self_maintenance import self_maintenance
from everview.choose.strategies import Incremental, Refusal, Strategy
from everview.facts.files import Sign
from everview.facts.merge_on_read import Replacing
from everview.facts.methods import Method, Variant, Way
from everview.facts.refreshes import RefreshFacts, SourceFacts
from everview.facts.self_maintenance import SelfMaintenance
from everview.facts.tables import Lost
from everview.optimize.parts import Part
from everview.optimize.passes import When, improved
from everview.program.planned import Planned
from everview.program.steps import (
    Append,
    FindKeys,
    Keep,
    Overwrite,
    Recompute,
    StageGroups,
    StageRows,
    Step,
)
from everview.run.driver.way import way_to_replace
from everview.shape.advice import advice
from everview.shape.column_types import column_types
from everview.shape.derivation import derivation
from everview.shape.derived import Derived
from everview.shape.shape import FullOnly, Shape
from everview.sql.write.door import write
from everview.views.explanation_screen import explanation_on_a_screen
from everview.views.explanation_text import explanation_card, explanation_text
from everview.views.kept import stored_as
from everview.views.propagation import Propagation, propagation
from everview.views.reads import leaf_read, step_details, touched_bytes, with_view_named


@dataclass(frozen=True, slots=True)
class SourceMove:
    """How one source moved since the view was exact; a number is None if the log does not say.

    `ways` counts the commits per way of reading their changes; `lost` says why they cannot be
    read. `netted_from` is how many rows there were before those that cancel were left out.
    """

    name: str
    old: int | None
    new: int
    inserted: int | None = None
    deleted: int | None = None
    bytes: int = 0
    ways: tuple[tuple[str, int], ...] = ()
    lost: str = ""
    netted_from: int | None = None


@dataclass(frozen=True, slots=True)
class PassTime:
    """One improvement of the plan: whether it made another plan of it, and the seconds it took."""

    name: str
    changed: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class ExplainedStep:
    """A step of a refresh: its name, what it does, and lines on what it reads or writes."""

    name: str
    title: str
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.title}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the next refresh would do and why, read from the steps it would run.

    `method` says how, as values; `strategy` is its text. `tree` and `formula` are the plan of the
    view's changes, `propagation` what each source does to it alone, and the keys found. Of a view
    that is only recomputed in full, `where` shows the place in its text and `instead` what would
    make it incremental. `tail` is applied when the view is read. `passes` are the improvements
    that the plan went through, `passes_off` those that a setting leaves out. `replacing` says how
    stored rows would be replaced if the changes touch as much as they may. `beside` says for each
    source and kind of change which sources are read besides that change, and `derivation` of each
    operator of the definition what it hands up, by which rule. Printed it fits a
    screen, unless it was asked for in `full`; `text` has all of it.
    """

    view: str
    method: Method
    reason: str
    steps: tuple[ExplainedStep, ...]
    queries: tuple[str, ...] = ()
    estimates: Mapping[str, Any] = field(default_factory=dict)
    refusals: tuple[Refusal, ...] = ()
    policy: str = ""
    kept: str = ""
    exact_at: Mapping[str, int] = field(default_factory=dict)
    sources: tuple[SourceMove, ...] = ()
    formula: tuple[str, ...] = ()
    tree: Node | None = None
    not_chosen: Method | None = None
    where: str = ""
    instead: str = ""
    tail: str = ""
    propagation: Propagation = field(default_factory=Propagation)
    passes: tuple[PassTime, ...] = field(default=(), compare=False)
    passes_off: tuple[str, ...] = ()
    replacing: Replacing | None = None
    beside: SelfMaintenance = ()
    derivation: Derived | None = None
    full: bool = False

    @property
    def way(self) -> Way:
        """Whether the view would be recomputed, changed by what changed, or left as it is."""
        return self.method.way

    @property
    def variant(self) -> Variant | None:
        """What an incremental refresh would apply; None of another one."""
        return self.method.variant

    @property
    def strategy(self) -> str:
        """`incremental: groups`, `full`, `skipped`."""
        return self.method.name

    @property
    def text(self) -> str:
        """All of it for a person to read; the SQL comes last."""
        return explanation_text(self)

    def to_dict(self) -> dict[str, Any]:
        plain = asdict(self)
        del plain["method"]
        return {
            **plain,
            **self.method.to_dict(),
            "strategy": self.strategy,
            "steps": [str(step) for step in self.steps],
            "details": [step.details for step in self.steps],
            "refusals": [str(refusal) for refusal in self.refusals],
            "not_chosen": self.not_chosen.name if self.not_chosen is not None else "",
            "text": self.text,
        }

    def __str__(self) -> str:
        return self.text if self.full else explanation_on_a_screen(self)

    def _repr_html_(self) -> str:
        return explanation_card(self)


def explanation(planned: Planned) -> Explanation:
    """The explanation of the same steps that a refresh would carry out."""
    facts, shape, choice = planned.facts, planned.shape, planned.choice
    steps, strategy = planned.program.steps, choice.strategy
    refused = shape if isinstance(shape, FullOnly) else None
    changes = (
        with_view_named(facts, strategy.changes) if isinstance(strategy, Incremental) else None
    )
    return Explanation(
        view=facts.view,
        method=strategy.method,
        reason=choice.reason,
        steps=tuple(ExplainedStep(s.name, s.title, step_details(facts, s)) for s in steps),
        queries=_queries(facts, shape, steps),
        estimates=choice.estimates(),
        refusals=choice.refusals,
        policy=facts.policy,
        kept=stored_as(shape),
        exact_at=dict(facts.stored.watermark),
        sources=tuple(map(_moved, facts.sources)),
        formula=formula(facts.view, changes) if changes is not None else (),
        tree=_tree(facts, changes) if changes is not None else None,
        not_chosen=choice.runner_up.method if choice.runner_up is not None else None,
        where=str(refused.place) if refused and refused.place else "",
        instead=advice(refused.kind) if refused else "",
        tail=str(shape.layout.tail or ""),
        propagation=(
            propagation(facts, shape, strategy)
            if isinstance(strategy, Incremental)
            else Propagation()
        ),
        passes=_passes(strategy),
        passes_off=tuple(sorted(facts.passes_off)),
        replacing=_replacing(facts, strategy),
        beside=self_maintenance(shape, {s.name: s.at_new.rows for s in facts.sources}),
        derivation=derivation(shape),
    )


def _replacing(facts: RefreshFacts, strategy: Strategy) -> Replacing | None:
    variant = strategy.method.variant
    if variant is None or variant is Variant.APPEND:
        return None
    return way_to_replace(touched_bytes(facts), facts.marking, lambda: "")


def _passes(strategy: Strategy) -> tuple[PassTime, ...]:
    ran = strategy.ran if isinstance(strategy, Incremental) else ()
    return tuple(PassTime(one.name, one.changed, one.seconds) for one in ran)


def rebuild_explanation(view: str, reason: str) -> Explanation:
    """The explanation where the stored rows cannot be built on."""
    steps = (
        ExplainedStep("write", "recompute everything"),
        ExplainedStep("commit", "publish the rows with the definition as the next version"),
    )
    return Explanation(view, Method(Way.FULL), f"built anew: {reason}", steps)


def _moved(source: SourceFacts) -> SourceMove:
    changes = source.changes
    if isinstance(changes, Lost):
        return SourceMove(source.name, source.old, source.new, lost=changes.reason)
    rows: dict[Sign, int | None] = {Sign.PLUS: 0, Sign.MINUS: 0}
    for file in changes.files:
        before, more = rows.get(file.sign), file.file.rows
        rows[file.sign] = None if before is None or more is None else before + more
    unsigned = Sign.FEED in rows
    gross = source.gross
    return SourceMove(
        source.name,
        source.old,
        source.new,
        None if unsigned else rows[Sign.PLUS],
        None if unsigned else rows[Sign.MINUS],
        changes.bytes if gross is None else gross.bytes,
        changes.ways,
        netted_from=None if gross is None else gross.rows,
    )


def _tree(facts: RefreshFacts, changes: Rel) -> Node:
    def note(leaf: Rel) -> str:
        return leaf_read(facts, leaf)[1] if isinstance(leaf, Scan | Changes) else ""

    return plan_tree(changes, note)


def _queries(facts: RefreshFacts, shape: Shape, steps: tuple[Step, ...]) -> tuple[str, ...]:
    """The SQL of the steps that read sources, as far as it is known before rows are at hand."""
    context = context_of(facts)

    def text(rel: Rel) -> str:
        rel = improved(When.QUERY, rel, context).plan
        types = column_types(shape, facts.stored.record, rel)
        return write(with_view_named(facts, rel), types).shown()

    found = []
    for step in steps:
        match step:
            case (
                Keep(part=Part(rel=rel))
                | StageRows(changes=rel)
                | StageGroups(changes=rel)
                | Append(changes=rel)
                | FindKeys(changes=rel)
            ):
                found.append(f"-- {step.name}\n{text(rel)}")
            case Recompute(apply):
                found.append(f"-- {step.name}\n{text(apply.recomputed())}")
            case Overwrite(rel=rel) if rel is not None:
                found.append(f"-- {step.name}\n{text(rel)}")
            case _:
                pass
    return tuple(found)
