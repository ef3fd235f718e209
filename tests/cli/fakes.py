"""A warehouse without Spark that says what it is told to, and runs of the command line on it."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import pytest
from rich.console import Console

from everview import Explanation, Receipt, Status, Verification
from everview.cli.parser import parse
from everview.cli.progress import ProgressHandler
from everview.cli.screen import Screen
from everview.errors import UnknownName
from everview.facts.asked_strategy import STRATEGIES
from everview.facts.methods import Method, Way

Captured = pytest.CaptureFixture[str]
RECEIPT = Receipt(
    view="city_sales",
    method=Method(Way.INCREMENTAL),
    reason="reads 1 % of the bytes",
    watermark_before={"sales": 1},
    watermark_after={"sales": 2},
    rows_updated=31,
    seconds={"write": 0.5},
)
VERIFIED = Verification("city_sales", "exact", 200, 0, 0, (), (), {"sales": 2})
WRONG = Verification("big_baskets", "wrong", 200, 1, 2, ("n=1",), ("n=2",), {"sales": 2})
STATUS = Status(
    view="city_sales",
    policy="AUTO",
    comment="",
    exact_at={"sales": 2, "stores": 0},
    behind={"sales": 1, "stores": 0},
    rows=200,
    kept="incremental, keyed by city",
    last_refresh=None,
)
EXPLANATION = Explanation(
    view="city_sales", method=Method(Way.FULL), reason="why", steps=(), queries=("SELECT 1",)
)


@dataclass
class FakeHandle:
    name: str
    verification: Verification | Exception = VERIFIED
    lines: list[dict[str, Any]] = field(default_factory=list)

    def verify(self) -> Verification:
        if isinstance(self.verification, Exception):
            raise self.verification
        return self.verification

    def explain(self, strategy: str) -> Explanation:
        assert strategy in STRATEGIES
        return EXPLANATION

    def status(self) -> Status:
        return STATUS

    def history(self) -> list[dict[str, Any]]:
        return self.lines


@dataclass
class FakeFrame:
    """As much of a DataFrame as the command line uses."""

    columns: list[str]
    rows: list[tuple[Any, ...]]

    def limit(self, most: int) -> FakeFrame:
        return FakeFrame(self.columns, self.rows[:most])

    def collect(self) -> list[tuple[Any, ...]]:
        return self.rows

    def toLocalIterator(self) -> Any:  # noqa: N802
        return iter(self.rows)


@dataclass
class FakeWarehouse:
    handles: dict[str, FakeHandle]
    tables_: dict[str, FakeHandle] = field(default_factory=dict)
    frame: FakeFrame | None = None
    asked: list[Any] = field(default_factory=list)
    raised: BaseException | None = None
    statuses: list[Status] = field(default_factory=lambda: [STATUS])

    def views(self) -> list[str]:
        return list(self.handles)

    def view(self, name: str) -> FakeHandle:
        if name not in self.handles:
            raise UnknownName(f"There is no view `{name}`.", remedy="Known names: none.")
        return self.handles[name]

    def table(self, name: str) -> FakeHandle:
        return self.tables_[name]

    def status(self, *names: str) -> list[Status]:
        return [self.view(n).status() for n in names] if names else self.statuses

    def refresh(
        self, *names: str, full: bool = False, retry: int = 0, strategy: str
    ) -> list[Receipt]:
        more = (*([retry] if retry else []), *([] if strategy == "auto" else [strategy]))
        self.asked.append((names, full, *more))
        if self.raised is not None:
            raise self.raised
        return [RECEIPT]

    def run_script(self, text: str) -> FakeFrame | None:
        self.asked.append(text)
        return self.frame

    def __enter__(self) -> FakeWarehouse:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def shop() -> FakeWarehouse:
    return FakeWarehouse(
        {"city_sales": FakeHandle("city_sales"), "big_baskets": FakeHandle("big_baskets", WRONG)}
    )


@dataclass
class Shown:
    """A screen of one width and what was printed to it."""

    screen: Screen
    out: io.StringIO
    err: io.StringIO


def screen(*words: str, terminal: bool = True, width: int = 80) -> Shown:
    """The screen of a command line, as a terminal of that width or as a pipe."""
    arguments = parse(list(words) or ["status"])
    out, err = io.StringIO(), io.StringIO()
    consoles = [
        Console(
            file=file,
            width=width,
            force_terminal=terminal,
            markup=False,
            emoji=False,
            highlight=False,
        )
        for file in (out, err)
    ]
    flags = arguments.json, arguments.verbose, arguments.quiet
    progress = ProgressHandler(consoles[1], verbose=flags[1], quiet=True)
    return Shown(Screen(*consoles, progress, *flags), out, err)
