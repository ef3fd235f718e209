"""Deletion vectors: the positions of deleted rows, as the log and the files beside it hold them."""

from __future__ import annotations

import base64
import struct
import uuid
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deltalake.exceptions import TableNotFoundError
from pyroaring import BitMap64

from everview.errors import LostHistory
from everview.facts.files import Positions
from everview.lake.storage import Storage, decoded, is_absolute

# The folder of our own vector files. Its name begins with an underscore because other writers take
# a vector file elsewhere for one that nobody needs, and vacuum it.
VECTOR_FOLDER = "_dv"

_MAGIC = 1681511377
_VERSION = b"\x01"
_LENGTH = 4
_UUID_TEXT = 20  # characters of a UUID in Z85
_STANDARD = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_Z85 = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_TO_Z85 = bytes.maketrans(_STANDARD, _Z85)
_FROM_Z85 = bytes.maketrans(_Z85, _STANDARD)


@dataclass(frozen=True, slots=True)
class Vector:
    """Where the deletion vector of a file is: the `deletionVector` of an add or remove action.

    `storage` is "i" for one kept in the log itself, "u" for a file of the table named by a UUID,
    "p" for a file anywhere.
    """

    storage: str
    place: str
    size: int
    rows: int
    offset: int | None = None

    @property
    def file(self) -> str | None:
        """The path of the file that holds it, relative to the table or absolute; None if the log
        holds it.
        """
        match self.storage:
            case "i":
                return None
            case "u":
                folder, name = self.place[:-_UUID_TEXT], self.place[-_UUID_TEXT:]
                plain = f"deletion_vector_{uuid.UUID(bytes=_from_z85(name))}.bin"
                return f"{folder}/{plain}" if folder else plain
            case "p":
                return self.place
        raise LostHistory(f"a deletion vector is stored in a way not known: {self.storage!r}")

    def action(self) -> dict[str, Any]:
        """As an action of the log names it."""
        named: dict[str, Any] = {"storageType": self.storage, "pathOrInlineDv": self.place}
        if self.offset is not None:
            named["offset"] = self.offset
        return {**named, "sizeInBytes": self.size, "cardinality": self.rows}


def vector_of(action: Mapping[str, Any] | None) -> Vector | None:
    """The vector that an add or remove action names, None if it has none."""
    if action is None:
        return None
    return Vector(
        storage=action["storageType"],
        place=action["pathOrInlineDv"],
        size=int(action["sizeInBytes"]),
        rows=int(action["cardinality"]),
        offset=None if action.get("offset") is None else int(action["offset"]),
    )


def vector_bytes(rows: Positions) -> bytes:
    """The positions as every reader of Delta tables takes them: a number, then the portable form
    of a roaring bitmap of 64 bits.
    """
    compact = BitMap64(rows)
    compact.run_optimize()
    return struct.pack("<I", _MAGIC) + compact.serialize()


def inline_vector(rows: Positions, data: bytes) -> Vector:
    """A vector that the log itself holds."""
    padded = data + b"\0" * (-len(data) % 4)
    return Vector("i", _to_z85(padded), len(data), len(rows))


def vector_file(
    name: uuid.UUID, vectors: list[tuple[Positions, bytes]]
) -> tuple[bytes, list[Vector]]:
    """The content of one file that holds all the vectors, and where in it each one is."""
    content = bytearray(_VERSION)
    placed = []
    for rows, data in vectors:
        place = VECTOR_FOLDER + _to_z85(name.bytes)
        placed.append(Vector("u", place, len(data), len(rows), offset=len(content)))
        content += struct.pack(">I", len(data)) + data + struct.pack(">I", zlib.crc32(data))
    return bytes(content), placed


def read_vector(storage: Storage, vector: Vector | None) -> Positions:
    """The positions that a vector holds; LostHistory if its file is gone or damaged."""
    if vector is None:
        return Positions()
    rows = _positions(_stored(storage, vector), vector)
    if len(rows) != vector.rows:
        raise _damaged(vector, f"it holds {len(rows)} rows, not {vector.rows}")
    return rows


def _stored(storage: Storage, vector: Vector) -> bytes:
    path = vector.file
    if path is None:
        return _from_z85(vector.place)[: vector.size]
    block = _read_block(storage, path, vector)
    data = block[_LENGTH:-_LENGTH]
    length, check = block[:_LENGTH], block[-_LENGTH:]
    if length != struct.pack(">I", vector.size) or check != struct.pack(">I", zlib.crc32(data)):
        raise _damaged(vector, "its length or its check sum is another")
    return data


def _read_block(storage: Storage, path: str, vector: Vector) -> bytes:
    """The length, the data and the check sum of one vector in a file."""
    folder, _, name = path.rpartition("/")
    outside = is_absolute(path)
    place = Storage(folder, storage.options) if outside else storage
    try:
        with place.open(decoded(name) if outside else path) as stream:
            stream.seek(vector.offset or 0)
            return bytes(stream.read(_LENGTH + vector.size + _LENGTH))
    except (FileNotFoundError, TableNotFoundError) as error:
        raise LostHistory(f"the deletion vector {path} was vacuumed") from error


def _positions(data: bytes, vector: Vector) -> Positions:
    if data[:4] != struct.pack("<I", _MAGIC):
        raise _damaged(vector, "it does not begin as one does")
    try:
        return Positions.deserialize(data[4:])
    except ValueError as error:
        raise _damaged(vector, str(error)) from error


def _damaged(vector: Vector, why: str) -> LostHistory:
    return LostHistory(
        f"the deletion vector {vector.file or vector.place} cannot be read: {why}",
        remedy="Restore the file, or the table to a version before it.",
    )


def _to_z85(data: bytes) -> str:
    return base64.b85encode(data).translate(_TO_Z85).decode("ascii")


def _from_z85(text: str) -> bytes:
    return base64.b85decode(text.encode("ascii").translate(_FROM_Z85))
