"""Delta commits: what is certain after an error, what the log holds, what vacuum leaves."""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from everview.errors import CommitConflict, CommitUnknown
from everview.facts.files import InlineFile, TableFile
from everview.facts.tables import Commit, Lost
from everview.lake.delta import commit as commits
from everview.lake.delta.log import parse_entry
from everview.lake.delta.table import EmbeddedDelta, EmbeddedTable
from everview.lake.storage import Storage
from tests.lake.kits import SCHEMA, DeltaKit, StorageBroken, write_parquet
from tests.lake.reading import bag_of, check_changes

HOUR = 3600


@pytest.fixture
def kit(tmp_path: Path) -> DeltaKit:
    return DeltaKit(tmp_path)


@pytest.fixture
def table(kit: DeltaKit) -> EmbeddedTable:
    return kit.lake.create(kit.uri(), SCHEMA, (), {})


def actions(table: EmbeddedTable, version: int) -> list[dict[str, Any]]:
    text = (Path(table.uri) / f"_delta_log/{version:020d}.json").read_text()
    return [json.loads(line) for line in text.split("\n") if line]


def test_the_log_is_what_other_readers_expect(kit: DeltaKit, table: EmbeddedTable) -> None:
    first, second = (kit.write_rows(table, [(k, "é\u2028'\"")]) for k in (1, 2))
    table.commit(Commit(0, "INSERT", "one", adds=(first,)))
    metadata = {"receipt": {"é": [1, None]}}
    table.commit(
        Commit(
            1, "REFRESH", "two", (second,), (first,), transactions=(("a", 7),), metadata=metadata
        )
    )
    found = {kind: action for line in actions(table, 2) for kind, action in line.items()}
    assert set(found) == {"commitInfo", "add", "remove", "txn"}
    user = json.loads(found["commitInfo"]["userMetadata"])["everview"]
    assert user["receipt"] == metadata["receipt"]
    assert (user["token"], user["operation"]) == ("two", "REFRESH")
    assert (found["txn"]["appId"], found["txn"]["version"]) == ("a", 7)
    assert (found["remove"]["path"], found["remove"]["size"]) == (first.path, first.size)
    assert found["add"]["dataChange"] is found["remove"]["dataChange"] is True
    assert DeltaTable(table.uri).to_pyarrow_table().to_pylist() == [{"k": 2, "s": "é\u2028'\""}]


def test_compaction_marks_every_action(kit: DeltaKit, table: EmbeddedTable) -> None:
    first, second = (kit.write_rows(table, [(1, "a")]) for _ in range(2))
    table.commit(Commit(0, "INSERT", "one", adds=(first,)))
    table.commit(Commit(1, "COMPACT", "two", (second,), (first,), data_change=False))
    flags = [a["dataChange"] for line in actions(table, 2) for a in line.values() if "path" in a]
    assert flags == [False, False]


def test_no_checkpoint_is_written_by_a_commit(kit: DeltaKit, table: EmbeddedTable) -> None:
    for base in range(21):
        table.commit(Commit(base, "WATERMARK", f"t{base}", transactions=(("a", base),)))
    log = Path(table.uri) / "_delta_log"
    assert not list(log.glob("*.checkpoint*"))
    table.checkpoint()
    assert list(log.glob("*.checkpoint*"))


def test_one_of_many_writers_wins(kit: DeltaKit, table: EmbeddedTable) -> None:
    files = [kit.write_rows(table, [(k, "a")]) for k in range(8)]

    def attempt(number: int) -> int | None:
        try:
            return table.commit(Commit(0, "INSERT", f"t{number}", adds=(files[number],)))
        except CommitConflict:
            return None

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(attempt, range(8)))
    assert sorted(results, key=str) == [1] + [None] * 7
    assert table.head().version == 1
    assert table.find_token(f"t{results.index(1)}", 0) == 1


