"""docs/python.md: the template's prose, with the signatures and docstrings of the public API."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import everview
from tools.docs.errors_page import linked

WIDTH = 88
# What a method is called on, by class.
SPOKEN = {
    "Warehouse": "wh",
    "Table": "table",
    "View": "view",
    "Scheduler": "scheduler",
    "open": "ev",
}
# Said once for all values by the template.
SHARED_METHODS = frozenset(("to_dict", "from_dict"))

_MARK = re.compile(r"^\{\{(\w+)\}\}$", re.MULTILINE)
_COMMENT = re.compile(r"^    (\w+): .*?  # (.+)$", re.MULTILINE)


def python_page(template: str) -> str:
    """The template with each `{{Name}}` replaced by what the code says of that name.

    A public name without its place in the template, or a place without its name, is an error.
    """
    public = {n for n in everview.__all__ if not n.startswith("_")}
    marked = set(_MARK.findall(template))
    if public != marked:
        wrong = ", ".join(sorted(public ^ marked))
        raise ValueError(f"everview.__all__ and docs/templates/python.md.in differ: {wrong}")
    return _MARK.sub(lambda found: reference(found[1]), template)


def reference(name: str) -> str:
    """What the code says of one public name."""
    kind = getattr(everview, name)
    if not inspect.isclass(kind):
        return _entry(f"{SPOKEN[name]}.{name}", kind)
    said = prose(kind)
    if dataclasses.is_dataclass(kind):
        return f"{said}\n\n```python\n{fields_text(kind)}\n```"
    if name not in SPOKEN:
        return said
    found = [_member(SPOKEN[name], n, m) for n, m in members(kind)]
    return "\n\n".join([said, *found])


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties in the order of the code, own ones before inherited."""
    seen: set[str] = set()
    for owner in kind.__mro__[:-1]:
        for name, member in vars(owner).items():
            if name.startswith("_") or name in seen or name in SHARED_METHODS:
                continue
            if isinstance(member, property | staticmethod) or inspect.isfunction(member):
                seen.add(name)
                yield name, member


def _member(owner: str, name: str, member: Any) -> str:
    if isinstance(member, property):
        given = _annotation(inspect.signature(_getter(member)).return_annotation)
        return _shown(f"{owner}.{name}", f"{owner}.{name} -> {given}", prose(member))
    return _entry(f"{owner}.{name}", member)


def _getter(member: property) -> Callable[..., Any]:
    assert member.fget is not None
    return member.fget


def _entry(name: str, function: Callable[..., Any]) -> str:
    return _shown(name, signature_text(name, function), prose(function))


def _shown(name: str, signature: str, said: str) -> str:
    return f"### {name}\n\n```python\n{signature}\n```\n\n{said}"


def signature_text(name: str, function: Callable[..., Any]) -> str:
    """`wh.attach(name: str, path: str) -> Table`, a parameter per line where it is long."""
    signature = inspect.signature(function)
    given = f" -> {_annotation(signature.return_annotation)}"
    parts: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        is_named = parameter.kind is inspect.Parameter.KEYWORD_ONLY
        if is_named and "*" not in parts and not any(p.startswith("*") for p in parts):
            parts.append("*")
        parts.append(_parameter(parameter))
    line = f"{name}({', '.join(parts)}){given}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {p}," for p in parts), f"){given}"])


def _parameter(parameter: inspect.Parameter) -> str:
    star = "*" if parameter.kind is inspect.Parameter.VAR_POSITIONAL else ""
    text = f"{star}{parameter.name}: {_annotation(parameter.annotation)}"
    is_given = parameter.default is inspect.Parameter.empty
    return text if is_given else f"{text} = {parameter.default!r}"


def _annotation(annotation: object) -> str:
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "None")


def fields_text(kind: Any) -> str:
    """The fields with type, default and comment, then properties and methods of its own."""
    said = dict(_COMMENT.findall(inspect.getsource(kind)))
    lines = [(f"{f.name}: {_annotation(f.type)}{_default(f)}", f.name) for f in _fields(kind)]
    for name, member in members(kind):
        if isinstance(member, property):
            given = inspect.signature(_getter(member)).return_annotation
            lines.append((f"{name} -> {_annotation(given)}", name))
        elif inspect.isfunction(member) or isinstance(member, staticmethod):
            plain = getattr(kind, name)
            lines.append((signature_text(name, plain), name))
    return "\n".join(f"{line}  # {said[n]}" if n in said else line for line, n in lines)


def _fields(kind: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(kind)


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        return f" = {field.default!r}"
    made = field.default_factory
    return "" if made is dataclasses.MISSING else f" = {made()!r}"


def prose(thing: object) -> str:
    """The docstring as paragraphs of one line, errors linked."""
    said = inspect.getdoc(thing) or ""
    return linked("\n\n".join(" ".join(p.split()) for p in said.split("\n\n")))
