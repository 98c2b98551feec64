"""Prometheus series that are read when somebody asks, and those that every process of ours has.

Whoever holds a number lists it as a `Series` beside the number; whoever wires exposes them. What is
counted while it happens, on the way of a wager, belongs to `adapters/telemetry`.
"""

import asyncio
import platform
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from typing import Literal, NamedTuple

from prometheus_client import CollectorRegistry, ProcessCollector, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from progressive import __version__

Read = Callable[[], Iterable[tuple[tuple[str, ...], float]]]
"""Gives label values and numbers, as they are now."""


class Series(NamedTuple):
    """One series; a counter's name is given without its `_total`."""

    kind: Literal["gauge", "counter"]
    name: str
    help: str
    labels: tuple[str, ...]
    read: Read

    def family(self) -> Metric:
        """As it is now."""
        made = GaugeMetricFamily if self.kind == "gauge" else CounterMetricFamily
        family = made(self.name, self.help, labels=self.labels)
        for values, number in self.read():
            family.add_metric(values, number)
        return family


def gauge(name: str, help_text: str, read: Read, *labels: str) -> Series:
    """Something that goes up and down."""
    return Series("gauge", name, help_text, labels, read)


def counter(name: str, help_text: str, read: Read, *labels: str) -> Series:
    """Something that is counted since the start, and never goes down."""
    return Series("counter", name, help_text, labels, read)


def build_info(name: str, **more: str) -> Series:
    """What runs here: always 1, the facts are its labels."""
    facts = {
        "version": __version__,
        "python": platform.python_version(),
        "aiohttp": metadata.version("aiohttp"),
        **more,
    }

    def read() -> list[tuple[tuple[str, ...], float]]:
        loop = type(asyncio.get_running_loop()).__module__.partition(".")[0]
        return [((*facts.values(), loop), 1.0)]

    return gauge(name, "What runs here; always 1", read, *facts, "loop")


def expose(registry: CollectorRegistry, series: Iterable[Series]) -> None:
    """Add these to a registry, and what the operating system knows of the process."""
    # The moment each counter was made, as a gauge beside it, would double what a scrape brings;
    # `process_start_time_seconds` says it once.
    disable_created_metrics()  # type: ignore[no-untyped-call]
    ProcessCollector(registry=registry)
    registry.register(_ReadWhenAsked(list(series)))


class _ReadWhenAsked(Collector):
    def __init__(self, series: list[Series]) -> None:
        self._series = series

    def collect(self) -> Iterator[Metric]:
        for each in self._series:
            yield each.family()