def test_an_error_with_an_unreadable_log_is_unknown(
    kit: DeltaKit, table: EmbeddedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = kit.write_rows(table, [(1, "a")])
    kit.lose_acknowledgement(monkeypatch)

    def unreadable(*args: Any) -> Any:
        raise StorageBroken("no log")

    monkeypatch.setattr(commits, "read_entries", unreadable)
    with pytest.raises(CommitUnknown, match=r"no answer.*no log"):
        table.commit(Commit(0, "INSERT", "mine", adds=(file,)))
    monkeypatch.undo()
    assert table.find_token("mine", 0) == 1
    assert bag_of(table.snapshot(1)), "the files of an unknown commit are never deleted"


def test_an_error_after_which_the_commits_are_gone_is_unknown(
    kit: DeltaKit, table: EmbeddedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = kit.write_rows(table, [(1, "a")])

    def overtaken(handle: DeltaTable, *args: Any, **kwargs: Any) -> None:
        monkeypatch.undo()
        for base in range(3):
            table.commit(Commit(base, "WATERMARK", f"t{base}", transactions=(("a", base),)))
        kit.clean_log(table)
        raise StorageBroken("no answer")

    monkeypatch.setattr(DeltaTable, "create_write_transaction", overtaken)
    with pytest.raises(CommitUnknown, match="gone"):
        table.commit(Commit(0, "INSERT", "mine", adds=(file,)))


def test_a_base_whose_log_is_gone_is_a_conflict(kit: DeltaKit, table: EmbeddedTable) -> None:
    for base in range(3):
        table.commit(Commit(base, "WATERMARK", f"t{base}", transactions=(("a", base),)))
    kit.clean_log(table)
    with pytest.raises(CommitConflict):
        table.commit(Commit(0, "INSERT", "mine"))


def test_rows_are_not_files(table: EmbeddedTable) -> None:
    with pytest.raises(TypeError, match="InlineFile"):
        table.commit(Commit(0, "INSERT", "t", removes=(InlineFile("f", ("k",), ()),)))


def test_lines_end_at_newlines_alone() -> None:
    line = json.dumps({"commitInfo": {"operation": "a\u2028b\x85c"}}, ensure_ascii=False)
    assert parse_entry(3, line + "\n").operation == "a\u2028b\x85c"


@pytest.mark.parametrize("text", ["plain", "[1]", "null", '{"everview": 3}', '{"other": {}}'])
def test_metadata_of_others_is_not_ours(text: str) -> None:
    entry = parse_entry(3, json.dumps({"commitInfo": {"userMetadata": text}}))
    assert entry.own == {}


# vacuum


def update(kit: DeltaKit, table: EmbeddedTable) -> tuple[TableFile, TableFile]:
    """A commit that replaces a file and names a change file; gives the old file and that one."""
    root = Path(table.uri)
    first = write_parquet(root, "data/one/part=rows", [(1, "a"), (2, "b")])
    table.commit(Commit(0, "INSERT", "one", adds=(first,)))
    second = write_parquet(root, "data/two/part=rows", [(2, "b")])
    minus = write_parquet(root, "data/two/part=minus", [(1, "a")])
    table.commit(Commit(1, "DELETE", "two", (second,), (first,), (minus,), has_change_files=True))
    return first, minus


def age(table: EmbeddedTable, hours: float, *, log: bool) -> None:
    """Make every data file older, and the commits too if asked."""
    then = time.time() - hours * HOUR
    root = Path(table.uri)
    for path in root.rglob("*.parquet"):
        os.utime(path, (then, then))
    for path in (root / "_delta_log").glob("*.json") if log else ():
        lines = [json.loads(line) for line in path.read_text().splitlines() if line]
        for action in (a for line in lines for a in line.values()):
            for key in ("timestamp", "deletionTimestamp"):
                if key in action:
                    action[key] -= int(hours * HOUR * 1000)
        path.write_text("\n".join(json.dumps(line) for line in lines))


def test_change_files_stay_while_their_commit_is_young(kit: DeltaKit, table: EmbeddedTable) -> None:
    update(kit, table)
    age(table, 48, log=False)
    assert table.vacuum(24, dry_run=False) == ()
    assert check_changes(table, 1, 2).ways == (("change files", 1),)


def test_change_files_go_with_the_files_their_commit_removed(
    kit: DeltaKit, table: EmbeddedTable
) -> None:
    first, minus = update(kit, table)
    age(table, 48, log=True)
    doomed = tuple(sorted((first.path, minus.path)))
    assert table.vacuum(24, dry_run=True) == doomed
    assert table.vacuum(24, dry_run=False) == doomed
    assert Storage(table.uri).missing(doomed) == doomed
    assert sum(bag_of(table.snapshot(2)).values()) == 1
    assert isinstance(table.changes(1, 2), Lost)


def test_lost_change_files_are_made_up_by_the_files_themselves(
    kit: DeltaKit, table: EmbeddedTable
) -> None:
    _, minus = update(kit, table)
    (Path(table.uri) / minus.path).unlink()
    assert check_changes(table, 1, 2).ways == (("file difference", 1),)


def test_files_being_written_are_left_alone(kit: DeltaKit, table: EmbeddedTable) -> None:
    kit.write_rows(table, [(1, "a")])
    assert table.vacuum(1, dry_run=False) == ()


def test_a_broken_hour_is_rounded_to_keep_more(kit: DeltaKit, table: EmbeddedTable) -> None:
    update(kit, table)
    age(table, 0.75, log=True)
    assert table.vacuum(0.5, dry_run=True) == ()
    assert table.vacuum(0, dry_run=True) != ()


def test_open_needs_no_more_than_the_place(kit: DeltaKit, table: EmbeddedTable) -> None:
    assert EmbeddedDelta().open(table.uri).head() == table.head()
