"""Nothing in the repository depends on one machine, and every module says what it is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT, SOURCES, files, ignored_names, named

_MACHINE = re.compile(r"(?<![\w.*-])(?:/(?:home|root|work|Users)/|/tmp/[a-z]|[A-Z]:\\Users)")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")
_PIN = re.compile(r"[a-z0-9-]+==[^ ]+( ; [^\\]+)? \\")


def machine_paths(text: str) -> list[str]:
    """The lines that name a place on somebody's machine."""
    return [f"{n}: {x}" for n, x in enumerate(text.splitlines(), 1) if _MACHINE.search(x)]


def docstring_problem(text: str) -> str | None:
    """Why a module's docstring is not one sentence; an empty module needs none."""
    tree = ast.parse(text)
    if not tree.body:
        return None
    docstring = ast.get_docstring(tree)
    if docstring is None:
        return "no docstring"
    ends = len(_SENTENCE_END.findall(docstring))
    return None if ends == 1 and docstring.endswith(".") else f"{ends} sentences"


def lock_problems(text: str) -> list[str]:
    """The lines of a lock that pin without a hash or name a place to download from."""
    lines = text.splitlines()
    places = [x for x in lines if "://" in x or x.lstrip().startswith(("-i", "--index", "--find"))]
    pins = [(x, after) for x, after in zip(lines, [*lines[1:], ""], strict=True) if "==" in x]
    return places + [
        x for x, after in pins if not (_PIN.fullmatch(x) and "--hash=sha256:" in after)
    ]


def _text(file: Path) -> str:
    data = file.read_bytes()
    return "" if b"\0" in data else data.decode("utf-8")


def test_no_file_names_a_machine() -> None:
    found = {named(f): lines for f in files() if (lines := machine_paths(_text(f)))}
    assert not found, found


def test_module_docstrings_are_one_sentence() -> None:
    sources = files(".py", SOURCES)
    found = {named(f): why for f in sources if (why := docstring_problem(f.read_text()))}
    assert not found, found


def test_the_lock_is_pinned_by_hash_and_names_no_place() -> None:
    assert lock_problems((ROOT / "requirements.lock").read_text()) == []


@pytest.mark.parametrize("folder", ["home/ann", "root/x", "work/x", "Users/ann", "tmp/scratch"])
@pytest.mark.parametrize("before", ["", "see ", "file://", '"'])
def test_a_machine_path_is_seen(before: str, folder: str) -> None:
    assert machine_paths(f"fine\n{before}/{folder}") == [f"2: {before}/{folder}"]


@pytest.mark.parametrize("text", ["https://example.org/home/page", "s3://lake/work/x", "a/tmp/x"])
def test_a_harmless_path_is_left_alone(text: str) -> None:
    assert machine_paths(text) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = 1", "no docstring"),
        ('"""One. Two."""', "2 sentences"),
        ('"""One.\n\nTwo.\n"""', "2 sentences"),
        ('"""No end"""', "0 sentences"),
    ],
)
def test_a_bad_docstring_is_seen(text: str, why: str) -> None:
    assert docstring_problem(text) == why


@pytest.mark.parametrize("text", ["", '"""Reads a.py, version 4.1, in one go."""\nx = 1'])
def test_a_good_docstring_is_left_alone(text: str) -> None:
    assert docstring_problem(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "a==1.0",
        "a==1.0 \\\n    # via b",
        "a==1.0 \\\n    --hash=sha256:0\n    # from https://example.org",
        "--index-url x",
    ],
)
def test_a_bad_lock_is_seen(text: str) -> None:
    assert lock_problems(text)


def test_a_good_lock_is_left_alone() -> None:
    text = "a==1.0 ; sys_platform == 'win32' \\\n    --hash=sha256:0\n    # via b\n"
    assert lock_problems(text) == []


def test_ignored_files_are_left_out() -> None:
    assert ignored_names("# note\n.venv/\n*.pyc\n\ndata/big/\n") == (".git", ".venv", "*.pyc")
