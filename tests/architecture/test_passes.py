"""Plans are improved in one order, which stands in one place."""

from __future__ import annotations

import ast

from tests.architecture.tree import SOURCES, files

HOME = "everview/optimize/passes.py"
TYPED = "everview/optimize/simplified.py"  # the passes that know the types, made of rules
# What makes another plan of a plan; a rewrite is a function in a file of its name. That rows tell
# more, and that a part decides, improves no plan: rules and layouts ask for it.
IMPROVING = {
    *("narrowed", "parted", "tidied", "with_small_sides", "without_broadcast", "rewrite"),
    *("with_needed_columns", "without_needless_columns"),
    *("without_needless_distinct", "without_inner_groups", "rooted_in_groups"),
    *(p.stem for p in (SOURCES / "everview" / "rewrite").glob("*.py")),
} - {"__init__", "rules", "chains", "marked_joins", "deciding_part"}
# The root of a definition is looked at as if its projections were one; the plan stays.
LOOKS = {
    ("everview/shape/tail.py", "project_merge"),
    # What is left of projections in a row is part of the pass.
    ("everview/optimize/needed_columns.py", "project_merge"),
    ("everview/optimize/needed_columns.py", "rewrite"),
    # An explanation shows a condition at the join whose rows it tests.
    ("everview/shape/derivation.py", "filter_join_merge"),
    ("everview/shape/derivation.py", "rewrite"),
}


def imported(text: str) -> set[str]:
    nodes = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ImportFrom)]
    return {
        name.name
        for node in nodes
        if (node.module or "").startswith(("everview.rewrite", "everview.optimize"))
        for name in node.names
    }


def test_only_the_list_of_passes_calls_what_improves_a_plan() -> None:
    texts = {p.relative_to(SOURCES).as_posix(): p.read_text() for p in files(".py", SOURCES)}
    found = {
        (path, name)
        for path, text in texts.items()
        for name in imported(text) & IMPROVING
        if path not in (HOME, TYPED) and not path.startswith("everview/rewrite/")
    }
    assert found == LOOKS


def test_the_list_has_all_of_them() -> None:
    listed = imported((SOURCES / HOME).read_text())
    assert listed | imported((SOURCES / TYPED).read_text()) >= IMPROVING
