"""The page of the Python API names everything public, as it is."""

from __future__ import annotations

import dataclasses
import inspect
import re

import everview as ev
from tests.architecture.tree import ROOT

PAGE = (ROOT / "docs" / "python.md").read_text()


def members(kind: type) -> set[str]:
    fields = {f.name for f in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    found = {n for n, m in inspect.getmembers(kind) if inspect.isroutine(m) or _is_property(m)}
    return {n for n in fields | found if not n.startswith("_")} - {"to_dict", "from_dict"}


def _is_property(member: object) -> bool:
    return isinstance(member, property)


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def unnamed(kind: type, text: str) -> set[str]:
    return {n for n in members(kind) if not re.search(rf"[`.]{n}\b", text)}


def test_every_method_is_on_the_page() -> None:
    for kind in (ev.Warehouse, ev.Table, ev.View):
        assert not unnamed(kind, section(kind.__name__)), kind


def test_every_field_of_a_value_is_on_the_page() -> None:
    for kind in (ev.Receipt, ev.Verification, ev.Status, ev.Explanation):
        assert not unnamed(kind, section("Values")), kind


def test_the_signatures_are_those_of_the_code() -> None:
    for shown, function in {
        "ev.open": ev.open,
        "wh.create_table": ev.Warehouse.create_table,
        "wh.create_materialized_view": ev.Warehouse.create_materialized_view,
        "wh.attach": ev.Warehouse.attach,
        ".update": ev.Table.update,
        ".merge": ev.Table.merge,
        ".vacuum": ev.Table.vacuum,
    }.items():
        (said,) = re.findall(rf"`{re.escape(shown)}\(([^)]+)\)", PAGE)[:1]
        names = [part.split("=")[0].strip() for part in said.split(",")]
        parameters = [n for n in inspect.signature(function).parameters if n != "self"]
        assert names == parameters, shown
