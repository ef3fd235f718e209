"""A lease: one holder at a time, whoever writes when."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from everview.lake.lease import Lease, Leases
from everview.lake.storage import Storage

HOUR = 3_600_000


class Clock:
    def __init__(self) -> None:
        self.now = 1_790_000_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    return Storage(str(tmp_path))


def test_who_comes_first_has_it_until_it_runs_out(storage: Storage, clock: Clock) -> None:
    one, two = Leases(storage, "one", clock), Leases(storage, "two", clock)
    assert one.current() is None
    mine = one.take()
    assert mine == Lease(0, "one", clock.now + 30_000) == two.current()
    assert two.take() is None
    clock.now += 29_999
    assert two.take() is None
    clock.now += 1
    assert two.take() == Lease(1, "two", clock.now + 30_000)
    assert one.take() is None


def test_a_renewal_lasts_from_then_on(storage: Storage, clock: Clock) -> None:
    one, two = Leases(storage, "one", clock), Leases(storage, "two", clock)
    mine = one.take()
    for _ in range(5):
        clock.now += 20_000
        assert mine is not None
        mine = one.renew(mine)
        assert two.take() is None
    assert mine == Lease(5, "one", clock.now + 30_000)


def test_who_has_lost_it_cannot_renew_or_release_it(storage: Storage, clock: Clock) -> None:
    one, two = Leases(storage, "one", clock), Leases(storage, "two", clock)
    lost = one.take()
    clock.now += HOUR
    held = two.take()
    assert lost is not None
    assert one.renew(lost) is None
    one.release()
    assert two.current() == held


def test_a_lease_that_is_released_can_be_taken_at_once(storage: Storage, clock: Clock) -> None:
    one, two = Leases(storage, "one", clock), Leases(storage, "two", clock)
    mine = one.take()
    assert mine is not None
    one.release()
    assert two.take() is not None


def test_of_many_that_want_it_at_once_one_gets_it(storage: Storage, clock: Clock) -> None:
    for _ in range(5):
        clock.now += HOUR
        holders = [Leases(storage, f"{n}", clock) for n in range(8)]
        with ThreadPoolExecutor(8) as pool:
            taken = [lease for lease in pool.map(Leases.take, holders) if lease is not None]
        assert len(taken) == 1
        assert holders[0].current() == taken[0]


def test_who_was_slow_has_nothing(storage: Storage, clock: Clock) -> None:
    """A number that was read long ago and whose files are gone is no lease any more."""
    slow, quick = Leases(storage, "slow", clock), Leases(storage, "quick", clock)
    old = slow.take()
    assert old is not None
    clock.now += HOUR
    held = quick.take()
    for _ in range(10):
        assert held is not None
        held = quick.renew(held)
    assert slow.renew(old) is None
    assert quick.current() == held


def test_few_files_are_kept(storage: Storage, clock: Clock, tmp_path: Path) -> None:
    one = Leases(storage, "one", clock)
    mine = one.take()
    for _ in range(10):
        assert mine is not None
        mine = one.renew(mine)
    assert len(list((tmp_path / "_everview" / "lease").iterdir())) == 3
