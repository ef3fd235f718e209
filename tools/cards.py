"""Draw the notebook cards of a made-up shop: docs/pictures/cards.html, and PNGs by Chromium.

python -m tools.cards [folder]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from everview.facts.methods import Method, Variant, Way
from everview.facts.receipts import Read, Receipt, Verification
from everview.facts.schema import Field, Schema
from everview.facts.tables import CommitInfo
from everview.views.status import Status, status_row, status_table
from everview.views.status_card import (
    definition_parts,
    status_card,
    table_card,
    warehouse_card,
)
from tests.views.shop import (
    CITIES,
    CITY_SALES,
    LOST_SALES,
    SALES,
    SALES_AT_41,
    STILL_STORES,
    STORES,
    explained,
)

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
NOW = 1_790_000_000_000
MINUTE, DAY = 60_000, 86_400_000

RECEIPT = Receipt(
    view="city_sales",
    method=Method(Way.INCREMENTAL, Variant.GROUPS),
    reason="reads 1 % of the bytes",
    watermark_before={"sales": 41, "stores": 7},
    watermark_after={"sales": 44, "stores": 8},
    rows_inserted=2,
    rows_updated=29,
    read={"sales": Read(10_092, 400_000, 10_092), "stores": Read(1_000, 40_000)},
    actions=2,
    seconds={"changes": 0.38, "write": 0.21, "commit": 0.03},
    estimates={"incremental: groups": {"seconds": 0.6}, "full": {"seconds": 4.0}},
    rows=200,
    recompute_seconds=4.1,
)
FULL = replace(
    RECEIPT,
    view="churn",
    method=Method(Way.FULL),
    reason="rand() has another value at every refresh (line 4, column 9)",
    rows_inserted=8_120_000,
    rows_updated=0,
    read={"events": Read(96_400_000, 2_100_000_000)},
    seconds={"write": 311.2, "commit": 0.1},
    estimates={"full": {"seconds": 290.0}},
    watermark_before={"events": 100},
    watermark_after={"events": 196},
    recompute_seconds=None,
)
EXACT = Verification("city_sales", "exact", 200, watermark={"sales": 44, "stores": 8}, seconds=3.2)
WRONG = Verification(
    "city_sales",
    "wrong",
    200,
    1,
    1,
    ("city='Bern', n=1204, total=88120, copies=1",),
    ("city='Bern', n=1203, total=88100, copies=1",),
    {"sales": 44, "stores": 8},
    seconds=3.4,
)
STATUS = Status(
    view="city_sales",
    policy="AUTO",
    comment="sales by city, for the morning report",
    exact_at={"sales": 43, "stores": 8},
    behind={"sales": 1, "stores": 0},
    rows=200,
    kept="incremental, keyed by city",
    last_refresh={**RECEIPT.to_dict(), "timestamp": NOW - 2 * MINUTE, "version": 13},
    readable_reason="with a column __ev beside its own",
    fresh_as_of=NOW - 2 * MINUTE,
    asked_at=NOW,
)
CHURN = replace(
    STATUS,
    view="churn",
    comment="",
    behind={"events": 96},
    kept="recomputed in full: rand() has another value at every refresh",
    last_refresh={**FULL.to_dict(), "timestamp": NOW - DAY, "version": 4},
    readable_reason="",
    fresh_as_of=NOW - DAY,
)
FRESH = replace(STATUS, view="category_sales", comment="", behind={"sales": 0}, readable_reason="")
COLUMNS = Schema((Field("city", "string"), Field("n", "long"), Field("total", "decimal(20,2)")))
COMMITS = [
    CommitInfo(41, NOW - 9 * MINUTE, "WRITE", {"operation": "APPEND", "rows": {"insert": 1}}, True),
    CommitInfo(40, NOW - DAY, "WRITE", {"operation": "DELETE", "rows": {"delete": 12}}, True),
]


def cards() -> list[str]:
    """Every kind of card once."""
    row = status_row(STATUS, NOW)
    tables = [
        ("sales", "attached table", "44", "10,010,000", "600.4 MB"),
        ("stores", "table", "8", "1,000", "40.0 kB"),
    ]
    return [
        RECEIPT._repr_html_(),
        FULL._repr_html_(),
        EXACT._repr_html_(),
        WRONG._repr_html_(),
        explained("city_sales", CITY_SALES, SALES, STORES, policy="INCREMENTAL")._repr_html_(),
        explained("city_sales", CITY_SALES, SALES, STILL_STORES)._repr_html_(),
        explained("cities", CITIES, STORES)._repr_html_(),
        explained("city_sales", CITY_SALES, LOST_SALES, STORES)._repr_html_(),
        status_card(STATUS, row, definition_parts(CITY_SALES, COLUMNS)),
        table_card("sales", "attached table", SALES_AT_41, COMMITS, NOW),
        warehouse_card("s3://lake/shop", status_table((STATUS, FRESH, CHURN), NOW), tables),
    ]


def page() -> str:
    """The cards as a page that is light or dark as its reader wishes."""
    body = "\n".join(cards())
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Everview cards</title>'
        "<style>:root{color-scheme:light dark}body{columns:2;column-gap:20px;margin:22px;"
        "background:light-dark(#fff,#15181c);color:light-dark(#1c1e21,#e4e7ea)}"
        ".ev-card{break-inside:avoid;margin:0 0 18px!important}</style></head>"
        f"<body>\n{body}\n</body></html>\n"
    )


def browser() -> str | None:
    """The first Chromium on the path."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def screenshot(html: Path, picture: Path, *, dark: bool = False, height: int = 1980) -> None:
    """The page as Chromium draws it."""
    chromium = browser()
    if chromium is None:
        raise SystemExit(f"No Chromium found (one of {', '.join(BROWSERS)}); the HTML is written.")
    with tempfile.TemporaryDirectory() as profile:
        command = [
            chromium,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--force-device-scale-factor=1.25",
            f"--user-data-dir={profile}",
            f"--window-size=1700,{height}",
            *(["--blink-settings=preferredColorScheme=0"] if dark else []),
            f"--screenshot={picture}",
            html.resolve().as_uri(),
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=120)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    html = folder / "cards.html"
    html.write_text(page(), encoding="utf-8")
    screenshot(html, folder / "cards-light.png")
    screenshot(html, folder / "cards-dark.png", dark=True)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"))
