"""docs/errors.md: the classes of errors.py."""

from __future__ import annotations

import inspect

from everview import errors
from everview.errors import EverviewError

GROUPS = {
    "1": "Names, arguments and the warehouse",
    "2": "The text of a definition or query",
    "3": "Rows and types",
    "4": "The lake",
    "5": "Refresh",
    "6": "The machine",
    "9": "What nobody foresaw",
}


def kinds() -> list[type[EverviewError]]:
    """The errors by code."""
    found = [k for _, k in inspect.getmembers(errors, inspect.isclass) if k.__module__ == _HOME]
    raised = [k for k in found if issubclass(k, EverviewError) and k is not EverviewError]
    return sorted(raised, key=lambda k: k.code)


_HOME = errors.__name__


def errors_page(introduction: str) -> str:
    """A section per group of codes, an entry per error."""
    parts = [introduction]
    group = ""
    for kind in kinds():
        first = kind.code.removeprefix("EV-")[0]
        if first != group:
            group = first
            parts.append(f"## EV-{first}xxx: {GROUPS[first]}")
        parts.append(_entry(kind))
    return "\n\n".join(parts)


def _entry(kind: type[EverviewError]) -> str:
    when = " ".join(inspect.cleandoc(kind.__doc__ or "").split())
    return f"### {kind.code}\n\n**{kind.title}** (`{kind.__name__}`). {when}"


def linked(text: str) -> str:
    """The text with the names of errors as links to their entries."""
    for kind in kinds():
        link = f"[{kind.__name__}](errors.md#{kind.code.lower()})"
        words = [link if w.strip(".,;:()") == kind.__name__ else w for w in text.split(" ")]
        text = " ".join(words)
    return text
