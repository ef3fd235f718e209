"""From the text of a query to its plan, asking Spark what the text alone does not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from everview.algebra.relations import Rel
from everview.facts.schema import Schema
from everview.run.engine import Engine
from everview.sql.bind import NotLowered, bind
from everview.sql.parse import Parsed


@dataclass(frozen=True, slots=True)
class Lowered:
    """A query understood exactly."""

    rel: Rel


def lower(
    engine: Engine, parsed: Parsed, sources: Mapping[str, Schema], *, case_sensitive: bool = False
) -> Lowered | NotLowered:
    """The plan of a query over sources given by lower-case name; call inside `engine.settings`."""
    rel = bind(parsed, sources, case_sensitive=case_sensitive)
    return rel if isinstance(rel, NotLowered) else Lowered(rel)
