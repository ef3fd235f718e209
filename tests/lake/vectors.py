"""Deletion vectors written by hand: the library reads them and cannot write them."""

from __future__ import annotations

import json
import struct
import time
from pathlib import Path
from typing import Any

_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_MAGIC = 1681511377
_FEATURES = {
    "minReaderVersion": 3,
    "minWriterVersion": 7,
    "readerFeatures": ["deletionVectors"],
    "writerFeatures": ["deletionVectors"],
}


def inline_vector(rows: set[int]) -> dict[str, Any]:
    """A deletion vector kept in the log (storage type `i`): a roaring bitmap array in Z85."""
    data = struct.pack("<IQI", _MAGIC, 1, 0) + _roaring(sorted(rows))
    return {
        "storageType": "i",
        "pathOrInlineDv": _z85(data + b"\0" * (-len(data) % 4)),
        "sizeInBytes": len(data),
        "cardinality": len(rows),
    }


def _roaring(rows: list[int]) -> bytes:
    """The portable form with array containers: cookie, keys and sizes, offsets, values."""
    containers: dict[int, list[int]] = {}
    for row in rows:
        containers.setdefault(row >> 16, []).append(row & 0xFFFF)
    head = struct.pack("<II", 12346, len(containers))
    head += b"".join(struct.pack("<HH", k, len(v) - 1) for k, v in containers.items())
    offset = len(head) + 4 * len(containers)
    offsets, values = b"", b""
    for low in containers.values():
        offsets += struct.pack("<I", offset + len(values))
        values += struct.pack(f"<{len(low)}H", *low)
    return head + offsets + values


def _z85(data: bytes) -> str:
    text = ""
    for (number,) in struct.iter_unpack(">I", data):
        digits = [number // 85**place % 85 for place in (4, 3, 2, 1, 0)]
        text += "".join(_ALPHABET[digit] for digit in digits)
    return text


class VectorTable:
    """A Delta table of one file per append, whose rows are deleted by vectors."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.vectors: dict[str, set[int]] = {}

    def delete(self, file: str, rows: set[int]) -> None:
        """One commit that gives a file (by its path in the log) another deletion vector."""
        add = self._newest_add(file)
        remove = {key: add[key] for key in ("path", "partitionValues", "size")}
        remove |= {"dataChange": True, "deletionTimestamp": _now(), "extendedFileMetadata": True}
        before = self.vectors.get(file)
        if before:
            remove["deletionVector"] = inline_vector(before)
        after = {key: value for key, value in add.items() if key != "deletionVector"}
        if rows:
            after["deletionVector"] = inline_vector(rows)
        self.vectors[file] = rows
        self._commit({"protocol": _FEATURES}, {"remove": remove}, {"add": after})

    def files(self) -> list[str]:
        return [a["add"]["path"] for v in self._versions() for a in self._actions(v) if "add" in a]

    def _newest_add(self, file: str) -> dict[str, Any]:
        adds = [a["add"] for v in self._versions() for a in self._actions(v) if "add" in a]
        return [add for add in adds if add["path"] == file][-1]

    def _commit(self, *actions: dict[str, Any]) -> None:
        info = {"commitInfo": {"timestamp": _now(), "operation": "DELETE"}}
        text = "\n".join(json.dumps(action) for action in (info, *actions))
        version = self._versions()[-1] + 1
        (self.path / f"_delta_log/{version:020d}.json").write_text(text)

    def _versions(self) -> list[int]:
        return sorted(int(p.stem) for p in (self.path / "_delta_log").glob("*.json"))

    def _actions(self, version: int) -> list[dict[str, Any]]:
        text = (self.path / f"_delta_log/{version:020d}.json").read_text()
        return [json.loads(line) for line in text.splitlines() if line]


def _now() -> int:
    return time.time_ns() // 1_000_000
