"""`everview run`: until it is told to end, and what it says meanwhile. No view needs Spark here."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

import everview as ev
from everview.cli.codes import DONE, ERROR, INTERRUPTED, USAGE
from everview.cli.main import run_command_line
from everview.lake.lease import Leases
from everview.lake.storage import Storage
from tests.cli.fakes import FakeWarehouse

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def place(tmp_path: Path) -> str:
    """An empty warehouse."""
    with ev.open(tmp_path / "shop") as made:
        return made.path


def lease(place: str, holder: str = "other") -> Leases:
    return Leases(Storage(place), holder, lambda: int(time.time() * 1000))


def is_held(place: str) -> bool:
    current = lease(place).current()
    return current is not None and not current.is_free(int(time.time() * 1000))


def signalled(place: str, number: int) -> threading.Thread:
    """Sends a signal to this process as soon as it refreshes the warehouse."""

    def send() -> None:
        while not is_held(place):
            time.sleep(0.01)
        os.kill(os.getpid(), number)

    thread = threading.Thread(target=send)
    thread.start()
    return thread


def test_sigterm_ends_it_and_leaves_the_work_to_others(place: str, capsys: Captured) -> None:
    before = signal.getsignal(signal.SIGTERM)
    sender = signalled(place, signal.SIGTERM)
    assert run_command_line(["run", "-w", place]) == DONE
    sender.join()
    assert not is_held(place)
    assert signal.getsignal(signal.SIGTERM) is before
    assert capsys.readouterr().err == "refreshing this warehouse\n"


def test_ctrl_c_ends_it_with_its_own_code(place: str) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job without terminal
    try:
        sender = signalled(place, signal.SIGINT)
        assert run_command_line(["run", "-w", place, "--quiet"]) == INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, before)
    sender.join()
    assert not is_held(place)


def test_once_does_nothing_while_another_process_does_it(place: str, capsys: Captured) -> None:
    assert lease(place, "host process 7").take() is not None
    assert run_command_line(["run", "-w", place, "--once"]) == DONE
    assert capsys.readouterr().err == "waiting: host process 7 refreshes this warehouse\n"


def test_numbers_are_served_while_it_runs(place: str, capsys: Captured) -> None:
    found: list[str] = []

    def ask() -> None:
        said = ""
        while "/metrics" not in said or not is_held(place):
            said += capsys.readouterr().err
            time.sleep(0.01)
        address = said.split("http://")[1].split("/")[0]
        with urlopen(f"http://{address}/health") as answer:
            found.append(json.loads(answer.read())["state"])
        os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=ask)
    thread.start()
    assert run_command_line(["run", "-w", place, "--port", "0"]) == DONE
    thread.join()
    assert found == ["leading"]


def test_a_port_that_cannot_be_had_is_an_error(place: str, capsys: Captured) -> None:
    assert run_command_line(["run", "-w", place, "--port", "99999"]) == ERROR
    assert "99999" in capsys.readouterr().err


def test_status_is_shown_again_until_ctrl_c(
    wh: FakeWarehouse, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("everview.cli.commands.time.sleep", sleep)
    assert run_command_line(["status", "--watch", "7"]) == INTERRUPTED
    assert pauses == [7, 7, 7]
    assert capsys.readouterr().out.count("city_sales") == 3
    assert run_command_line(["status", "--watch", "0"]) == USAGE
