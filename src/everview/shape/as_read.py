"""The definition that a shape is of, as it was read."""

from __future__ import annotations

from dataclasses import dataclass

from everview.algebra.relations import Rel
from everview.algebra.scalars import Types


@dataclass(frozen=True, slots=True)
class AsRead:
    """The definition before anything was rewritten by the types of its columns; explanations of it
    are made from this, never a refresh.
    """

    rel: Rel
    types: Types
