"""What deletion vectors survive: a death, vacuum, other writers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from everview.errors import CommitFailed
from everview.facts.files import Positions
from everview.lake.delta import commit_file, marks
from everview.lake.delta.table import EmbeddedTable
from tests.lake.marks.marking import (
    FEW,
    MANY,
    actions,
    made,
    mark,
    only_file,
    rewrite,
    vector_files,
)
from tests.lake.reading import bag_of, check_changes
from tests.lake.vectors import VectorTable


class Died(Exception):
    """The process ends here."""


@pytest.mark.parametrize("lands", [False, True])
@pytest.mark.parametrize("place", ["vectors", "commit"])
def test_a_death_leaves_the_old_or_the_new_rows(
    table: EmbeddedTable, monkeypatch: pytest.MonkeyPatch, place: str, lands: bool
) -> None:
    """Before and after each file that a commit with vectors puts."""
    module = marks if place == "vectors" else commit_file
    put = module.put_if_absent

    def dying(*args: Any) -> None:
        if lands:
            put(*args)
        raise Died(place)

    with monkeypatch.context() as patch:
        patch.setattr(module, "put_if_absent", dying)
        if (place, lands) == ("commit", True):
            assert mark(table, MANY) == 1, "it is found by its token"
        else:
            with pytest.raises(CommitFailed, match=place):
                mark(table, MANY)
    landed = table.head().version
    assert bag_of(table.snapshot(landed)).total() == 10_000 - landed * len(MANY)
    if not landed:
        mark(table, MANY)
    live = actions(table, 1, "add")[0]["deletionVector"]["cardinality"]
    assert live == len(MANY)
    time.sleep(0.01)
    table.vacuum(0, dry_run=False)
    assert len(vector_files(table)) == 1, "the leftover is gone, the vector in use is not"
    assert bag_of(table.snapshot(1)).total() == 10_000 - len(MANY)


def test_vacuum_keeps_the_vectors_of_versions_within_the_retention(table: EmbeddedTable) -> None:
    mark(table, MANY)
    mark(table, Positions(range(1, 9_999, 2)))
    assert len(vector_files(table)) == 2
    assert table.vacuum(1, dry_run=False) == ()
    check_changes(table, 1, 2)
    time.sleep(0.01)
    doomed = table.vacuum(0, dry_run=True)
    assert len(doomed) == 1
    table.checkpoint()
    (Path(table.uri) / f"_delta_log/{1:020d}.json").unlink()
    assert table.vacuum(0, dry_run=False) == doomed
    assert len(vector_files(table)) == 1
    assert bag_of(table.snapshot(2)).total() == table.snapshot(2).rows
    rewrite(table, data_change=False)
    time.sleep(0.01)
    table.vacuum(0, dry_run=False)
    assert vector_files(table) == set()


def test_vacuum_keeps_the_vectors_of_other_writers(table: EmbeddedTable) -> None:
    """They lie at the root, where the library takes them for files that nobody needs."""
    mark(table, MANY)
    (ours,) = (Path(table.uri) / "_dv").iterdir()
    theirs = ours.rename(Path(table.uri) / ours.name)
    path = Path(table.uri) / f"_delta_log/{1:020d}.json"
    path.write_text(path.read_text().replace('"pathOrInlineDv": "_dv', '"pathOrInlineDv": "'))
    assert table.snapshot(1).rows == 10_000 - len(MANY)
    assert theirs.name in DeltaTable(table.uri).vacuum(
        0, dry_run=True, enforce_retention_duration=False, full=True
    )
    table.vacuum(0, dry_run=False)
    assert theirs.exists()


def test_rows_are_marked_beside_vectors_of_another_writer(tmp_path: Path) -> None:
    table = made(tmp_path / "t")
    foreign = VectorTable(tmp_path / "t")
    foreign.delete(foreign.files()[0], {2, 70})
    mark(table, FEW)
    assert only_file(table).deleted == Positions([1, 2, 5, 70])
    rewrite(table, data_change=False)
    assert table.snapshot(3).rows == 9_996
    for old in range(3):
        check_changes(table, old, 3)
