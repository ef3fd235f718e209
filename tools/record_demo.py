"""Runs the demo on a recording console and writes docs/pictures/demo.svg, for the README."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from everview.cli.demo import run_demo
from everview.cli.opening import DEMO
from everview.cli.parser import parse
from everview.cli.progress import ProgressHandler, watching
from everview.cli.screen import Screen

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "demo.svg"
WIDTH = 84


def main(words: list[str]) -> int:
    """Record `everview demo`; words such as `--sales 50000` go to it."""
    out = Console(
        record=True, width=WIDTH, force_terminal=True, color_system="truecolor", highlight=False
    )
    err = Console(stderr=True)
    arguments = parse(["demo", *words])
    out.print(Text("$ everview demo", "bold cyan"))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        done = _recorded(arguments, out, err)
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    svg = out.export_svg(title="everview demo", theme=MONOKAI)
    PICTURE.write_text(svg)
    return done


def _recorded(arguments: argparse.Namespace, out: Console, err: Console) -> int:
    arguments.folder = DEMO
    progress = ProgressHandler(err, verbose=False, quiet=True)
    with watching(progress):
        return run_demo(arguments, Screen(out, err, progress))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
