"""Each folder imports only those before it, and each library stays in its own folder."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.tree import SOURCES, files

# Folders, their subfolders and the modules that stand alone, each before those that import it.
ORDER = (
    *("version", "coded_error", "errors", "cards"),
    *("algebra", "algebra.derive", "algebra.meaning", "algebra.notation"),
    *("facts", "settings", "schedule"),
    *("sql", "sql.read", "sql.write", "sql.decorrelate", "sql.bind", "sql.statements"),
    *(
        "aggregates",
        "rewrite",
        "rewrite.group_form",
        "delta",
        "apply",
        "optimize",
        "shape",
        "choose",
        "program",
    ),
    *("lake", "lake.delta", "lake.catalog", "lake.formats"),
    *("lake.lease", "lake.small_file"),
    "spark",
    *("run", "run.driver", "run.rows", "run.understand", "run.refresh", "run.dml", "run.check"),
    "views",
    *("refresh", "understand", "build", "above", "create", "queries", "tables", "refresh_views"),
    *("scheduler", "handles", "kept_fresh", "statements", "warehouse", "session"),
    "__init__",  # what `import everview` gives
    *("cli", "testing", "web", "__main__"),
)
HOMES = {
    "sqlglot": ("sql.read", "sql.bind", "sql.statements"),
    # Besides lake/, spark/ and run/, what a caller meets: DataFrames and schemas in the signatures
    # of tables, handles, warehouse, session and testing; in refresh the error of a failed job.
    "pyspark": (
        *("lake", "spark", "run", "refresh", "tables", "queries"),
        *("handles", "kept_fresh", "statements", "warehouse", "session", "testing"),
    ),
    "deltalake": ("lake", "run"),
    "obstore": ("lake",),
    "pyroaring": ("facts", "lake"),
}
# Folders that only those of one place may import: a format is met through the port alone.
CLOSED = {"lake.delta": "lake"}
# Up to and including program/ everything is values in, values out: no files, no chance.
PURE = ORDER[: ORDER.index("lake")]
IMPURE = ("os", "pathlib", "random", "shutil", "socket", "subprocess", "tempfile", "uuid")
# What does not exist on Spark Connect.
CLASSIC_ONLY = ("py4j", "_jdf", "_jvm", "_jsc", "_jsparkSession", "sparkContext")


def violations(path: str, text: str) -> list[str]:
    """What a file (its path below src) imports or names although it may not."""
    tree = ast.parse(text, path)
    found = [
        f"{path}:{line}: {why}"
        for line, module in imports(path, tree)
        if (why := _why_not(layer(path), module))
    ]
    return found + [f"{path}:{line}: {n} is not on Spark Connect" for line, n in classic_only(tree)]


def layer(path: str) -> str:
    """The place of a file in the order: everview/sql/bind/join.py is in `sql.bind`, unless the
    module has a place of its own.
    """
    parts = path.removesuffix(".py").split("/")[1:]
    own = ".".join(parts)
    return own if own in ORDER else ".".join(parts[:-1]) or parts[0]


def place_of(parts: list[str]) -> str:
    """The place of an imported name: the longest beginning of it that has one."""
    starts = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((start for start in starts if start in _LAYERS), "__init__")


def imports(path: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and full name of every module imported, also inside functions and by import_module."""
    package = path.removesuffix(".py").split("/")[:-1]
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                yield from ((node.lineno, name.name) for name in names)
            case ast.ImportFrom(module, names, level):
                start = package[: len(package) - level + 1] if level else []
                base = ".".join([*start, *([module] if module else [])])
                for name in names:
                    inside = base.split(".")[0] == "everview"
                    yield node.lineno, f"{base}.{name.name}" if inside else base
            case ast.Call(
                ast.Attribute(attr="import_module") | ast.Name("import_module" | "__import__"),
                [ast.Constant(str(module)), *_],
            ):
                yield node.lineno, module


def classic_only(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) | ast.Name(name) | ast.Constant(str(name)):
                if name in CLASSIC_ONLY:
                    yield node.lineno, name
            case ast.Import() | ast.ImportFrom():
                modules = [getattr(node, "module", None) or "", *(n.name for n in node.names)]
                roots = {m.split(".")[0] for m in modules}
                yield from ((node.lineno, name) for name in roots & set(CLASSIC_ONLY))


def _why_not(own: str, module: str) -> str | None:
    root, *rest = module.split(".")
    if own not in ORDER:
        return f"{own} has no place in the order"
    if root == "everview":
        other = place_of(rest)
        if other in CLOSED and own.split(".")[0] != CLOSED[other]:
            return f"{own} may not import {module}: only {CLOSED[other]} may, others use its port"
        allowed = other == own or ORDER.index(other) < ORDER.index(own)
        return None if allowed else f"{own} may not import {module}, which comes after it"
    if root in HOMES and not {own, own.split(".")[0]} & set(HOMES[root]):
        return f"{root} belongs in {', '.join(HOMES[root])}"
    if root in IMPURE and own in PURE:
        return f"{own} is pure and may not import {root}"
    return None


