"""Prometheus series that are counted while things happen: HOT, so labels are resolved once.

What can be read when somebody asks is listed beside its number instead (`runtime/series`).

A registry of its own, so that two services in one process (tests) do not share their counters.
"""

from collections.abc import Iterable
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

from progressive.domain.ids import LinkId

_APPEND_BUCKETS: Final = (
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
)  # fmt: skip
_BATCH_BUCKETS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1024)


class PrometheusTelemetry:
    """What the writers and the hubs report; implements `application.link.ports.Telemetry`."""

    def __init__(self, links: Iterable[LinkId]) -> None:
        self.registry = CollectorRegistry()
        r = self.registry
        wagers = Counter("progressive_wagers", "Wagers registered", ["link"], registry=r)
        rounds = Counter("progressive_rounds", "Rounds locked", ["link"], registry=r)
        records = Counter("progressive_records", "Journal records stored", ["link"], registry=r)
        failed = Counter(
            "progressive_append_failures", "Batches that could not be stored", ["link"], registry=r
        )
        append = Histogram(
            "progressive_append_seconds",
            "Time to make a batch durable",
            ["link"],
            buckets=_APPEND_BUCKETS,
            registry=r,
        )
        batch = Histogram(
            "progressive_batch_records",
            "Journal records per batch",
            ["link"],
            buckets=_BATCH_BUCKETS,
            registry=r,
        )
        lag = Histogram(
            "progressive_feed_lag_seconds",
            "From durable to written to every sign",
            ["link"],
            buckets=_APPEND_BUCKETS,
            registry=r,
        )
        self._refused = Counter(
            "progressive_refusals", "Messages refused", ["link", "code"], registry=r
        )
        self._wagers = {link: wagers.labels(link) for link in links}
        self._rounds = {link: rounds.labels(link) for link in links}
        self._records = {link: records.labels(link) for link in links}
        self._failed = {link: failed.labels(link) for link in links}
        self._append = {link: append.labels(link) for link in links}
        self._batch = {link: batch.labels(link) for link in links}
        self._lag = {link: lag.labels(link) for link in links}

    def committed(
        self, link: LinkId, *, records: int, wagers: int, rounds: int, append_seconds: float
    ) -> None:
        """A batch is durable."""
        self._wagers[link].inc(wagers)
        self._rounds[link].inc(rounds)
        self._records[link].inc(records)
        self._batch[link].observe(records)
        self._append[link].observe(append_seconds)

    def refused(self, link: LinkId, code: str) -> None:
        """A message was refused."""
        self._refused.labels(link, code).inc()

    def append_failed(self, link: LinkId) -> None:
        """A batch could not be stored."""
        self._failed[link].inc()

    def fed(self, link: LinkId, seconds: float) -> None:
        """An update was written to every sign."""
        self._lag[link].observe(seconds)
