"""Texts of statements of every kind, and the fields of what they mean."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from tests.pairs import pairs

PAIRS = pairs(Path(__file__).parent / "statements.txt")
TEXTS = [pair.values[0] for pair in PAIRS]  # type: ignore[attr-defined]


def fields(value: object) -> list[tuple[str, object]]:
    assert dataclasses.is_dataclass(value)
    found = [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value)]
    return [(name, value) for name, value in found if value not in (None, False, ())]
