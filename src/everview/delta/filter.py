"""The delta rule of Filter."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.relations import Filter, Rel


def delta_filter(filter_: Filter, changes: Rel | None) -> Rel | None:
    """Δ(σ A)  =  σ ΔA"""
    return None if changes is None else replace(filter_, input=changes)
