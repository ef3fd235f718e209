"""What a refresh made of the stored rows, as its commit needs it."""

from __future__ import annotations

import pytest

from everview.facts.files import DataFile
from everview.run.refresh.replaced import Replaced
from everview.run.rows.write import Written

FILE = DataFile("f", 10, 3)


@pytest.mark.parametrize(
    ("replaced", "told"),
    [
        (Replaced(), False),
        (Replaced(Written((FILE,))), False),
        (Replaced(Written((FILE,)), (FILE,)), False),
        (Replaced(Written((FILE,)), (FILE,), with_changes=True), True),
        (Replaced(Written(()), (), with_changes=True), False),
        (Replaced(Written((FILE,), plus=(FILE,)), (), with_changes=True), True),
        (Replaced(Written((FILE,), minus=(FILE,)), (FILE,), with_changes=True), True),
    ],
    ids=["nothing", "appended", "whole", "rewritten", "none", "new keys", "deleted"],
)
def test_when_change_files_tell_what_a_commit_changed(replaced: Replaced, told: bool) -> None:
    assert replaced.has_change_files is told


def test_rows_that_go_are_counted_by_file() -> None:
    assert Replaced().removed_rows == 0
    assert Replaced(Written(()), (FILE, FILE)).removed_rows == 6
