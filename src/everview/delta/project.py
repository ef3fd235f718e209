"""The delta rule of Project."""

from __future__ import annotations

from dataclasses import replace

from everview.algebra.relations import Project, Rel


def delta_project(project: Project, changes: Rel | None) -> Rel | None:
    """Δ(Π A)  =  Π ΔA"""
    return None if changes is None else replace(project, input=changes)
