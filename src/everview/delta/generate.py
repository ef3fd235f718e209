"""The delta rule of Generate and Unpivot, which make rows of each row by itself."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.relations import Generate, Rel, Unpivot


def delta_generate(rel: Generate | Unpivot, changes: Rel | None) -> Rel | None:
    """Δ(μ A)  =  μ ΔA"""
    return None if changes is None else replace(rel, input=changes)
