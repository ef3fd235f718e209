"""The files of the repository that its rules speak of."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src"


def named(path: Path) -> str:
    """The path as messages show it."""
    return path.relative_to(ROOT).as_posix()


def files(suffix: str = "", under: Path = ROOT) -> list[Path]:
    """The files below a folder that .gitignore does not leave out, in order."""
    ignored = ignored_names((ROOT / ".gitignore").read_text())
    return sorted(p for p in _walk(under, ignored) if p.name.endswith(suffix))


def ignored_names(text: str) -> tuple[str, ...]:
    """The patterns of a .gitignore that apply to names; one with a slash inside is left out."""
    lines = (line.strip().rstrip("/") for line in text.splitlines())
    return (".git", *(x for x in lines if x and not x.startswith("#") and "/" not in x))


def _walk(folder: Path, ignored: tuple[str, ...]) -> Iterator[Path]:
    for at, folders, names in os.walk(folder):
        folders[:] = [n for n in folders if not any(fnmatch(n, i) for i in ignored)]
        yield from (Path(at, n) for n in names if not any(fnmatch(n, i) for i in ignored))
