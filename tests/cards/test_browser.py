"""The cards in a real browser, where one is installed."""

from __future__ import annotations

import subprocess
import zlib
from pathlib import Path

import pytest

from tools.cards import browser, page, screenshot

pytestmark = pytest.mark.skipif(browser() is None, reason="no Chromium on the path to draw with")


def pixels(png: bytes) -> set[bytes]:
    """The distinct bytes of a PNG's filtered lines: a blank picture has a handful at most."""
    at, data = 8, b""
    while at < len(png):
        size = int.from_bytes(png[at : at + 4], "big")
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + size]
        at += size + 12
    raw = zlib.decompress(data)
    return {raw[i : i + 1] for i in range(0, len(raw), 7)}


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("cards") / "cards.html"
    file.write_text(page(), encoding="utf-8")
    return file


def test_the_browser_reads_every_card(html: Path, tmp_path: Path) -> None:
    command = [
        browser() or "",
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={tmp_path}",
        "--dump-dom",
        html.as_uri(),
    ]
    done = subprocess.run(command, check=True, capture_output=True, timeout=120)
    dom = done.stdout.decode("utf-8")
    assert dom.count('class="ev-card"') == page().count('class="ev-card"') > 8
    assert "Δcity_sales = γ city, Σw, Σw·amount" in dom


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_is_not_blank(html: Path, tmp_path: Path, dark: bool) -> None:
    picture, empty = tmp_path / "cards.png", tmp_path / "empty.png"
    screenshot(html, picture, dark=dark, height=900)
    blank = tmp_path / "blank.html"
    blank.write_text("<!doctype html><title>blank</title>", encoding="utf-8")
    screenshot(blank, empty, dark=dark, height=900)
    drawn, nothing = picture.read_bytes(), empty.read_bytes()
    assert len(drawn) > 20_000
    assert len(pixels(drawn)) > 10 * len(pixels(nothing))


def test_light_and_dark_differ(html: Path, tmp_path: Path) -> None:
    for dark in (False, True):
        screenshot(html, tmp_path / f"{dark}.png", dark=dark, height=600)
    assert (tmp_path / "True.png").read_bytes() != (tmp_path / "False.png").read_bytes()
