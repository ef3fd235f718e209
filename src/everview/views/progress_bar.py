"""A bar in notebooks while views are refreshed; elsewhere nothing is shown."""

from __future__ import annotations

import sys
from typing import Any

from everview.cards.card import Badge, Bar, bars, card
from everview.facts.progress import Progress, Watcher
from everview.facts.wording import counted


def notebook_bar() -> Watcher | None:
    """What shows a bar below the cell that runs; None where no notebook is."""
    ipython = sys.modules.get("IPython")  # whoever runs in a notebook has imported it
    shell = ipython.get_ipython() if ipython is not None else None
    if type(shell).__name__ != "ZMQInteractiveShell":
        return None
    return _NotebookBar()


class _NotebookBar:
    """Shows the progress in one place, and takes it away at the end."""

    def __init__(self) -> None:
        self._shown: Any = None

    def __call__(self, progress: Progress) -> None:
        from IPython.display import HTML, display  # type: ignore[import-not-found,unused-ignore]

        html = HTML("" if progress.done == progress.total else bar_html(progress))
        if self._shown is None:
            self._shown = display(html, display_id=True)
        else:
            self._shown.update(html)


def bar_html(progress: Progress) -> str:
    """`3 of 12 views`, the step that runs, and a bar."""
    done, total = progress.done, progress.total
    length = Bar(f"{done:,} of {counted(total, 'view')}", "", done / max(1, total), "good")
    title = f"{progress.view}: {progress.step}"
    return card(title, Badge("refreshing", "idle"), (), (bars((length,)),))
