"""Which laws hold the rules of a file."""

from __future__ import annotations

from tests.laws.mutants import SOURCES


def _files(folder: str) -> tuple[str, ...]:
    held = (p for p in (SOURCES / folder).glob("*.py") if p.stat().st_size)
    return tuple(sorted(f"{folder}/{p.name}" for p in held))


REWRITES = (
    *_files("rewrite"),
    "optimize/narrow.py",
    "optimize/reach.py",
    "optimize/needed_columns.py",
    "optimize/simplified.py",
    "aggregates/one_row.py",
)
# How scalars are computed over values is held by examples, tests/laws/test_merge.py.
APPLY = tuple(f for f in _files("apply") if f != "apply/exact.py")
MERGED = "run/driver/merge_columns.py"
IN_COMMON = ("algebra/derive/same_rows.py", "optimize/in_common.py")
# What is stored as groups, and what is shown of it.
FORMS = (*_files("rewrite/group_form"), "shape/shown_groups.py")
NO_ROWS = ("optimize/no_rows.py",)
RULES = (
    *_files("delta"),
    *APPLY,
    MERGED,
    "aggregates/areas.py",
    *REWRITES,
    *FORMS,
    *NO_ROWS,
    *IN_COMMON,
)
Law = tuple[str, str]  # its module and its name
CHANGES: tuple[Law, ...] = (
    ("tests.laws.law", "check_keyed"),
    ("tests.laws.law", "check_rows"),
    ("tests.laws.grouped_law", "check_grouped"),
    ("tests.laws.tree_law", "check_tree"),
    ("tests.laws.merge_law", "check_merge"),
    ("tests.laws.group_form_law", "check_form"),
    ("tests.laws.stored_law", "check_stored"),
)
# A rewrite after which rows tell more: whether that is so only changes show.
MARKED = ("rewrite/marked_joins.py", "rewrite/deciding_part.py")
# A rewrite that does not do its work loses no row: examples hold that it does.
REWRITTEN: tuple[Law, ...] = (
    ("tests.laws.rewrite_law", "check_rewrites"),
    ("tests.laws.group_law", "check_groups"),
    ("tests.laws.rewrite_examples", "check_example"),
)
SHARED: tuple[Law, ...] = (
    ("tests.laws.in_common_law", "check_in_common"),
    ("tests.laws.in_common_law", "check_example"),
)
FORMED: tuple[Law, ...] = (
    ("tests.laws.rewrite_examples", "check_form_examples"),
    ("tests.laws.group_form_law", "check_form"),
)
EXCLUDED: tuple[Law, ...] = (
    ("tests.laws.no_rows_law", "check_no_rows"),
    ("tests.laws.no_rows_examples", "check_example"),
)


def laws_of(file: str) -> tuple[Law, ...]:
    """The laws that hold the rules of a file."""
    marked = (*CHANGES, REWRITTEN[-1])
    known = {MARKED: marked, IN_COMMON: SHARED, FORMS: FORMED, NO_ROWS: EXCLUDED}
    special = next((laws for files, laws in known.items() if file in files), None)
    return special or (REWRITTEN if file in REWRITES else CHANGES)
