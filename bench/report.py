"""The page docs/performance.md from the results of a run: `python -m bench.report results.json`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from bench.aims import AIMED_CHANGE, FULL, HAND, Cell, auto_share, cells, drift, growth
from bench.comparisons import comparison_lines
from bench.results import Results
from bench.svg import bars, lines
from bench.tables import SOAK, aim_rows, number

PICTURES = "pictures"
_HOW = """\
## How to read this

- A **ratio** is CPU seconds of a refresh divided by those of the full recompute of the same view
  in the same round (*of full*), or by those of what an expert writes by hand (*of hand*). The
  median over rounds is shown. Below 1 is cheaper.
- **CPU seconds** are those of the whole process tree: Python, the JVM, its compiler and its
  garbage collection. **Wall seconds** depend on how many cores are idle. Absolute numbers mean
  little on another machine; ratios are alike.
- **MB in, MB out** are bytes that all processes read and wrote by any means, shuffles too.
- **read s** are the CPU seconds of reading the whole view after the refresh: a way that makes
  refreshes cheap must not make reading dear.

The contestants: *full recompute* runs the view's query again and writes all rows. *by hand* is
plain PySpark by someone who knows the query and is handed the changed rows: changes joined,
summed with signs or found by key, the stored rows written anew. *Delta MERGE* computes the same
changes and merges them into a Delta table with deletion vectors, by Delta's own connector.
*copy on write* and *merge on read* are Everview with files written anew, or with rows marked as
deleted; *AUTO* is Everview as it comes.

## How it was obtained

`make bench` measures at scale factor 1 in under six minutes, `make bench-scale` everything at
scale factors 1 and 10. The tables are those of TPC-H. Each round changes rows of `lineitem` by one
MERGE (a third deletes, a third updates, a third inserts), then every contestant brings every view
up to date, none always first, all in one process after a warm-up. After each round the rows of
all contestants are compared; had two differed, no time would have counted.
`python -m bench.run --profile by_order` tells where the seconds of one refresh go.
"""


def page(results: Results) -> str:
    """The whole page as text."""
    found = cells(r for r in results.runs if not r.cell.startswith(SOAK))
    parts = ["# Performance", _opening(results), _aims(found), _pictures(found, results)]
    parts += [_all(found), _more(found, results), _HOW]
    return "\n\n".join(p.strip("\n") for p in parts if p) + "\n"


def _opening(results: Results) -> str:
    said = [
        "What a refresh costs beside a full recompute and beside hand-written code. This page is "
        f"made by `python -m bench.report`. Machine: {results.machine}."
    ]
    said += [f"Not available in this run: {n} ({why})." for n, why in results.unavailable.items()]
    if results.left_out:
        said.append(f"Left out for lack of time: {', '.join(results.left_out)}.")
    return "\n".join(said)


def _aims(found: list[Cell]) -> str:
    rows = list(aim_rows(found))
    if not rows:
        return ""
    head = ("SF", "view", "contestant", "of full", "aim", "of hand", "aim", "")
    return (
        "## What is aimed at, and what was measured\n\n"
        "Mixed change of 0.1 %, anywhere in the table.\n\n" + markdown(head, rows)
    )


def _pictures(found: list[Cell], results: Results) -> str:
    links = [
        f"![{title}]({PICTURES}/{name})" for name, (title, _) in pictures(found, results).items()
    ]
    return "\n\n".join(links)


def pictures(found: list[Cell], results: Results) -> dict[str, tuple[str, str]]:
    """File names to titles and pictures."""
    drawn: dict[str, tuple[str, str]] = {}
    for scale in dict.fromkeys(c.scale for c in found if c.change == AIMED_CHANGE):
        some = [c for c in found if (c.scale, c.change) == (scale, AIMED_CHANGE)]
        title = f"CPU of a refresh as a share of the full recompute, {AIMED_CHANGE}, SF {scale:g}"
        groups = {c.view: {n: r for n in c.runs if (r := c.ratio(n)) is not None} for c in some}
        drawn[f"bench-sf{scale:g}.svg"] = title, bars(title, groups)
    grown: dict[str, dict[str, float]] = {}
    for g in growth(found):
        grown.setdefault(f"{g.view}, {g.change.removeprefix('6,000 rows')[2:] or 'random'}", {})[
            g.contestant
        ] = g.ratio
    if grown:
        title = "6,000 changed rows: cost at the large scale over cost at the small one"
        drawn["bench-growth.svg"] = title, bars(title, grown)
    for view in dict.fromkeys(r.cell for r in results.runs if r.cell.startswith(SOAK)):
        runs = sorted((r for r in results.runs if r.cell == view), key=lambda r: r.number)
        names = dict.fromkeys(r.contestant for r in runs)
        series = {n: [r.cost.cpu for r in runs if r.contestant == n] for n in names}
        title = f"CPU seconds of each refresh, {view.removeprefix(SOAK)}"
        drawn[f"bench-soak-{view.removeprefix(SOAK)}.svg"] = title, lines(title, series)
    return drawn


def _all(found: list[Cell]) -> str:
    head = ("SF", "view", "change", "contestant", "actions", "CPU s", "wall s", "MB in", "MB out")
    rows = []
    for cell in found:
        for name, runs in cell.runs.items():
            last = runs[-1]
            measured = (number(cell.cpu(name)), number(cell.wall(name)))
            size = (f"{last.cost.read / 1e6:.0f}", f"{last.cost.written / 1e6:.0f}")
            ratios = (cell.ratio(name), cell.ratio(name, HAND), cell.reading(name))
            where = (f"{cell.scale:g}" if cell.scale else "", cell.view, cell.change, name)
            rows.append((*where, str(last.said.actions), *measured, *size, *map(number, ratios)))
    return "## All of it\n\n" + markdown((*head, "of full", "of hand", "read s"), rows)


def _more(found: list[Cell], results: Results) -> str:
    said = [f"- {line}." for line in (str(auto_share(found)), *comparison_lines(found)) if line]
    said += [
        f"- {g.change}, {g.view}, {g.contestant}: scale factor {g.large:g} costs {g.ratio:.2f} "
        f"times scale factor {g.small:g}."
        for g in growth(found)
        if g.contestant != FULL
    ]
    for cell in dict.fromkeys(r.cell for r in results.runs if r.cell.startswith(SOAK)):
        for name in dict.fromkeys(r.contestant for r in results.runs if r.cell == cell):
            runs = [r for r in results.runs if (r.cell, r.contestant) == (cell, name)]
            found_drift = drift(runs)
            if found_drift is not None:
                said.append(
                    f"- {found_drift.refreshes} refreshes in a row of {cell.removeprefix(SOAK)}, "
                    f"{name}: the last 20 cost {found_drift.ratio:.2f} times the first 20; reading "
                    f"{number(found_drift.last_reading)} s, at first "
                    f"{number(found_drift.first_reading)} s."
                )
    return "## What follows\n\n" + "\n".join(said) if said else ""


def markdown(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table of Markdown."""
    all_rows = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in all_rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="what `python -m bench.run --json` wrote")
    parser.add_argument("--page", type=Path, default=Path("docs/performance.md"))
    options = parser.parse_args()
    results = Results.read(options.results)
    found = cells(r for r in results.runs if not r.cell.startswith(SOAK))
    folder = options.page.parent / PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    for name, (_, picture) in pictures(found, results).items():
        (folder / name).write_text(picture)
    options.page.write_text(page(results))
    print(f"written: {options.page}")


if __name__ == "__main__":
    main()
