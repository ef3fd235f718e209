"""Results survive on disk, go on where they were, and become a page with pictures."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from bench.aims import FULL, HAND, MARKING, REWRITING, cells
from bench.measure import Cost, Run, Said
from bench.report import page, pictures
from bench.results import Results


def runs() -> list[Run]:
    said = Said(2, "incremental: groups", {"write": 1.5})
    found = []
    for scale in (1.0, 10.0):
        for change in ("mixed 0.1 %", "6,000 rows", "6,000 rows, clustered"):
            for name, cpu in ((FULL, 10.0), (HAND, 4.0), (REWRITING, 2.0 * scale)):
                cost = Cost(cpu, cpu / 2, 10_000_000, 5_000_000)
                found.append(Run(scale, "by_order", change, name, cost, said, Cost(0.5, 0.2)))
    soaked = [
        Run(1.0, "soak: lines", "500 rows", REWRITING, Cost(1.0 + n / 40, 1.0), number=n)
        for n in range(40)
    ]
    return found + soaked


def test_runs_come_back_from_the_file_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "results.json"
    results = Results.opened(path, resume=False)
    results.unavailable = {MARKING: "no property"}
    results.add(runs())
    again = Results.read(path)
    assert (again.runs, again.unavailable) == (runs(), {MARKING: "no property"})
    assert again.machine


def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    Results.opened(path, resume=False).add(runs())
    resumed = Results.opened(path, resume=True)
    assert resumed.rounds(1.0, "by_order", "mixed 0.1 %") == 1
    assert resumed.rounds(1.0, "lines", "mixed 0.1 %") == 0
    assert resumed.has(10.0, "by_order")
    assert not resumed.has(10.0, "statement")
    assert Results.opened(path, resume=False).runs == []


def test_the_page_shows_aims_beside_measured_numbers() -> None:
    text = page(Results(None, runs(), {MARKING: "no property"}, machine="2 cores"))
    assert "| 1 | by_order | everview, copy on write | 0.20 | 0.25 | 0.50 | 1.00 | met |" in text
    assert (
        "| 10 | by_order | everview, copy on write | 2.00 | 0.08 | 5.00 | 1.00 | not met |" in text
    )
    assert "Not available in this run: everview, merge on read (no property)." in text
    assert "scale factor 10 costs 10.00 times scale factor 1" in text
    assert "40 refreshes in a row of lines" in text


def test_every_picture_that_the_page_shows_is_drawn_and_is_xml() -> None:
    results = Results(None, runs())
    found = cells(r for r in runs() if not r.cell.startswith("soak"))
    drawn = pictures(found, results)
    assert set(drawn) == {
        "bench-sf1.svg",
        "bench-sf10.svg",
        "bench-growth.svg",
        "bench-soak-lines.svg",
    }
    text = page(results)
    for name, (title, picture) in drawn.items():
        assert f"![{title}](pictures/{name})" in text
        assert ElementTree.fromstring(picture).tag.endswith("svg")
