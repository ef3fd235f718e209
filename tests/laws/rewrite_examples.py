"""The examples of rewrites as one law: that each does its work, which no row shows."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

from tests.laws.law import Seen
from tests.optimize import test_narrow
from tests.rewrite import (
    test_below_joins,
    test_deciding_part,
    test_group_form,
    test_group_form_rows,
    test_groups_of_groups,
    test_project_merge,
    test_rewrite,
    test_simplified,
)

MODULES = (
    test_narrow,
    test_below_joins,
    test_groups_of_groups,
    test_project_merge,
    test_rewrite,
    test_simplified,
    test_deciding_part,
)


def check_example(seed: int, seen: Seen) -> None:
    """One example of each test, another for another number."""
    for name, examples in EXAMPLES.items():
        examples[seed % len(examples)]()
        seen.met(name)


def check_form_examples(seed: int, seen: Seen) -> None:
    """Some examples of what is stored as groups, and of what is not."""
    for name, examples in FORM_EXAMPLES.items():
        for i in range(seed * AT_ONCE, (seed + 1) * AT_ONCE):
            examples[i % len(examples)]()
        seen.met(name)


AT_ONCE = 8


def examples_of(*modules: ModuleType) -> Iterator[tuple[str, list[Callable[[], None]]]]:
    """By test of these modules, its cases as calls without arguments."""
    for module in modules:
        for name, test in inspect.getmembers(module, inspect.isfunction):
            if name.startswith("test_") and test.__module__ == module.__name__:
                yield f"{module.__name__}::{name}", list(_cases(test))


def _cases(test: Callable[..., None]) -> Iterator[Callable[[], None]]:
    """The test with each of the arguments that its marks give, several marks crossed."""
    given: list[dict[str, Any]] = [{}]
    for mark in getattr(test, "pytestmark", []):
        if mark.name != "parametrize":
            continue
        names, values = mark.args[:2]
        names = [n.strip() for n in names.split(",")] if isinstance(names, str) else list(names)
        rows = [getattr(v, "values", (v,) if len(names) == 1 else v) for v in values]
        given = [{**g, **dict(zip(names, r, strict=True))} for g in given for r in rows]
    yield from (partial(test, **arguments) for arguments in given)


EXAMPLES = dict(examples_of(*MODULES))
FORM_EXAMPLES = dict(examples_of(test_group_form, test_group_form_rows))
