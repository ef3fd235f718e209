"""What a storage that cannot be read says, as an error with a code."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from everview.errors import NotATable, NotAWarehouse, StorageUnreadable
from everview.lake.storage import is_absolute

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
# The library puts one cause below the other, with an arrow before each.
_BETWEEN = re.compile(r"\s*(?:↳|\n)\s*")
_REMEDY = (
    "Check the path, and what gives access to it: storage_options of ev.open, or the variables "
    "of the storage (AWS_*, GOOGLE_*, AZURE_*)."
)


@contextlib.contextmanager
def storage_errors(uri: str) -> Iterator[None]:
    """An OSError inside becomes StorageUnreadable, in one line without colours."""
    try:
        yield
    except OSError as error:
        remedy = _REMEDY if is_absolute(uri) else "Check the path and who may read it."
        raise StorageUnreadable(plain_message(error), where=uri, remedy=remedy) from error


def plain_message(error: Exception) -> str:
    """What an error says, on one line and without colour codes."""
    said = _COLOURS.sub("", str(error)).strip()
    return _BETWEEN.sub(": ", said).replace("::", ":")


def refuse_file(uri: str) -> None:
    """NotATable if a plain file lies there: a table is a folder."""
    if _is_file(uri):
        raise NotATable(
            "A file lies there, not the folder of a Delta table.",
            where=uri,
            remedy="Give the folder that holds _delta_log.",
        )


def refuse_file_as_warehouse(uri: str) -> None:
    """NotAWarehouse if a plain file lies there, or above it."""
    if not is_absolute(uri) and any(_is_file(str(p)) for p in (Path(uri), *Path(uri).parents)):
        raise NotAWarehouse(
            "A file lies there, and a warehouse is a folder.",
            where=uri,
            remedy="Choose an empty or new folder.",
        )


def _is_file(uri: str) -> bool:
    return not is_absolute(uri) and Path(uri).is_file()
