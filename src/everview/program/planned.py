"""A refresh as it is planned: what is known, what the view is, what was chosen, and the steps."""

from __future__ import annotations

from dataclasses import dataclass

from everview.choose.strategies import Choice
from everview.facts.refreshes import RefreshFacts
from everview.program.program import program
from everview.program.programs import Program
from everview.shape.shape import Shape


@dataclass(frozen=True, slots=True)
class Planned:
    """One refresh before its first step; running and explaining read the same value."""

    facts: RefreshFacts
    shape: Shape
    choice: Choice
    program: Program


def with_steps(facts: RefreshFacts, shape: Shape, choice: Choice) -> Planned:
    """The refresh with the steps that carry out what was chosen."""
    return Planned(facts, shape, choice, program(choice, shape))
