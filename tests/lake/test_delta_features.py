"""Reader features: the ones honoured, and the others refused by name with the way out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from everview.errors import UnsupportedFeature
from everview.lake.delta.table import EmbeddedDelta


def with_protocol(
    path: Path, reader: list[str], writer: list[str], mapping: str | None = None
) -> None:
    """A table whose first commit asks for these features."""
    write_deltalake(path, pa.table({"k": [1]}))
    log = path / f"_delta_log/{0:020d}.json"
    actions: list[dict[str, Any]] = [json.loads(line) for line in log.read_text().splitlines()]
    for action in actions:
        if "protocol" in action:
            action["protocol"] = {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": reader,
                "writerFeatures": [*reader, *writer],
            }
        if "metaData" in action and mapping:
            action["metaData"]["configuration"] = {"delta.columnMapping.mode": mapping}
    log.write_text("\n".join(json.dumps(action) for action in actions))


@pytest.mark.parametrize(
    "feature",
    [
        "typeWidening",
        "v2Checkpoint",
        "variantType",
        "vacuumProtocolCheck",
        "catalogManaged",
        "of-tomorrow",
    ],
)
def test_a_reader_feature_is_refused_by_name(tmp_path: Path, feature: str) -> None:
    with_protocol(tmp_path / "t", [feature], [])
    with pytest.raises(UnsupportedFeature, match=feature) as refusal:
        EmbeddedDelta().open(str(tmp_path / "t"))
    assert "io.delta:delta-spark" in refusal.value.remedy


@pytest.mark.parametrize("mode", ["name", "id"])
def test_column_mapping_by_property_is_refused(tmp_path: Path, mode: str) -> None:
    write_deltalake(tmp_path / "t", pa.table({"k": [1]}))
    log = tmp_path / f"t/_delta_log/{0:020d}.json"
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    for action in actions:
        if "protocol" in action:
            action["protocol"] = {"minReaderVersion": 2, "minWriterVersion": 5}
        if "metaData" in action:
            meta = action["metaData"]
            meta["configuration"] = {"delta.columnMapping.mode": mode}
            schema = json.loads(meta["schemaString"])
            schema["fields"][0]["metadata"] = {
                "delta.columnMapping.id": 1,
                "delta.columnMapping.physicalName": "col-1",
            }
            meta["schemaString"] = json.dumps(schema)
    log.write_text("\n".join(json.dumps(action) for action in actions))
    with pytest.raises(UnsupportedFeature, match=f"columnMapping.*{mode}"):
        EmbeddedDelta().open(str(tmp_path / "t"))


@pytest.mark.parametrize(
    ("reader", "writer"),
    [
        (["deletionVectors", "timestampNtz"], []),
        (["columnMapping"], []),
        ([], ["rowTracking", "domainMetadata"]),
        ([], ["appendOnly", "invariants"]),
    ],
)
def test_what_a_reader_may_ignore_is_allowed(
    tmp_path: Path, reader: list[str], writer: list[str]
) -> None:
    with_protocol(tmp_path / "t", reader, writer)
    assert EmbeddedDelta().open(str(tmp_path / "t")).snapshot(0).rows == 1


def test_a_feature_that_comes_later_is_refused_then(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_deltalake(path, pa.table({"k": [1]}))
    table = EmbeddedDelta().open(str(path))
    protocol = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["typeWidening"],
        "writerFeatures": ["typeWidening"],
    }
    log = path / f"_delta_log/{1:020d}.json"
    log.write_text(json.dumps({"protocol": protocol}))
    for call in (table.head, lambda: table.snapshot(1), lambda: table.changes(0, 1)):
        with pytest.raises(UnsupportedFeature, match="typeWidening"):
            call()
    assert table.snapshot(0).rows == 1


def test_a_reader_version_of_tomorrow_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_deltalake(path, pa.table({"k": [1]}))
    protocol = {"minReaderVersion": 4, "minWriterVersion": 8}
    (path / f"_delta_log/{1:020d}.json").write_text(json.dumps({"protocol": protocol}))
    with pytest.raises(UnsupportedFeature, match="version 4"):
        EmbeddedDelta().open(str(path))
