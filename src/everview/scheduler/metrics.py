"""Numbers of a scheduler for Prometheus, and whether it works: served over HTTP."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from everview.errors import InvalidArgument
from everview.scheduler.events import Broke, Done, Leads, Looked, NotSeen, SchedulerEvent, Waits

# Milliseconds without a look after which the scheduler is called ill, unless it refreshes now.
_PATIENCE = 600_000
_BUCKETS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)


class Metrics:
    """Counts what happens in one scheduler, in a registry of its own."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._heard: int = now()
        self._state = "waiting"
        self.registry = CollectorRegistry()
        self._refreshes = self._counter("refreshes", "Refreshes that went well.", ("view", "way"))
        self._failures = self._counter("failures", "Refreshes that failed.", ("view", "code"))
        self._troubles = self._counter("troubles", "Looks at the warehouse that failed.", ())
        self._seconds = Histogram(
            "everview_refresh_seconds",
            "How long the steps of refreshes took.",
            ("view",),
            registry=self.registry,
            buckets=_BUCKETS,
        )
        self._lag = self._gauge("lag_seconds", "How long the view lacks a commit.", ("view",))
        self._success = self._gauge(
            "last_success_timestamp_seconds", "When the last refresh went well.", ("view",)
        )
        self._leader = self._gauge("leader", "Whether this process refreshes the warehouse.", ())

    def _counter(self, name: str, said: str, labels: tuple[str, ...]) -> Counter:
        return Counter(f"everview_{name}", said, labels, registry=self.registry)

    def _gauge(self, name: str, said: str, labels: tuple[str, ...]) -> Gauge:
        return Gauge(f"everview_{name}", said, labels, registry=self.registry)

    def listen(self, event: SchedulerEvent) -> None:
        """Count an event."""
        self._heard = self._now()
        match event:
            case Waits():
                self._state = "waiting"
                self._leader.set(0)
            case Leads():
                self._state = "leading"
                self._leader.set(1)
            case Looked(views, now):
                self._lag.clear()  # of views that are not scheduled any more nothing is told
                for view in views:
                    since = view.behind_since
                    self._lag.labels(view.name).set(0 if since is None else (now - since) / 1000)
            case Done(receipt):
                self._refreshes.labels(receipt.view, receipt.method.way.word).inc()
                self._seconds.labels(receipt.view).observe(receipt.total_seconds)
                self._success.labels(receipt.view).set(self._now() / 1000)
            case Broke(view, error, _):
                self._failures.labels(view, error.code).inc()
            case NotSeen():
                self._troubles.inc()

    def health(self) -> tuple[bool, str]:
        """Whether anything was heard lately, and a document that says so."""
        quiet = self._now() - self._heard
        well = quiet < _PATIENCE
        return well, json.dumps(
            {"healthy": well, "state": self._state, "quiet_seconds": round(quiet / 1000, 1)}
        )


@contextlib.contextmanager
def served(metrics: Metrics, address: str, port: int) -> Iterator[str]:
    """Serve /metrics and /health; gives where. InvalidArgument if the port cannot be had."""
    try:
        server = ThreadingHTTPServer((address, port), _handler(metrics))
    except (OSError, OverflowError) as error:
        raise InvalidArgument(
            f"Nothing can be served at {address}:{port}: {error}.",
            remedy="Choose another --port or --address.",
        ) from error
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, name="everview-metrics", daemon=True)
    thread.start()
    try:
        yield f"{address}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def _handler(metrics: Metrics) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/metrics":
                self._answer(200, CONTENT_TYPE_LATEST, generate_latest(metrics.registry))
            elif self.path == "/health":
                well, text = metrics.health()
                self._answer(200 if well else 503, "application/json", text.encode())
            else:
                self._answer(404, "text/plain", b"/metrics and /health are here\n")

        def _answer(self, code: int, kind: str, body: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Requests are not told."""

    return Handler
