"""What the views of one run share: the first makes it, the others find it."""

from __future__ import annotations

import threading

import pyarrow as pa
import pytest

from everview.run.driver.fetch import FetchedRows
from everview.run.refresh.rows_of_run import RowsOfRun


def test_rows_are_fetched_once_for_a_leaf() -> None:
    run = RowsOfRun()
    asked: list[str] = []

    def fetch() -> FetchedRows:
        asked.append("sales")
        return FetchedRows(pa.table({"price": [1, 2]}), 10)

    found, is_new = run.fetched(("sales", 1, 2), fetch)
    assert (found, is_new) == (run.fetched(("sales", 1, 2), fetch)[0], True)
    assert run.fetched(("sales", 1, 2), fetch)[1] is False
    assert asked == ["sales"]
    assert run.fetched(("sales", 1, 3), fetch)[1] is True
    run.close()
    assert run.fetched(("sales", 1, 2), fetch)[1] is True


def test_what_is_left_to_spark_is_no_view_s_rows() -> None:
    run = RowsOfRun()
    assert run.fetched("sales", lambda: None) == (None, True)
    assert run.fetched("sales", lambda: None) == (None, True)


def test_those_that_come_meanwhile_wait_and_find_who_made_it() -> None:
    run = RowsOfRun()
    begun, go_on = threading.Event(), threading.Event()
    found: list[str] = []

    def first() -> None:
        with run.turn("common1") as turn:
            begun.set()
            assert go_on.wait(10)
            turn.by = "a"

    def second() -> None:
        with run.turn("common1") as turn:
            found.append(turn.by)

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    threads[0].start()
    assert begun.wait(10)
    threads[1].start()
    with run.turn("common2") as other:  # another part is free
        assert (other.by, found) == ("", [])
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert found == ["a"]


def test_after_a_failure_the_next_one_makes_it() -> None:
    run = RowsOfRun()
    with pytest.raises(ValueError, match="not this time"), run.turn("common1"):
        raise ValueError("not this time")
    with run.turn("common1") as turn:
        assert turn.by == ""
