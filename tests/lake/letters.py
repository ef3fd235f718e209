"""Rows of one letter each, written and counted, for the contract of the port."""

from __future__ import annotations

from everview.facts.files import TableFile
from everview.facts.tables import Commit
from everview.lake.port import LakeTable
from tests.lake.kits import Kit
from tests.lake.reading import Bag


def rows(**counts: int) -> Bag:
    """`rows(a=2)` is the row (1, 'a') twice: the number of a row is the place of its letter."""
    return Bag({(repr(ord(name) - 96), repr(name)): n for name, n in counts.items()})


def write(kit: Kit, table: LakeTable, names: str) -> TableFile:
    return kit.write_rows(table, [(ord(name) - 96, name) for name in names])


def append(kit: Kit, table: LakeTable, names: str, token: str = "t") -> TableFile:
    file = write(kit, table, names)
    base = table.head().version
    assert table.commit(Commit(base, "INSERT", token, adds=(file,))) == base + 1
    return file
