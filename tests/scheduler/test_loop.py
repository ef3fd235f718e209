"""The loop: it refreshes what is due while it has the lease, and leaves the rest as it was."""

from __future__ import annotations

from pathlib import Path

from everview.errors import StorageUnreadable
from everview.lake.lease import Leases
from everview.lake.storage import Storage
from everview.scheduler.events import Broke, Done, Leads, Looked, NotSeen, SchedulerEvent, Waits
from tests.schedule.simulated import HOUR, MINUTE, SECOND, START, Simulated
from tests.schedule.test_due import ONE, written_every
from tests.scheduler.fakes import BROKEN, FakeViews, Process


def shop(when: str = "EVERY 5 MINUTES") -> Simulated:
    return Simulated({"v": when}, ONE, {"t": written_every(MINUTE)})


def told(process: Process, *kinds: type[SchedulerEvent]) -> list[SchedulerEvent]:
    return [e for e in process.said if isinstance(e, kinds)]


def test_views_are_refreshed_when_they_are_due(tmp_path: Path) -> None:
    process = Process(tmp_path, FakeViews(shop()))
    loop = process.run(START + HOUR)
    assert len(told(process, Done)) == 11
    assert process.said[0] == Leads("one")
    assert loop.status.state == "stopped"
    assert (loop.status.refreshes, loop.status.failures) == (11, 0)
    assert process.views.looks < 200


def test_once_is_what_is_due_now_and_what_was_done_is_remembered(tmp_path: Path) -> None:
    views = FakeViews(shop())
    views.shop.now += MINUTE
    for _ in range(3):
        Process(tmp_path, views).loop().run(once=True)
    assert len(views.shop.ran) == 1
    views.shop.now += 12 * MINUTE
    for _ in range(3):
        Process(tmp_path, views).loop().run(once=True)
    assert len(views.shop.ran) == 2


def test_a_second_process_waits_and_takes_over_at_once_after_a_release(tmp_path: Path) -> None:
    views = FakeViews(shop())
    second = Process(tmp_path, views, "two")
    views.during = lambda: second.loop().run(once=True)
    Process(tmp_path, views).run(START + 11 * MINUTE)
    assert second.said == [Waits("one")] * 2
    views.during = lambda: None
    second.run(START + 30 * MINUTE)
    assert second.said[2] == Leads("two")
    assert [r.begun for r in views.shop.ran] == [START + n * 5 * MINUTE for n in range(1, 6)]


def test_a_second_process_takes_over_from_one_that_died(tmp_path: Path) -> None:
    views = FakeViews(shop("EVERY 1 MINUTE"))
    assert Leases(Storage(str(tmp_path)), "dead", lambda: START).take() is not None
    process = Process(tmp_path, views)
    process.run(START + 10 * MINUTE)
    assert told(process, Waits) == [Waits("dead")] * 6
    (leads,) = told(process, Leads)
    assert process.said.index(leads) == 6
    assert [r.begun - START for r in views.shop.ran] == [
        30 * SECOND + n * MINUTE for n in range(10)
    ]


def test_who_has_lost_the_lease_stops_refreshing(tmp_path: Path) -> None:
    """A process that slept for an hour finds another one at work."""
    views = FakeViews(shop("EVERY 1 MINUTE"))
    process = Process(tmp_path, views)
    loop = process.loop(START + 2 * HOUR)

    def slept() -> None:
        views.during = lambda: None
        views.shop.now += HOUR
        other = Leases(Storage(str(tmp_path)), "two", lambda: views.shop.now, 2 * HOUR)
        assert other.take() is not None
        loop.renew()

    views.during = slept
    loop.run()
    assert len(views.shop.ran) == 1
    assert told(process, Waits)[0] == Waits("two")


def test_an_error_is_told_and_kept_until_it_is_mended(tmp_path: Path) -> None:
    views = FakeViews(shop("IMMEDIATE"))
    views.shop.broken.add("v")
    process = Process(tmp_path, views)
    loop = process.run(START + 10 * MINUTE)
    broke = told(process, Broke)
    assert 4 <= len(broke) <= 7
    assert isinstance(broke[0], Broke)
    assert (broke[0].view, broke[0].error) == ("v", BROKEN)
    assert views.kept["v"].failing is not None
    assert loop.status.failing["v"]["code"] == "EV-1002"
    views.shop.broken.clear()
    later = Process(tmp_path, views)
    later.run(START + 30 * MINUTE)
    assert views.kept["v"].failing is None


def test_a_storage_that_does_not_answer_is_asked_again(tmp_path: Path) -> None:
    views = FakeViews(shop(), unreadable=StorageUnreadable("no answer"))
    process = Process(tmp_path, views)
    process.run(START + MINUTE)
    assert len(told(process, NotSeen)) == 12
    assert not told(process, Looked)


def test_what_was_stopped_is_no_failure(tmp_path: Path) -> None:
    views = FakeViews(shop("IMMEDIATE"))
    views.shop.broken.add("v")
    process = Process(tmp_path, views)
    loop = process.loop(START + HOUR)
    views.during = loop._times.stopped.set
    loop.run()
    assert not told(process, Broke)
    assert views.kept["v"].tries == 0 if "v" in views.kept else True
    assert views.shop.now < START + MINUTE


def test_a_listener_that_fails_stops_nothing(tmp_path: Path) -> None:
    views = FakeViews(shop())
    process = Process(tmp_path, views)
    loop = process.loop(START + HOUR)

    def fails(event: SchedulerEvent) -> None:
        raise ValueError("of the listener")

    loop._listener = fails
    loop.run()
    assert len(views.shop.ran) == 11
    assert views.shop.now < START + HOUR + 30 * SECOND
