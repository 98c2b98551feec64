"""What a relay tells Prometheus, read when somebody asks."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from display.relay import Relay


def registry_of(relay: Relay) -> CollectorRegistry:
    """A registry of its own: nothing of this process but the relay."""
    registry = CollectorRegistry()
    registry.register(_RelayCollector(relay))
    return registry


class _RelayCollector(Collector):
    def __init__(self, relay: Relay) -> None:
        self._relay = relay

    def collect(self) -> Iterator[Metric]:
        yield from self._of_links()
        yield from self._of_upstreams()

    def _of_links(self) -> Iterator[Metric]:
        connected = GaugeMetricFamily(
            "relay_signs_connected", "Signs and relays with a live socket", labels=["link"]
        )
        dropped = CounterMetricFamily(
            "relay_signs_dropped", "Signs dropped because they did not read", labels=["link"]
        )
        age = GaugeMetricFamily(
            "relay_last_word_age_seconds",
            "Since the service vouched for the amounts shown",
            labels=["link"],
        )
        for link, relayed in self._relay.links.items():
            if relayed.hub is not None:
                connected.add_metric([link], len(relayed.hub.outboxes))
                dropped.add_metric([link], relayed.hub.dropped)
                age.add_metric([link], relayed.age_ms / 1000)
        yield from (connected, dropped, age)

    def _of_upstreams(self) -> Iterator[Metric]:
        up = GaugeMetricFamily(
            "relay_upstream_up", "1 while the feed is read", labels=["upstream", "link"]
        )
        again = CounterMetricFamily(
            "relay_upstream_reconnects", "Feeds that came back", labels=["upstream", "link"]
        )
        for base, upstream in self._relay.upstreams.items():
            for link, feed in upstream.feeds.items():
                up.add_metric([base, link], float(feed.up))
                again.add_metric([base, link], max(0, feed.times_up - 1))
        yield from (up, again)
