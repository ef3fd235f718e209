"""A public name has one definition in the package, so that searching for it finds one thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from tests.architecture.tree import SOURCES, files, named

# Names that modules give away under another one: the version is public by Python's own convention.
RENAMED = {("everview.version", "VERSION", "__version__")}


def defined(body: list[ast.stmt]) -> Iterator[str]:
    """The names that statements at the top of a module define."""
    for node in body:
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                yield name
            case ast.Assign(targets):
                for target in targets:
                    yield from _assigned(target)
            case ast.AnnAssign(target):
                yield from _assigned(target)
            case ast.If(_, inner, other) | ast.Try(inner, _, other):
                yield from defined([*inner, *other])
            case _:
                pass


def _assigned(target: ast.expr) -> Iterator[str]:
    return (n.id for n in ast.walk(target) if isinstance(n, ast.Name) and _stores(n))


def _stores(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def aliases(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """What a file imports of the package under another name: module, name and the other name."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(str(module), names):
                given = ((module, name.name, name.asname) for name in names)
            case ast.Import(names):
                given = ((name.name, "", name.asname) for name in names)
            case _:
                continue
        for module, name, other in given:
            if module.split(".")[0] == "everview" and other not in (None, name):
                yield module, name, other


def test_the_rules_find_what_they_forbid() -> None:
    text = "A = 1\nB, C = 1, 2\nD: int = 3\nx.y = A\nif A:\n    def e(): F = 1\nclass G: ..."
    assert list(defined(ast.parse(text).body)) == ["A", "B", "C", "D", "e", "G"]
    text = "from everview.a import b as c, d as d, e\nimport everview.f as g\nimport h as i"
    assert list(aliases(ast.parse(text))) == [("everview.a", "b", "c"), ("everview.f", "", "g")]


def test_a_public_name_has_one_definition() -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for path in files(".py", SOURCES):
        for name in defined(ast.parse(path.read_text()).body):
            if not name.startswith("_"):
                found[name].add(named(path))
    twice = [f"{n}: {', '.join(sorted(at))}" for n, at in sorted(found.items()) if len(at) > 1]
    assert not twice, "defined more than once:\n" + "\n".join(twice)


def test_nothing_of_the_package_is_imported_under_another_name() -> None:
    found = [
        f"{named(path)}: {module}.{name} as {other}"
        for path in files(".py", SOURCES)
        for module, name, other in aliases(ast.parse(path.read_text()))
        if (module, name, other) not in RENAMED
    ]
    assert not found, "\n".join(found)
