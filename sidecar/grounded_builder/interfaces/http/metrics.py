"""Counts and times requests, compilations and connections, and formats Prometheus metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Verdict
from grounded_builder.interfaces.http.admission import dismiss

_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0)


class Metrics:
    """The counters and timers of the server."""

    def __init__(self) -> None:
        self.collected = CollectorRegistry()
        ProcessCollector(registry=self.collected)
        self._requests = Histogram(
            "grounded_request_seconds",
            "Time from request to answer.",
            ("method", "route", "status"),
            buckets=_SECONDS,
            registry=self.collected,
        )
        self._compiled = Histogram(
            "grounded_compile_seconds",
            "Time of the compile alone.",
            ("verb", "domain"),
            buckets=_SECONDS,
            registry=self.collected,
        )
        self._verdicts = Counter(
            "grounded_verdicts",
            "Compilations by verdict.",
            ("domain", "verdict"),
            registry=self.collected,
        )
        self._tools = Gauge(
            "grounded_catalog_tools",
            "Tools in the active catalog.",
            ("domain",),
            registry=self.collected,
        )

        self._connections = Gauge(
            "grounded_connections",
            "Open connections.",
            registry=self.collected,
        )

    def count_connections(self, count: Callable[[], int]) -> None:
        """Sets the function that returns the number of open connections."""
        self._connections.set_function(count)

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Counts one request."""
        self._requests.labels(method, route, str(status)).observe(seconds)

    def count_compilation(self, verb: str, domain: str, verdict: Verdict, seconds: float) -> None:
        """Counts one compilation."""
        self._compiled.labels(verb, domain).observe(seconds)
        self._verdicts.labels(domain, verdict).inc()

    def show_catalogs(self, registries: Iterable[Registry]) -> None:
        """Sets the sizes of the active catalogs."""
        for registry in registries:
            self._tools.labels(registry.domain).set(len(registry.tools))

    def text(self) -> bytes:
        """Returns all metrics in the text format of Prometheus."""
        return generate_latest(self.collected)


class Timed:
    """Times every request by its route, never by its path: paths are unbounded."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = perf_counter(), 500

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        finally:
            route = getattr(scope.get("route"), "path", "none")
            dismiss(scope)
            metrics: Metrics = scope["app"].state.grounded.metrics
            metrics.count_request(scope["method"], route, status, perf_counter() - started)
