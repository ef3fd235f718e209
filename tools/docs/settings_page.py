"""docs/settings.md: the fields of Settings."""

from __future__ import annotations

from dataclasses import fields

from everview.settings import PREFIX, Settings


def settings_page(introduction: str) -> str:
    """A row per setting."""
    head = "| setting | variable | default | meaning |\n|---|---|---|---|"
    rows = [
        f"| `{f.name}` | `{PREFIX}{f.name.upper()}` | {_default(f.default)} | {f.metadata['doc']} |"
        for f in fields(Settings)
    ]
    return "\n".join([introduction, "", head, *rows])


def _default(value: object) -> str:
    if value == ():
        return "none"
    return f"{value:,}" if isinstance(value, int) else f"`{value}`"
