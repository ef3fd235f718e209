"""Paths and links in the documents lead somewhere, and operator pages follow their template."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.architecture.tree import ROOT, files, named

OPERATOR_HEADINGS = ["Law", "Worked example", "SQL", "State kept", "Cost", "When refused"]
# Where a path in ARCHITECTURE.md may start.
STARTS = (ROOT, ROOT / "src", ROOT / "src" / "everview")

_FENCE = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
_PATH = re.compile(r"[\w.*-]+/(?:[\w.*-]+/?)*|[\w*-]+\.(?:py|md|toml|lock)")


def links(text: str) -> list[str]:
    """The relative targets of a Markdown text's links, without their anchors."""
    prose = _CODE.sub("", _FENCE.sub("", text))
    targets = [inline or reference for inline, reference in _LINK.findall(prose)]
    relative = [t for t in targets if not re.match(r"[a-z][a-z+.-]*:|#|//", t)]
    return [unquote(t.split("#")[0]) for t in relative]


def broken_links(document: Path, text: str) -> list[str]:
    return [t for t in links(text) if not (document.parent / t).exists()]


def paths(text: str) -> list[str]:
    """The paths a document names: code in its prose, and what lines of a code block begin with."""
    code = [c.strip("`") for c in _CODE.findall(_FENCE.sub("", text))]
    blocks = [m.group().splitlines()[1:-1] for m in _FENCE.finditer(text)]
    words = [word for block in blocks for line in block for word in line.split()[:1]]
    return [c for c in code + words if _PATH.fullmatch(c)]


def missing_paths(text: str, starts: tuple[Path, ...]) -> list[str]:
    return [p for p in paths(text) if not any(list(s.glob(p.rstrip("/"))) for s in starts)]


def headings(text: str) -> list[str]:
    return re.findall(r"^## +(.*?) *$", _FENCE.sub("", text), re.MULTILINE)


def test_every_relative_link_resolves() -> None:
    found = {named(f): b for f in files(".md") if (b := broken_links(f, f.read_text()))}
    assert not found, found


def test_every_path_in_the_architecture_page_exists() -> None:
    missing = missing_paths((ROOT / "ARCHITECTURE.md").read_text(), STARTS)
    assert not missing, f"ARCHITECTURE.md names what is not there: {missing}"


def test_operator_pages_follow_the_template() -> None:
    pages = [f for f in files(".md", ROOT / "docs" / "operators") if f.name != "README.md"]
    found = {named(f): h for f in pages if (h := headings(f.read_text())) != OPERATOR_HEADINGS}
    assert not found, f"expected the headings {OPERATOR_HEADINGS}, found {found}"


@pytest.mark.parametrize(
    "text",
    [
        "see [it](gone.md)",
        "see [it](gone.md#part)",
        'see [it](gone.md "title")',
        "![picture](gone.png)",
        "[it]: gone.md",
    ],
)
def test_a_broken_link_is_seen(tmp_path: Path, text: str) -> None:
    (target,) = broken_links(tmp_path / "page.md", text)
    assert target.startswith("gone.")


@pytest.mark.parametrize(
    "text",
    [
        "[it](there.md)",
        "[it](there%2Emd#part)",
        "[it](https://example.org/gone.md)",
        "[mail](mailto:someone@example.org)",
        "[above](#part)",
        "`[it](gone.md)`",
        "```\n[it](gone.md)\n```",
    ],
)
def test_a_good_link_is_left_alone(tmp_path: Path, text: str) -> None:
    (tmp_path / "there.md").touch()
    assert broken_links(tmp_path / "page.md", text) == []


def test_a_missing_path_is_seen(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file.py").touch()
    text = "`there/` `there/*.py` `there/gone.py` `a + b`\n```\nthere/file.py   ok\ngone/  not\n```"
    assert missing_paths(text, (tmp_path,)) == ["there/gone.py", "gone/"]


@pytest.mark.parametrize(
    "text",
    [
        "## Law\n## SQL",
        "".join(f"## {h}\n" for h in reversed(OPERATOR_HEADINGS)),
        "".join(f"## {h}\n" for h in [*OPERATOR_HEADINGS, "More"]),
    ],
)
def test_another_set_of_headings_is_seen(text: str) -> None:
    assert headings(text) != OPERATOR_HEADINGS


def test_the_template_is_recognised() -> None:
    page = "# Join\n" + "".join(f"## {h}\n\ntext\n```\n## no\n```\n" for h in OPERATOR_HEADINGS)
    assert headings(page) == OPERATOR_HEADINGS
