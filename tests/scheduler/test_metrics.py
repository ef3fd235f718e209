"""Numbers for Prometheus, and whether a scheduler works, as they are served."""

from __future__ import annotations

import json
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from everview.errors import InvalidArgument
from everview.facts.methods import Way
from everview.facts.when import Immediate, Schedule
from everview.schedule.due import Watched
from everview.scheduler.events import Broke, Done, Leads, Looked, NotSeen, Waits
from everview.scheduler.metrics import Metrics, served
from tests.schedule.simulated import MINUTE, SECOND, START
from tests.scheduler.fakes import BROKEN, receipt


def fetched(url: str) -> str:
    with urlopen(url) as answer:
        return str(answer.read().decode())


def test_what_happens_is_counted_and_served() -> None:
    times = [START]
    metrics = Metrics(lambda: times[0])
    late = Watched("v", Schedule(Immediate()), behind_since=START - 90 * SECOND)
    events = (
        *(Waits("other"), Leads("me"), Looked((late, Watched("w", Schedule())), START)),
        *(Done(receipt("v")), Done(receipt("v", Way.FULL)), Done(receipt("v"))),
        *(Broke("w", BROKEN, START), NotSeen(BROKEN)),
    )
    for event in events:
        metrics.listen(event)
    with served(metrics, "127.0.0.1", 0) as address:
        lines = set(fetched(f"http://{address}/metrics").splitlines())
        assert lines >= {
            'everview_refreshes_total{view="v",way="incremental"} 2.0',
            'everview_refreshes_total{view="v",way="full"} 1.0',
            'everview_failures_total{code="EV-1002",view="w"} 1.0',
            "everview_troubles_total 1.0",
            'everview_refresh_seconds_sum{view="v"} 3.0',
            'everview_lag_seconds{view="v"} 90.0',
            'everview_lag_seconds{view="w"} 0.0',
            "everview_leader 1.0",
        }
        success = "everview_last_success_timestamp_seconds"
        assert metrics.registry.get_sample_value(success, {"view": "v"}) == START / 1000
        metrics.listen(Looked((), START))
        assert "everview_lag_seconds{" not in fetched(f"http://{address}/metrics")
        times[0] += MINUTE
        health = json.loads(fetched(f"http://{address}/health"))
        assert health == {"healthy": True, "state": "leading", "quiet_seconds": 60.0}
        times[0] += 10 * MINUTE
        with pytest.raises(HTTPError) as ill:
            fetched(f"http://{address}/health")
        assert ill.value.code == 503
        ill.value.close()
        with pytest.raises(HTTPError) as unknown:
            fetched(f"http://{address}/")
        assert unknown.value.code == 404
        unknown.value.close()


def test_a_port_that_is_taken_is_named() -> None:
    metrics = Metrics(lambda: START)
    with served(metrics, "127.0.0.1", 0) as address:
        port = int(address.rpartition(":")[2])
        with (
            pytest.raises(InvalidArgument, match=f"127.0.0.1:{port}"),
            served(metrics, "127.0.0.1", port),
        ):
            pass