_LAYERS = frozenset(ORDER)


def test_the_sources_keep_the_order() -> None:
    found = [
        violation
        for file in files(".py", SOURCES)
        for violation in violations(file.relative_to(SOURCES).as_posix(), file.read_text())
    ]
    assert not found, "\n".join(found)


def test_every_folder_has_a_place() -> None:
    places = {layer(file.relative_to(SOURCES).as_posix()) for file in files(".py", SOURCES)}
    assert places <= set(ORDER), f"no place in the order: {sorted(places - set(ORDER))}"


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("everview/algebra/a.py", "import everview.delta.join", "comes after it"),
        ("everview/algebra/a.py", "from everview.sql.read import read", "comes after it"),
        ("everview/algebra/a.py", "from everview import facts", "comes after it"),
        ("everview/algebra/a.py", "def f():\n    from everview.choose import x", ":2: algebra may"),
        ("everview/facts/a.py", "from ..shape import x", "comes after it"),
        ("everview/lake/a.py", "from everview.lake.delta.table import x", "comes after it"),
        ("everview/lake/delta/a.py", "from everview.lake.formats import x", "comes after it"),
        ("everview/views/a.py", "from everview.lake.delta.table import x", "only lake may"),
        ("everview/session.py", "def f():\n    import everview.lake.delta", "only lake may"),
        ("everview/facts/a.py", "from .. import shape", "comes after it"),
        ("everview/errors.py", "import everview", "comes after it"),
        ("everview/shape/a.py", "import importlib as i\ni.import_module('everview.run.x')", ":2:"),
        ("everview/shape/a.py", "import sqlglot.expressions as e", "sqlglot belongs in sql.read"),
        ("everview/views/a.py", "from pyspark.sql import functions", "pyspark belongs in lake"),
        ("everview/create.py", "import pyspark", "pyspark belongs in lake"),
        ("everview/create.py", "from everview.handles.view import View", "comes after it"),
        ("everview/shape/a.py", "import deltalake", "deltalake belongs in lake"),
        ("everview/shape/a.py", "from pathlib import Path", "shape is pure"),
        ("everview/extra/a.py", "import json", "extra has no place"),
        ("everview/sql/extra/a.py", "import json", "sql.extra has no place"),
        ("everview/sql/read/a.py", "from everview.sql.bind.scope import Scope", "comes after it"),
        ("everview/sql/read/a.py", "from everview.sql import bind", "comes after it"),
        ("everview/sql/decorrelate/a.py", "import sqlglot", "sqlglot belongs in sql.read"),
        ("everview/run/rows/a.py", "from ..check.verify import verify", "comes after it"),
        ("everview/run/a.py", "from py4j.java_gateway import JavaGateway", "py4j is not"),
        ("everview/run/a.py", "import py4j", "py4j is not"),
        ("everview/run/a.py", "df._jdf.queryExecution()", "_jdf is not"),
        ("everview/run/a.py", "x = getattr(spark, '_jvm')", "_jvm is not"),
        ("everview/session.py", "spark.sparkContext.setLogLevel('OFF')", "sparkContext is not"),
    ],
)
def test_a_bad_import_is_seen(path: str, text: str, why: str) -> None:
    (violation,) = violations(path, text)
    assert why in violation


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("everview/delta/a.py", "from everview.algebra.relations import Rel"),
        ("everview/delta/a.py", "from everview.delta.b import c"),
        ("everview/delta/a.py", "from everview import errors"),
        ("everview/delta/a.py", "from .b import c"),
        ("everview/sql/read/a.py", "import sqlglot"),
        ("everview/sql/bind/a.py", "from everview.sql.read.parse import Parsed"),
        ("everview/run/check/a.py", "from everview.run.rows import read"),
        ("everview/session.py", "from pyspark.sql import SparkSession"),
        ("everview/create.py", "from everview.version import VERSION"),
        ("everview/lake/delta/a.py", "from everview.lake.port import LakeTable"),
        ("everview/lake/formats.py", "from everview.lake.delta.table import EmbeddedDelta"),
        ("everview/views/a.py", "from everview.lake.port import LakeTable"),
        ("everview/__init__.py", "from everview.session import open"),
        ("everview/cli/a.py", "import everview"),
        ("everview/run/a.py", '"""No sparkContext here."""\nimport os'),
    ],
)
def test_a_good_import_is_left_alone(path: str, text: str) -> None:
    assert violations(path, text) == []
