"""The names that Spark proposes where it does not know one, without those of our own."""

from __future__ import annotations

import re

from everview.facts.views import RESERVED_PREFIX


def without_hidden(said: str, proposal: str) -> str:
    """The message without the hidden columns among the names that it proposes."""
    if not proposal or proposal not in said:
        return said
    names = [found.group() for found in _NAME.finditer(proposal)]
    kept = [n for n in names if not any(p.startswith(_HIDDEN) for p in _PART.findall(n))]
    if len(kept) == len(names):
        return said
    if kept:
        return said.replace(proposal, ", ".join(kept))
    return said.replace(f" Did you mean one of the following? [{proposal}].", "")


_HIDDEN = f"`{RESERVED_PREFIX}"
_PART = re.compile(r"`(?:[^`]|``)*`")
_NAME = re.compile(rf"{_PART.pattern}(?:\.{_PART.pattern})*")
